/** Small looks into values that are already read. */
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'

/** The value at a path of names, or undefined. */
export function at(value: JsonValue | undefined, ...names: string[]): JsonValue | undefined {
  let found = value
  for (const name of names) {
    if (!(found instanceof JsonObject)) return undefined
    const index = found.names.indexOf(name)
    found = index < 0 ? undefined : found.values[index]
  }
  return found
}

/** A scalar as people read it; nothing for what is missing or is no scalar. */
export function text(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (value instanceof NumberText) return value.text
  return typeof value === 'boolean' ? String(value) : ''
}

/** A copy without some of its fields. */
export function except(value: JsonObject, ...names: string[]): JsonObject {
  const rest = new JsonObject()
  for (let i = 0; i < value.size; i++) if (!names.includes(value.names[i]!)) rest.add(value.names[i]!, value.values[i]!)
  return rest
}

/** Appends every field of another object. */
export function addAll(to: JsonObject, from: JsonObject): JsonObject {
  for (let i = 0; i < from.size; i++) to.add(from.names[i]!, from.values[i]!)
  return to
}
