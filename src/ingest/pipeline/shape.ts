import { JsonObject, type JsonValue } from '../json/value.ts'
import { Refusal } from '../refusal.ts'

/** Lists that no column can hold: the one reason to refuse an event for its content. Paths are the sender's own. */
export function checkShape(object: JsonObject, path = ''): Refusal | null {
  for (let i = 0; i < object.size; i++) {
    const value = object.values[i]!
    if (typeof value !== 'object') continue
    const problem = checkValue(value, path === '' ? object.names[i]! : `${path}.${object.names[i]}`)
    if (problem) return problem
  }
  return null
}

function checkValue(value: JsonValue, path: string): Refusal | null {
  if (value instanceof JsonObject) return checkShape(value, path)
  if (!Array.isArray(value)) return null
  let objects = 0
  for (const element of value) {
    if (Array.isArray(element)) return new Refusal(`${path} is an array of arrays`)
    if (element instanceof JsonObject) objects++
  }
  if (objects > 0 && objects < value.length) return new Refusal(`${path} mixes scalars and objects`)
  if (objects > 0) {
    for (const element of value) {
      const problem = checkValue(element, path)
      if (problem) return problem
    }
  }
  return null
}
