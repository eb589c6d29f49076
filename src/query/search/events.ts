/** One event by its id, and the events around it. */
import { duckdb } from '../../lql/sql/duckdb.ts'
import type { Source } from '../../model/source.ts'
import type { Cursor, SearchRequest } from '../../warehouse/protocol.ts'
import { inWords } from './failures.ts'
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

export function createEvents({ warehouse, timeoutMs }: SearchParts) {
  const whole = {
    where: 'TRUE',
    select: null,
    fromUs: null,
    toUs: null,
    before: null,
    after: null,
    from: 'newest',
    listed: 'oldest first',
    timeoutMs,
  } satisfies Partial<SearchRequest>

  async function find({ source, id, nearUs, signal }: EventQuestion): Promise<Buffer | null> {
    if (Buffer.byteLength(id) > ID_BYTES_MAX) return null
    const needles = { contains: [], equals: [{ field: 'id', anyOf: [id] }] }
    const ask = { ...whole, token: source.token, where: `"id" = ${duckdb.literal(id)}`, needles, limit: 1 }
    for (const us of [nearUs, uuidTimeUs(id)]) {
      if (us === undefined) continue
      const near = await warehouse.search({ ...ask, fromUs: us - HOUR_US, toUs: us + HOUR_US }, signal)
      if (near.cost.rows > 0) return near.body
    }
    const { body, cost } = await warehouse.search(ask, signal)
    return cost.rows > 0 ? body : null
  }

  return {
    /** `null`: the source has no such event. Of several with one id the newest. */
    async event(question: EventQuestion): Promise<Buffer | null> {
      const found = await inWords(find(question))
      return found && withoutBrackets(found)
    },

    async context(question: EventQuestion): Promise<Context | null> {
      const found = await inWords(find(question))
      if (!found) return null
      const place = placeOf(found)
      const ask = { ...whole, token: question.source.token, limit: CONTEXT_EVENTS }
      const [before, after] = await inWords(
        Promise.all([
          warehouse.search({ ...ask, before: place }, question.signal),
          warehouse.search({ ...ask, after: place, from: 'oldest' }, question.signal),
        ]),
      )
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

function placeOf(list: Buffer): Cursor {
  const [{ timestamp, id }]: [{ timestamp: number; id: string }] = JSON.parse(list.toString())
  return { us: timestamp, id, seen: 1 }
}
