import { printJson } from '../json/print.ts'
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'
import { MAX_AHEAD_US, MAX_ID_BYTES } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import type { Uuids } from '../scan/uuids.ts'
import { numberMicros, textMicros } from '../time.ts'
import { clean } from './clean.ts'

/** When a request came in, and what it says about all its events. */
export type Arrival = {
  nowUs: number
  /** Events before this are past the source's retention. */
  oldestUs: number
  retentionDays: number
  /** A time given outside the event (a header); it goes before the event's own when it is usable. */
  time?: string | undefined
}

/** The standard fields, and the sender's other fields as they came. */
export type Draft = { standard: JsonObject; rest: JsonObject }

/** Top-level names that the service gives a meaning; a sender's field that only differs in case gets a number. */
export const STANDARD_NAMES: readonly string[] = ['id', 'timestamp', 'event_message', 'message']

type StandardName = 'id' | 'timestamp' | 'event_message' | 'message'
type Taken = { [name in StandardName]?: JsonValue }

const isStandard = (name: string): name is StandardName =>
  name === 'message' || name === 'timestamp' || name === 'id' || name === 'event_message'

export type Standardise = (sent: JsonObject, arrival: Arrival) => Draft | Refusal

/**
 * Takes `id`, `timestamp`, `event_message` and `message` out of the event. What cannot serve as an id or a time is
 * kept as `_id` or `_timestamp`, so that nothing the sender wrote is lost.
 */
export function createStandardise({ uuids }: { uuids: Uuids }): Standardise {
  return function standardise(sent, arrival) {
    const rest = new JsonObject()
    const others = new JsonObject()
    const taken: Taken = {}
    for (let i = 0; i < sent.size; i++) {
      const name = sent.names[i]!
      const value = sent.values[i]!
      if (!isStandard(name) || (taken[name] !== undefined && clean(value) !== undefined)) others.add(name, value)
      else if (clean(value) !== undefined) taken[name] = value
    }

    const given = arrival.time === undefined ? Number.NaN : believed(textMicros(arrival.time), arrival)
    const own = taken.timestamp === undefined ? Number.NaN : believed(microsOf(taken.timestamp), arrival)
    const time = Number.isNaN(given) ? own : given
    if (time < arrival.oldestUs) return new Refusal(olderThan(arrival.retentionDays))
    if (taken.timestamp !== undefined && time !== own) rest.add('_timestamp', taken.timestamp)
    if (taken.id !== undefined && taken.id !== '' && !isId(taken.id)) rest.add('_id', taken.id)

    const standard = new JsonObject()
    standard.add('id', isId(taken.id) ? taken.id : uuids.text(arrival.nowUs / 1000))
    standard.add('timestamp', new NumberText(String(Number.isNaN(time) ? arrival.nowUs : time)))
    const message = taken.event_message ?? taken.message
    if (message !== undefined) standard.add('event_message', messageText(message))
    if (taken.event_message !== undefined && taken.message !== undefined) {
      standard.add('message', messageText(taken.message))
    }
    for (let i = 0; i < others.size; i++) rest.add(others.names[i]!, others.values[i]!)
    return { standard, rest }
  }
}

export const messageText = (value: JsonValue): string => (typeof value === 'string' ? value : printJson(value))

const olderThan = (days: number): string =>
  `timestamp is older than the retention of ${days} ${days === 1 ? 'day' : 'days'}`

function isId(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_ID_BYTES
}

function microsOf(value: JsonValue): number {
  if (value instanceof NumberText) return numberMicros(value.text)
  return typeof value === 'string' ? textMicros(value) : Number.NaN
}

/** A clock that runs far ahead is not believed. */
function believed(micros: number, { nowUs }: Arrival): number {
  return micros <= nowUs + MAX_AHEAD_US ? micros : Number.NaN
}
