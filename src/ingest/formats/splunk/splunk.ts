import { asFault, type Shape } from '../../intake.ts'
import { OPEN_LIST, skipSpace } from '../../json/bytes.ts'
import { JsonReader, NameCache, TooDeep } from '../../json/read.ts'
import { skipValue } from '../../json/skip.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'
import type { Format } from '../format.ts'
import { addAll, at, except, text } from '../values.ts'
import { elementsOf, fieldAt } from '../walk.ts'

/**
 * Events of Splunk's HTTP Event Collector: JSON objects one after the other, with or without line ends, or a list.
 * `event` is the message, or its fields stand at the top; `time` is its time; what else the collector knows (`host`,
 * `source`, `sourcetype`, `index`, `fields`) is kept under `splunk`. The index names the source. The content type does
 * not matter: senders label their JSON as a form.
 */
export const splunk: Format = {
  name: 'splunk',
  hidesRefused: false,
  check: () => {},
  time: () => undefined,
  async read(intake, { part }) {
    // All of them first: a body that is broken further on must leave no trace.
    for (const _ of eventsOf(intake.body));
    for (const from of eventsOf(intake.body)) {
      if (part !== undefined && indexAt(intake.body, from) !== part) continue
      intake.event(from, shape)
      if (intake.isDueToPause) await intake.pause()
    }
  },
  split(body) {
    const names = new Set<string>()
    for (const from of eventsOf(body)) names.add(indexAt(body, from))
    return [...names]
  },
}

function* eventsOf(body: Buffer): Generator<number> {
  try {
    let at = skipSpace(body, 0)
    while (at < body.length) {
      const end = skipValue(body, at)
      if (body[at] === OPEN_LIST) yield* elementsOf(body, at)
      else yield at
      at = skipSpace(body, end)
    }
  } catch (error) {
    throw asFault(error)
  }
}

function indexAt(body: Buffer, from: number): string {
  const at = fieldAt(body, from, 'index')
  if (at < 0) return ''
  try {
    return text(new JsonReader(body, MAX_DEPTH, new NameCache(2)).read(at))
  } catch (error) {
    if (error instanceof TooDeep) return ''
    throw error
  }
}

const shape: Shape = (value) => {
  // What is no event is refused as such by the pipeline.
  if (!(value instanceof JsonObject)) return null
  const sent = at(value, 'event')
  if (isBlank(sent)) return null
  const event = new JsonObject()
  const time = at(value, 'time')
  const isTimed = text(time) !== ''
  if (time !== undefined && isTimed) event.add('timestamp', time)
  const about = except(value, 'event', 'time')
  if (about.size > 0) event.add('splunk', about)
  if (!(sent instanceof JsonObject)) return event.add('message', sent)
  return addAll(event, isTimed ? renamed(sent, 'timestamp', '_timestamp') : sent)
}

const isBlank = (sent: JsonValue | undefined): sent is undefined | null | '' =>
  sent === undefined || sent === null || sent === ''

function renamed(object: JsonObject, from: string, to: string): JsonObject {
  const copy = new JsonObject()
  for (let i = 0; i < object.size; i++) copy.add(object.names[i] === from ? to : object.names[i]!, object.values[i]!)
  return copy
}
