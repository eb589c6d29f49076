import type { Shape } from '../../intake.ts'
import { JsonObject } from '../../json/value.ts'
import { readAlike } from '../bodies.ts'
import type { Format, Headers } from '../format.ts'
import { layoutOf } from '../media.ts'

/**
 * Fluent Bit's `http` output, which writes the time of an event to `date`: that is its timestamp when it has no other.
 * `log`, where the tail input puts the line, is its message when it has no other.
 */
export const fluentBit: Format = {
  name: 'fluent-bit',
  hidesRefused: false,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  read: (intake, { headers }) => readAlike(intake, headers, shape),
}

/** Elsewhere `date` is a field like any other, so only this sender's own word makes it a time. */
export const isFluentBit = (headers: Headers): boolean =>
  typeof headers['user-agent'] === 'string' && /^fluent-?bit/i.test(headers['user-agent'])

const shape: Shape = (value) => {
  if (!(value instanceof JsonObject)) return value
  const isTimed = value.names.includes('timestamp')
  const hasMessage = value.names.includes('message') || value.names.includes('event_message')
  const event = new JsonObject()
  for (let i = 0; i < value.size; i++) {
    const name = value.names[i]!
    const renamed = name === 'date' && !isTimed ? 'timestamp' : name === 'log' && !hasMessage ? 'message' : name
    event.add(renamed, value.values[i]!)
  }
  return event
}
