import { OPEN_LIST, skipSpace } from '../../json/bytes.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { readJsonBody } from '../bodies.ts'
import type { Format } from '../format.ts'
import { layoutOf } from '../media.ts'
import { parsedWhole } from '../parsed.ts'
import { at, text } from '../values.ts'
import { elementsOf } from '../walk.ts'

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
    if (part === undefined)
      return readJsonBody(intake, { unwrapsBatch: false, element: timed, single: timed, line: timed })
    for (const from of eventsOf(intake.body)) {
      if (nameIn(intake.valueAt(from)) !== part) continue
      intake.event(from, timed)
      if (intake.isDueToPause) await intake.pause()
    }
  },
  split(body) {
    const names = new Set<string>()
    parsedWhole(body, (reader) => {
      for (const from of eventsOf(body)) names.add(nameIn(reader.read(from)))
    })
    return [...names]
  },
}

function* eventsOf(body: Buffer): Generator<number> {
  if (body[skipSpace(body, 0)] === OPEN_LIST) yield* elementsOf(body, 0)
  else yield 0
}

function nameIn(event: JsonValue): string {
  const tags = text(at(event, 'ddtags')).split(',')
  const tag = tags.map((each) => each.trim()).find((each) => each.startsWith('source_name:'))
  return tag ? tag.slice('source_name:'.length) : text(at(event, 'service'))
}

function timed(value: JsonValue): JsonValue {
  if (!(value instanceof JsonObject) || value.names.includes('timestamp')) return value
  const event = new JsonObject()
  for (let i = 0; i < value.size; i++)
    event.add(value.names[i] === 'date' ? 'timestamp' : value.names[i]!, value.values[i]!)
  return event
}
