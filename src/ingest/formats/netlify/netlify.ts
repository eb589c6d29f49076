import type { Shape } from '../../intake.ts'
import { printJson } from '../../json/print.ts'
import { JsonObject } from '../../json/value.ts'
import { readAlike } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { at, text } from '../values.ts'

const SUMMARIES: Record<string, string[]> = {
  traffic: ['log_type', 'method', 'status_code', 'client_ip', 'request_id', 'url', 'user_agent'],
  functions: ['log_type', 'method', 'status_code', 'request_id', 'path'],
}

/**
 * A Netlify log drain: the message sums up a request, the event is kept under `metadata`. Other types of log have
 * their JSON as the message. The first try of a new drain has only a message and is marked `validate`.
 */
export const netlify: Format = {
  name: 'netlify',
  hidesRefused: false,
  takesEmpty: true,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  read: (intake, { headers }) => readAlike(intake, headers, shape),
}

const shape: Shape = (value) => {
  if (!(value instanceof JsonObject)) return value
  if (value.size === 1 && value.names[0] === 'message') {
    return new JsonObject()
      .add('message', value.values[0]!)
      .add('metadata', new JsonObject().add('log_type', 'validate'))
  }
  const event = new JsonObject().add('message', summary(value)).add('metadata', value)
  const timestamp = at(value, 'timestamp')
  return timestamp === undefined ? event : event.add('timestamp', timestamp)
}

function summary(value: JsonObject): string {
  const type = text(at(value, 'log_type'))
  const names = Object.hasOwn(SUMMARIES, type) ? SUMMARIES[type] : undefined
  if (!names) return text(at(value, 'message')) || printJson(value)
  return names
    .map((name) => text(at(value, name) ?? (name === 'status_code' ? at(value, 'status') : undefined)))
    .join(' | ')
}
