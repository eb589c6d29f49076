import type { Buffers } from '../base/buffers.ts'
import { readString } from './json/read.ts'
import type { JsonObject } from './json/value.ts'
import type { Pipeline, Pipelines } from './pipeline/pipeline.ts'
import type { Lookup } from './pipeline/step.ts'
import { Copies } from './routing/copies.ts'
import type { Routes, Sieves } from './routing/routing.ts'
import type { Sieve } from './routing/sieve.ts'
import { idOfRow, Rows } from './scan/rows.ts'
import type { Scan } from './scan/scan.ts'
import { sentEvent } from './scan/sent-event.ts'
import type { Uuids } from './scan/uuids.ts'
import type { Schemas } from './schema/schemas.ts'
import type { SourceFields } from './schema/source-fields.ts'
import type { IngestSource } from './source.ts'

type BatchParts = {
  source: IngestSource
  schemas: Schemas
  pipeline: Pipeline
  lookup: Lookup
  sieve: Sieve | null
  uuids: Uuids
  rows: Rows
  nowMs: number
}

/** A source as one request writes to it: whatever way an event comes, it is filtered, stored and marked for copying here. */
export class Batch {
  readonly source: IngestSource
  readonly fields: SourceFields
  readonly pipeline: Pipeline
  readonly rows: Rows
  readonly sieve: Sieve | null
  readonly copies: Copies
  readonly nowUs: number
  /** Events before this are past the source's retention. */
  readonly oldestUs: number
  droppedCount = 0
  unfitCount = 0
  readonly #schemas: Schemas
  readonly #lookup: Lookup
  readonly #uuids: Uuids

  constructor({ source, schemas, pipeline, lookup, sieve, uuids, rows, nowMs }: BatchParts) {
    this.source = source
    this.fields = schemas.of(source.token)
    this.pipeline = pipeline
    this.rows = rows
    this.sieve = sieve
    this.copies = new Copies(sieve?.targets.length ?? 0)
    this.nowUs = nowMs * 1000
    this.oldestUs = (nowMs - source.retention_days * DAY_MS) * 1000
    this.#schemas = schemas
    this.#lookup = lookup
    this.#uuids = uuids
  }

  /** Takes an event that the scan found to be fine as it is. */
  takeBytes(bytes: Buffer, from: number, to: number, scan: Scan, timestampUs: number): void {
    const { sieve, rows } = this
    if (this.pipeline.isNeeded || (scan.idFrom < 0 && sieve?.asksForId)) {
      const id = scan.idFrom < 0 ? this.#uuids.text(this.nowUs / 1000) : readString(bytes, scan.idFrom, scan.idTo)
      this.take(sentEvent(bytes, scan, this.fields, id, timestampUs))
      return
    }
    sieve?.seeScanned(bytes, scan, this.fields, timestampUs)
    if (sieve?.isDropped) {
      this.droppedCount++
      return
    }
    rows.copy(bytes, from, to, scan.idFrom, scan.idTo, timestampUs)
    if (sieve !== null) this.copies.mark(sieve, rows)
  }

  /** Takes a row of another source whose event the scan found to be fine here too. */
  takeRow(bytes: Buffer, from: number, to: number, scan: Scan, timestampUs: number): void {
    const { sieve, rows } = this
    if (this.pipeline.isNeeded || (scan.idFrom < 0 && sieve?.asksForId)) {
      this.take(sentEvent(bytes, scan, this.fields, idOfRow(bytes, from), timestampUs))
      return
    }
    sieve?.seeScanned(bytes, scan, this.fields, timestampUs)
    if (sieve?.isDropped) this.droppedCount++
    else rows.copyRow(bytes, from, to, timestampUs)
  }

  /** Takes an event with standard fields and legal names. */
  take(event: JsonObject): void {
    const { sieve, rows, fields } = this
    this.pipeline.transform(event, this.#lookup)
    const { id, timestampUs, stored, unfitCount } = this.pipeline.fit(event, fields)
    sieve?.seeStored(stored, id, timestampUs)
    if (sieve?.isDropped) {
      // Its fields must not stay behind: a filter is often there to keep them out.
      fields.takeBack()
      this.droppedCount++
      return
    }
    if (fields.hasFresh) fields.settle(this.#schemas.isSampled(this.source.token))
    rows.write(id, timestampUs, stored)
    this.unfitCount += unfitCount
    if (sieve !== null) this.copies.mark(sieve, rows)
  }
}

const DAY_MS = 86_400_000

export type Batches = {
  /** Waits only for key-values that are not in memory. */
  open(source: IngestSource, routes: Routes, nowMs: number, expectedBytes: number): Promise<Batch> | Batch
}

export type BatchesParts = {
  schemas: Schemas
  pipelines: Pipelines
  sieves: Sieves
  uuids: Uuids
  buffers: Buffers
  /** Only asked for sources with enrichment rules; answers when the account's entries are in memory. */
  keyValues: { lookupFor(source: IngestSource): Promise<Lookup> | Lookup }
}

export function createBatches({ schemas, pipelines, sieves, uuids, buffers, keyValues }: BatchesParts): Batches {
  return {
    open(source, routes, nowMs, expectedBytes) {
      const pipeline = pipelines.of(source)
      const openWith = (lookup: Lookup): Batch => {
        const rows = new Rows({ uuids, buffers }, nowMs, expectedBytes)
        const sieve = sieves.of(source, routes)
        return new Batch({ source, schemas, pipeline, lookup, sieve, uuids, rows, nowMs })
      }
      const lookup = pipeline.usesKeyValues ? keyValues.lookupFor(source) : nothing
      return lookup instanceof Promise ? lookup.then(openWith) : openWith(lookup)
    },
  }
}

const nothing: Lookup = () => undefined
