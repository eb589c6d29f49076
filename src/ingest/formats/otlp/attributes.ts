import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'
import { at, text } from '../values.ts'

/** `[{key, value: {stringValue: …}}]` as the object it stands for. Keys keep their dots; the pipeline makes them legal. */
export function attributesOf(list: JsonValue | undefined): JsonObject {
  const attributes = new JsonObject()
  if (!Array.isArray(list)) return attributes
  for (const entry of list) {
    const key = text(at(entry, 'key'))
    if (key !== '') attributes.add(key, anyValue(at(entry, 'value')))
  }
  return attributes
}

/** A value that names its type. 64-bit integers come as text or as numbers. */
export function anyValue(value: JsonValue | undefined): JsonValue {
  if (!(value instanceof JsonObject) || value.size === 0) return null
  const inner = value.values[0]!
  switch (value.names[0]) {
    case 'intValue':
    case 'int_value':
      return integer(inner)
    case 'doubleValue':
    case 'double_value':
      return float(inner)
    case 'arrayValue':
    case 'array_value': {
      const values = at(inner, 'values')
      return Array.isArray(values) ? values.map(anyValue) : values === undefined ? [] : null
    }
    case 'kvlistValue':
    case 'kvlist_value':
      return attributesOf(at(inner, 'values'))
    default:
      return inner
  }
}

export function integer(value: JsonValue): JsonValue {
  return typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value) ? new NumberText(value) : value
}

/** A double is a double also when it is whole and was written without a point. */
export function float(value: JsonValue): JsonValue {
  return value instanceof NumberText && value.isInteger ? new NumberText(`${value.text}.0`) : value
}

/** Zero is how the wire says that there is no time. */
export function time(value: JsonValue | undefined): JsonValue | undefined {
  const digits = text(value)
  return digits === '' || /^0+$/.test(digits) ? undefined : value
}

/** Hex in any case; ids of all zeros mean none. */
export function hexId(value: JsonValue | undefined): string | null {
  const id = text(value).toLowerCase()
  return id === '' || /^0+$/.test(id) ? null : id
}

export function addIf(event: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined && value !== null && value !== '') event.add(name, value)
}

/** What a group of events shares: the resource they come from and the scope that made them. */
export function resourceOf(resource: JsonValue | undefined): JsonObject {
  return attributesOf(at(resource, 'attributes'))
}

export function scopeOf(scope: JsonValue | undefined): JsonObject {
  const read = new JsonObject()
  addIf(read, 'name', at(scope, 'name'))
  addIf(read, 'version', at(scope, 'version'))
  const attributes = attributesOf(at(scope, 'attributes'))
  if (attributes.size > 0) read.add('attributes', attributes)
  return read
}

export const serviceOf = (resource: JsonObject): string => text(at(resource, 'service.name'))
