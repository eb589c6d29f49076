import type { Shape } from '../../intake.ts'
import { printJson } from '../../json/print.ts'
import { JsonObject } from '../../json/value.ts'
import { readAlike } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { at, except } from '../values.ts'

/**
 * Events of Vector's `http` sink: `message` and `timestamp` are taken, the rest is kept under `metadata`. An event
 * without a message has the rest as its message. `project` stands at the top too, where queries by project look.
 */
export const vector: Format = {
  name: 'vector',
  hidesRefused: false,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  read: (intake, { headers }) => readAlike(intake, headers, shape),
}

const shape: Shape = (value) => {
  if (!(value instanceof JsonObject)) return value
  const rest = except(value, 'message', 'timestamp')
  const message = at(value, 'message')
  const event = new JsonObject().add('message', message ?? printJson(rest)).add('metadata', rest)
  const timestamp = at(value, 'timestamp')
  if (timestamp !== undefined) event.add('timestamp', timestamp)
  const project = at(value, 'project')
  if (project !== undefined) event.add('project', project)
  return event
}
