import type { Intake } from '../../intake.ts'
import { OPEN_LIST, OPEN_OBJECT, skipSpace } from '../../json/bytes.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { bracketEnd } from '../../json/words.ts'
import { readJsonBody } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { Respelled } from '../respelled.ts'
import { text } from '../values.ts'
import { elementsOf, fieldAt } from '../walk.ts'

/**
 * Datadog's logs, version 2: a list of events or one, stored as they are sent. `date` is the time of an event that has no
 * `timestamp`. A tag `source_name:…`, or else the service, names the source.
 */
export const datadog: Format = {
  name: 'datadog',
  hidesRefused: false,
  takesEmpty: true,
  check: (headers) => void layoutOf(headers),
  time: () => undefined,
  async read(intake, { part }) {
    const { body } = intake
    const taken = createTaken(intake)
    if (part === undefined)
      return readJsonBody(intake, { unwrapsBatch: false, element: timed, taken, single: timed, line: timed })
    for (const from of eventsOf(body)) {
      if (nameAt(body, from, (at) => intake.valueAt(at)) !== part) continue
      if (taken(from) < 0) intake.event(from, timed)
      if (intake.isDueToPause) await intake.pause()
    }
  },
  split(body) {
    const names = new Set<string>()
    parsedWhole(body, (reader) => {
      for (const from of eventsOf(body)) names.add(nameAt(body, from, (at) => reader.read(at)))
    })
    return [...names]
  },
}

/** Takes an event as bytes, its `date` spelled our way: the position after it, or -1. */
function createTaken(intake: Intake): (from: number) => number {
  const date = new Respelled(intake, 'date')
  return (from) => {
    const { words, scratch } = intake
    const to = words.bytes[from] === OPEN_OBJECT ? bracketEnd(words, from) : -1
    if (to < 0) return -1
    if (!date.isIn(from, to)) return intake.scanned(from)
    // Longer by five bytes.
    return scratch.begin(to - from + 8) && intake.written(to, date.write(from, to)) ? to : -1
  }
}

function* eventsOf(body: Buffer): Generator<number> {
  if (body[skipSpace(body, 0)] === OPEN_LIST) yield* elementsOf(body, 0)
  else yield 0
}

function nameAt(body: Buffer, from: number, read: (at: number) => JsonValue): string {
  const textAt = (name: string): string => {
    const at = fieldAt(body, from, name)
    return at < 0 ? '' : text(read(at))
  }
  const tags = textAt('ddtags').split(',')
  const tag = tags.map((each) => each.trim()).find((each) => each.startsWith('source_name:'))
  return tag ? tag.slice('source_name:'.length) : textAt('service')
}

function timed(value: JsonValue): JsonValue {
  if (!(value instanceof JsonObject) || value.names.includes('timestamp')) return value
  const event = new JsonObject()
  for (let i = 0; i < value.size; i++)
    event.add(value.names[i] === 'date' ? 'timestamp' : value.names[i]!, value.values[i]!)
  return event
}
