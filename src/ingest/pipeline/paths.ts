import { JsonObject, type JsonValue } from '../json/value.ts'
import { messageText } from './standard.ts'

/** Rules never change these: the first two are the event's identity, which rules may only read. */
const FIXED = ['id', 'timestamp']

/** The value at a path of objects; undefined when it is missing or leads through a scalar or a list. */
export function valueAt(event: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = event
  for (const name of path) {
    if (!(value instanceof JsonObject)) return undefined
    value = value.opened(name)
  }
  return value
}

/** Sets a value, making the objects on the way. A path that leads through a scalar or a list changes nothing. */
export function setAt(event: JsonObject, path: readonly string[], value: JsonValue): void {
  const first = path[0]!.toLowerCase()
  if (FIXED.includes(first) || !isOpen(event, path)) return
  let object = event
  for (const name of path.slice(0, -1)) {
    let inner: JsonValue | undefined = object.opened(name)
    if (!(inner instanceof JsonObject)) {
      inner = new JsonObject()
      object.add(name, inner)
    }
    object = inner
  }
  const isMessage = path.length === 1 && (first === 'event_message' || first === 'message')
  object.set(path.at(-1)!, isMessage ? messageText(value) : value)
}

/** Whether only objects, or nothing yet, stand on the way to the path's last name. */
function isOpen(event: JsonObject, path: readonly string[]): boolean {
  let inner: JsonValue | undefined = event
  for (let i = 0; inner !== undefined && i < path.length - 1; i++) {
    if (!(inner instanceof JsonObject)) return false
    inner = inner.opened(path[i]!)
  }
  return inner === undefined || inner instanceof JsonObject
}

/** Removes a field, and with it every object that held nothing else. */
export function deleteAt(event: JsonObject, path: readonly string[]): void {
  const name = path[0]!
  if (path.length > 1) {
    const inner = event.opened(name)
    if (!(inner instanceof JsonObject)) return
    deleteAt(inner, path.slice(1))
    if (inner.size > 0) return
  }
  event.delete(name)
}
