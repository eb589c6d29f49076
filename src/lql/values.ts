/**
 * Looking into an event without copying it. An event is a tree of objects, lists and scalars as stored: `id` and
 * `event_message` are text, `timestamp` is microseconds, the other fields stand beside them. Objects may be plain
 * (with or without a prototype), Maps, or anything that answers `get(name)`; integers beyond 2^53 are bigints, or
 * number objects that keep their digits (`text`, and `isInteger` on the prototype), as the write path has them.
 *
 * A value says its own type here, while a column has one for all. The two differ in one case only: an integer beyond
 * 2^53 in a field that holds decimals is exact in memory and rounded in the column.
 */
type Getter = { get(name: string): unknown }

/** Data that came from JSON holds no functions, so an object with `get` is a container and never an event's own field. */
const hasGet = (value: object): value is Getter => 'get' in value && typeof value.get === 'function'

/** The member of an object; undefined when there is none, or when the value is no object. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (hasGet(value)) return value.get(name) ?? foldedKey(value, name)
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : foldedMember(value, name)
}

/**
 * What stands at the end of a path: a value, undefined, or, where the way leads through lists, all values found there
 * (undefined among them for elements that lack the field, and alone for a list without elements).
 */
export function valuesAt(value: unknown, names: readonly string[], depth = 0): unknown {
  if (Array.isArray(value)) {
    const found: unknown[] = []
    for (const element of value) {
      const inner = valuesAt(element, names, depth)
      if (!Array.isArray(inner)) found.push(inner)
      else for (const one of inner) found.push(one)
    }
    return found.length === 0 ? undefined : found
  }
  if (depth === names.length) return value ?? undefined
  return valuesAt(memberOf(value, names[depth]!), names, depth + 1)
}

/** Names that differ only in case are one field, because the engine's columns are. */
function foldedMember(value: object, name: string): unknown {
  for (const key in value) if (isFolded(key, name)) return Reflect.get(value, key)
  return undefined
}

function foldedKey(value: object, name: string): unknown {
  if (!(value instanceof Map)) return undefined
  for (const key of value.keys()) if (typeof key === 'string' && isFolded(key, name)) return value.get(key)
  return undefined
}

const isFolded = (key: string, name: string): boolean =>
  key.length === name.length && key.toLowerCase() === name.toLowerCase()
