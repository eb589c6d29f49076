import type { Buffers } from '../base/buffers.ts'
import type { Clock } from '../base/clock.ts'
import type { Frame, Position } from '../model/journal.ts'
import type { Delivery } from './formats/format.ts'
import { Intake } from './intake.ts'
import { NameCache } from './json/read.ts'
import { createPipelines } from './pipeline/pipeline.ts'
import type { Lookup } from './pipeline/step.ts'
import { accountKey } from './quotas.ts'
import type { Rates } from './rates.ts'
import { type RejectedEvent, rejectedEvents } from './rejects.ts'
import { Rows } from './scan/rows.ts'
import { createUuids } from './scan/uuids.ts'
import type { Schemas } from './schema/schemas.ts'
import type { IngestSource } from './source.ts'

/**
 * The write flow: events of one request come in, their rows are durable when it answers.
 *
 * Promises: what is counted as accepted is in the journal, with every field it uses, before `accept` resolves; an
 * event that cannot be stored is refused alone, by its number in the request.
 * Refuses as a whole (a fault): a body that is no JSON, an unknown content type, a journal that cannot take more.
 */
export type Receipt = {
  accepted: number
  /** The first refusals, in the order of the events; `refusedCount` counts all. */
  refused: { index: number; reason: string }[]
  refusedCount: number
}

export type AcceptParts = {
  schemas: Schemas
  rates: Rates
  clock: Clock
  buffers: Buffers
  journal: { append(frames: Frame[]): Promise<Position> }
  /** Only asked for sources with enrichment rules; answers when the account's entries are in memory. */
  keyValues: { lookupFor(source: IngestSource): Promise<Lookup> | Lookup }
  rejected: { record(source: IngestSource, entries: RejectedEvent[]): void }
  counters: { count(source: IngestSource, counts: IngestCounts): void }
}

export type IngestCounts = { accepted: number; refused: number; unfit: number; bytes: number }

export type Accept = (delivery: Delivery) => Promise<Receipt>

export function createAccept(parts: AcceptParts): Accept {
  const { schemas, rates, clock, buffers, journal, keyValues, rejected, counters } = parts
  const uuids = createUuids()
  const pipelines = createPipelines({ schemas, uuids })
  const names = new NameCache()

  return async function accept(delivery) {
    const { source, format, body, headers } = delivery
    format.check(headers)
    const pipeline = pipelines.of(source)
    const fields = schemas.of(source.token)
    const lookup = pipeline.usesKeyValues ? await keyValues.lookupFor(source) : nothing
    const nowMs = clock.nowMs()
    const rows = new Rows({ uuids, buffers }, nowMs, body.length + (body.length >> 2) + 512)
    const arrival = arrivalOf(source, nowMs, format.time(headers))
    const intake = new Intake({ body, arrival, fields, pipeline, lookup, rows, names })

    const bytes = await stored(source.token, rows, () => format.read(intake, delivery))

    const { refused, refusedCount, unfitCount } = intake
    rates.of(source.token).count(rows.count)
    rates.of(accountKey(source.account_id)).count(rows.count)
    const accepted = rows.count
    counters.count(source, { accepted, refused: refusedCount, unfit: unfitCount, bytes })
    if (refusedCount > 0) rejected.record(source, rejectedEvents(body, refused, nowMs))
    return { accepted, refused: refused.map(({ index, reason }) => ({ index, reason })), refusedCount }
  }

  /** Fills the rows and makes them durable; their memory is free again afterwards, whatever happens. */
  async function stored(source: string, rows: Rows, fill: () => Promise<void>): Promise<number> {
    try {
      await fill()
      const bytes = rows.body.length
      await append(source, rows)
      return bytes
    } finally {
      rows.release()
    }
  }

  /** Fields that an earlier append failed to store go with this one, as its rows may use them too. */
  async function append(source: string, rows: Rows): Promise<void> {
    if (rows.count === 0) return
    const { count, minUs, maxUs, body } = rows
    const newFields = schemas.of(source).unjournaled()
    const events: Frame = { kind: 'events', source, count, minUs, maxUs, body }
    if (newFields === null) {
      await journal.append([events])
      return
    }
    const text = Buffer.from(JSON.stringify(newFields))
    const end = await journal.append([{ kind: 'fields', source, count: 0, minUs: 0, maxUs: 0, body: text }, events])
    schemas.confirmed(source, newFields, end)
  }
}

const nothing: Lookup = () => undefined

function arrivalOf(source: IngestSource, nowMs: number, time: string | undefined) {
  const retentionDays = source.retention_days
  return { nowUs: nowMs * 1000, oldestUs: (nowMs - retentionDays * 86_400_000) * 1000, retentionDays, time }
}

/** The sentence a sender gets for a refused event. */
export const refusalText = ({ index, reason }: { index: number; reason: string }): string => `event ${index}: ${reason}`
