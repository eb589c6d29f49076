/** One event by its id, and the events around it. */
import { Fault } from '../../base/faults.ts'
import type { Source } from '../../model/source.ts'
import type { Cursor } from '../../warehouse/protocol.ts'
import { boundText, type PageRequest, type Place } from '../place.ts'
import type { SearchParts } from './question.ts'

export const CONTEXT_EVENTS = 50
const ID_BYTES_MAX = 256
const HOUR_US = 3_600_000_000

export type EventQuestion = {
  source: Source
  id: string
  /** About when it happened, in microseconds, if the caller knows: looked at first. */
  nearUs: number | undefined
  signal?: AbortSignal | undefined
}

/** JSON texts; the lists are oldest first, so that the three read on from each other. */
export type Context = { before: Buffer; event: Buffer; after: Buffer }

export function createEvents({ places, timeoutMs }: SearchParts) {
  const whole = {
    where: 'TRUE',
    params: [],
    select: null,
    fromUs: null,
    toUs: null,
    before: null,
    after: null,
    from: 'newest',
    listed: 'oldest first',
    timeoutMs,
  } satisfies Partial<PageRequest>

  async function find(place: Place, { id, nearUs, signal }: EventQuestion): Promise<Buffer | null> {
    if (Buffer.byteLength(id) > ID_BYTES_MAX) return null
    const needles = { contains: [], equals: [{ field: 'id', anyOf: [id] }] }
    const { sql, params } = boundText(place, id)
    const ask = { ...whole, where: `${place.words.column('id')} = ${sql}`, params, needles, limit: 1 }
    for (const us of [nearUs, uuidTimeUs(id)]) {
      if (us === undefined) continue
      const near = await place.search({ ...ask, fromUs: us - HOUR_US, toUs: us + HOUR_US }, signal)
      if (near.cost.rows > 0) return near.body
    }
    const { body, cost } = await place.search(ask, signal)
    return cost.rows > 0 ? body : null
  }

  return {
    /** The newest events of a source, oldest first. */
    async recent(source: Source, limit: number): Promise<Buffer> {
      try {
        return (await (await places.of(source)).search({ ...whole, limit })).body
      } catch (error) {
        // The statement is ours: its failing is nothing the caller could have written differently.
        if (error instanceof Fault && (error.code === 'query_failed' || error.code === 'bad_request'))
          throw new Fault('unavailable', 'The newest events cannot be read now. Try again in a moment.', error.message)
        throw error
      }
    },

    /** `null`: the source has no such event. Of several with one id the newest. */
    async event(question: EventQuestion): Promise<Buffer | null> {
      const found = await find(await places.of(question.source), question)
      return found && withoutBrackets(found)
    },

    async context(question: EventQuestion): Promise<Context | null> {
      const place = await places.of(question.source)
      const found = await find(place, question)
      if (!found) return null
      const at = cursorOf(found)
      const ask = { ...whole, limit: CONTEXT_EVENTS }
      const [before, after] = await Promise.all([
        place.search({ ...ask, before: at }, question.signal),
        place.search({ ...ask, after: at, from: 'oldest' }, question.signal),
      ])
      return { before: before.body, event: withoutBrackets(found), after: after.body }
    },
  }
}

/** Ids made here begin with the time of their making, which is mostly the time of the event too. */
function uuidTimeUs(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? []
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16) * 1000
}

const withoutBrackets = (list: Buffer): Buffer => list.subarray(1, -1)

function cursorOf(list: Buffer): Cursor {
  const [{ timestamp, id }]: [{ timestamp: number; id: string }] = JSON.parse(list.toString())
  return { us: timestamp, id, seen: 1 }
}
