import type { Shape } from '../../intake.ts'
import { OPEN_LIST, OPEN_OBJECT, skipSpace } from '../../json/bytes.ts'
import { JsonObject } from '../../json/value.ts'
import { readJsonBody, readLines } from '../bodies.ts'
import type { Format } from '../format.ts'
import { without } from '../logs/logs.ts'
import { layoutOf } from '../media.ts'

/** Edge services label their lines as text, or by what they were packed with. */
const LABELS_OF_LINES = ['text/plain', 'application/octet-stream', 'application/gzip', 'application/x-gzip']

/**
 * What edge networks push: lines of JSON, each kept whole as the message and its fields under `metadata`; or, from a
 * worker, a JSON batch or a single event. Refused lines are recorded but not told: these senders would repeat the
 * whole push.
 */
export const edge: Format = {
  name: 'edge',
  hidesRefused: true,
  takesEmpty: true,
  check: (headers) => void layoutOf(headers, LABELS_OF_LINES),
  time: () => undefined,
  async read(intake, { headers }) {
    const line: Shape = (value, from, to) => wrapLine(value, () => intake.body.toString('utf8', from, to))
    if (layoutOf(headers, LABELS_OF_LINES) === 'lines' || !startsAsJson(intake.body)) return readLines(intake, line)
    return readJsonBody(intake, { unwrapsBatch: true, single: without('source'), line })
  },
}

/** The first try of a new push may be any text; it is recorded as a refused line, and answered like every push. */
function startsAsJson(body: Buffer): boolean {
  const first = body[skipSpace(body, 0)]
  return first === OPEN_OBJECT || first === OPEN_LIST
}

function wrapLine(value: Parameters<Shape>[0], text: () => string): Parameters<Shape>[0] {
  // A line that is no object is refused as such by the pipeline.
  if (!(value instanceof JsonObject)) return null
  const event = new JsonObject()
  const at = value.names.indexOf('EdgeStartTimestamp')
  if (at >= 0) event.add('timestamp', value.values[at]!)
  return event.add('event_message', text()).add('metadata', value)
}
