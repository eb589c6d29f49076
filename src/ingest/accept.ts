import type { Clock } from '../base/clock.ts'
import type { Frame, Position } from '../model/journal.ts'
import { createAppend } from './append.ts'
import { type Batch, type BatchesParts, createBatches } from './batch.ts'
import type { Delivery } from './formats/format.ts'
import { Intake } from './intake.ts'
import { skipSpace } from './json/bytes.ts'
import { NameCache } from './json/read.ts'
import { createPipelines } from './pipeline/pipeline.ts'
import { accountKey } from './quotas.ts'
import type { Rates } from './rates.ts'
import { type RejectedEvent, rejectedEvents } from './rejects.ts'
import { createRouter } from './routing/fan-out.ts'
import { createSieves, type RoutesOf } from './routing/routing.ts'
import { Scratch } from './scan/scratch.ts'
import { createUuids } from './scan/uuids.ts'
import type { IngestSource } from './source.ts'

/**
 * The write flow: events of one request come in, their rows are durable when it answers.
 *
 * Promises: what is counted as accepted is in the journal, with every field it uses and every copy that rules ask for,
 * before `accept` resolves; an event that cannot be stored is refused alone, by its number in the request.
 * Refuses as a whole (a fault): a body that is no JSON, an unknown content type, a journal that cannot take more.
 */
export type Receipt = {
  accepted: number
  /** Events that met the drop filter; their sender is not told. */
  dropped: number
  /** The first refusals, in the order of the events; `refusedCount` counts all. */
  refused: { index: number; reason: string }[]
  refusedCount: number
}

export type AcceptParts = Pick<BatchesParts, 'schemas' | 'buffers' | 'keyValues'> & {
  rates: Rates
  clock: Clock
  routesOf: RoutesOf
  /** Throws, or rejects, while no events can be taken for the source. */
  assertRoom?(source: IngestSource): void | Promise<void>
  journal: { append(frames: Frame[]): Promise<Position> }
  rejected: { record(source: IngestSource, entries: RejectedEvent[]): void }
  counters: { count(source: IngestSource, counts: IngestCounts): void }
}

/** What one request did to one source. Copies are counted where they were stored, and not as accepted. */
export type IngestCounts = {
  accepted: number
  copied: number
  refused: number
  dropped: number
  unfit: number
  bytes: number
}

export type Accept = (delivery: Delivery) => Promise<Receipt>

export function createAccept(parts: AcceptParts): Accept {
  const { schemas, rates, clock, routesOf, assertRoom, journal, rejected, counters } = parts
  const uuids = createUuids()
  const batches = createBatches({
    ...parts,
    uuids,
    pipelines: createPipelines({ uuids }),
    sieves: createSieves({ clock }),
  })
  const router = createRouter({ batches })
  const append = createAppend({ schemas, journal })
  const names = new NameCache()
  const scratch = new Scratch()

  return async function accept(delivery) {
    const { source, format, body, headers } = delivery
    format.check(headers)
    const room = assertRoom?.(source)
    if (room) await room
    const known = routesOf(source)
    const routes = known instanceof Promise ? await known : known
    const nowMs = clock.nowMs()
    const isBinary = format.isBinary?.(headers) ?? false
    // Binary bodies are denser than the rows that are made of them.
    const expectedBytes = (isBinary ? body.length * 3 : body.length + (body.length >> 2)) + 512
    const opened = batches.open(source, routes, nowMs, expectedBytes)
    const batch = opened instanceof Promise ? await opened : opened
    const open = [batch]
    try {
      const intake = new Intake({ body, batch, time: format.time(headers), names, scratch })
      const isEmpty = (isBinary ? 0 : skipSpace(body, 0)) === body.length
      if (!format.takesEmpty || !isEmpty) await format.read(intake, delivery)
      if (batch.sieve !== null) await router.fanOut(batch, open)
      // A source that was deleted meanwhile has nothing to find its rows by.
      const kept = open.filter(({ source, fields }) => schemas.isCurrent(source.token, fields))
      // Copies too: a rule may lead to a source that takes none now, and then nothing is stored.
      for (const each of kept) {
        const roomThere = assertRoom?.(each.source)
        if (roomThere) await roomThere
      }
      await append(kept)

      const { refused, refusedCount } = intake
      for (const each of kept) count(each, each === batch ? refusedCount : 0, each === batch)
      rates.of(accountKey(source.account_id)).count(batch.rows.count)
      if (refusedCount > 0)
        rejected.record(source, rejectedEvents(body, refused, nowMs, isBinary ? format.show : undefined))
      const told = refused.map(({ index, reason }) => ({ index, reason }))
      return { accepted: batch.rows.count, dropped: batch.droppedCount, refused: told, refusedCount }
    } finally {
      // Their memory is free again, whatever happened.
      for (const { rows } of open) rows.release()
    }
  }

  /** A copy counts for the target it is stored in; the account that sent one event is not charged for two. */
  function count({ source, rows, droppedCount, unfitCount }: Batch, refused: number, isSent: boolean): void {
    rates.of(source.token).count(rows.count)
    counters.count(source, {
      accepted: isSent ? rows.count : 0,
      copied: isSent ? 0 : rows.count,
      refused,
      dropped: droppedCount,
      unfit: unfitCount,
      bytes: rows.body.length,
    })
  }
}

/** The sentence a sender gets for a refused event. */
export const refusalText = ({ index, reason }: { index: number; reason: string }): string => `event ${index}: ${reason}`
