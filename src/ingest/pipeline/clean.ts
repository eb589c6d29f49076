import { JsonObject, type JsonValue } from '../json/value.ts'

/**
 * `null`, `{}` and `[]` carry no value and are left out, at every depth and inside lists too, and so is what is empty
 * once they are gone. `""`, `0` and `false` are data. Answers undefined when nothing is left, and the value itself
 * when there is nothing to leave out.
 */
export function clean(value: JsonValue): JsonValue | undefined {
  if (value === null) return undefined
  if (value instanceof JsonObject) {
    const kept = cleanFields(value)
    return kept.size > 0 ? kept : undefined
  }
  if (!Array.isArray(value)) return value
  const kept = cleanList(value)
  return kept.length > 0 ? kept : undefined
}

export function cleanFields(object: JsonObject): JsonObject {
  let kept: JsonObject | null = null
  for (let i = 0; i < object.size; i++) {
    const value = object.values[i]!
    const cleaned = clean(value)
    if (kept === null && cleaned !== value) kept = firstFields(object, i)
    if (kept !== null && cleaned !== undefined) kept.add(object.names[i]!, cleaned)
  }
  return kept ?? object
}

function firstFields(object: JsonObject, count: number): JsonObject {
  const first = new JsonObject()
  for (let i = 0; i < count; i++) first.add(object.names[i]!, object.values[i]!)
  return first
}

function cleanList(list: JsonValue[]): JsonValue[] {
  let kept: JsonValue[] | null = null
  for (let i = 0; i < list.length; i++) {
    const cleaned = clean(list[i]!)
    if (kept === null && cleaned !== list[i]) kept = list.slice(0, i)
    if (kept !== null && cleaned !== undefined) kept.push(cleaned)
  }
  return kept ?? list
}
