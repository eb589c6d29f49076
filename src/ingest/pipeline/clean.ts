import { JsonObject, type JsonValue } from '../json/value.ts'

/**
 * `null`, `{}` and `[]` carry no value and are left out, at every depth and inside lists too, and so is what is empty
 * once they are gone. `""`, `0` and `false` are data. Answers undefined when nothing is left.
 */
export function clean(value: JsonValue): JsonValue | undefined {
  if (value === null) return undefined
  if (Array.isArray(value)) {
    const kept: JsonValue[] = []
    for (const element of value) {
      const cleaned = clean(element)
      if (cleaned !== undefined) kept.push(cleaned)
    }
    return kept.length > 0 ? kept : undefined
  }
  if (value instanceof JsonObject) {
    const kept = cleanFields(value)
    return kept.size > 0 ? kept : undefined
  }
  return value
}

export function cleanFields(object: JsonObject): JsonObject {
  const kept = new JsonObject()
  for (let i = 0; i < object.size; i++) {
    const cleaned = clean(object.values[i]!)
    if (cleaned !== undefined) kept.add(object.names[i]!, cleaned)
  }
  return kept
}
