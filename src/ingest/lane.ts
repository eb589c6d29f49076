import type { Buffers } from '../base/buffers.ts'
import { printRow, printString } from './json/print.ts'
import type { JsonObject } from './json/value.ts'
import type { Pipeline, Pipelines } from './pipeline/pipeline.ts'
import type { Lookup } from './pipeline/step.ts'
import { Copies } from './routing/copies.ts'
import type { Routes, Sieves } from './routing/routing.ts'
import type { Sieve } from './routing/sieve.ts'
import { Rows } from './scan/rows.ts'
import type { Scan } from './scan/scan.ts'
import type { Uuids } from './scan/uuids.ts'
import type { Schemas } from './schema/schemas.ts'
import type { SourceFields } from './schema/source-fields.ts'
import type { IngestSource } from './source.ts'

type LaneParts = {
  source: IngestSource
  schemas: Schemas
  pipeline: Pipeline
  lookup: Lookup
  sieve: Sieve | null
  rows: Rows
  nowMs: number
}

/** A source as one request writes to it: whatever way an event comes, it is filtered, stored and marked for copying here. */
export class Lane {
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

  constructor({ source, schemas, pipeline, lookup, sieve, rows, nowMs }: LaneParts) {
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
  }

  /** Whether events whose bytes will do as they are may stay bytes. */
  get takesBytes(): boolean {
    return !this.pipeline.isNeeded
  }

  /** Takes an event that the scan found to be fine as it is; false when it must be built to be judged. */
  takeBytes(bytes: Buffer, from: number, to: number, scan: Scan, timestampUs: number): boolean {
    const { sieve, rows } = this
    if (sieve === null) {
      rows.copy(bytes, from, to, scan.idFrom, scan.idTo, timestampUs)
      return true
    }
    if (scan.idFrom < 0 && sieve.asksForId) return false
    sieve.seeScanned(bytes, scan, this.fields, timestampUs)
    if (sieve.isDropped) this.droppedCount++
    else {
      rows.copy(bytes, from, to, scan.idFrom, scan.idTo, timestampUs)
      this.copies.mark(sieve, rows)
    }
    return true
  }

  /** Takes a row of another source whose event the scan found to be fine here too; false when it must be built. */
  takeRow(bytes: Buffer, from: number, to: number, scan: Scan, timestampUs: number): boolean {
    const { sieve, rows } = this
    if (sieve !== null) {
      if (scan.idFrom < 0 && sieve.asksForId) return false
      sieve.seeScanned(bytes, scan, this.fields, timestampUs)
    }
    if (sieve?.isDropped) this.droppedCount++
    else rows.copyRow(bytes, from, to, timestampUs)
    return true
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
    rows.write(printString(id), timestampUs, printRow(stored))
    this.unfitCount += unfitCount
    if (sieve !== null) this.copies.mark(sieve, rows)
  }
}

const DAY_MS = 86_400_000

export type Lanes = {
  open(source: IngestSource, routes: Routes, nowMs: number, expectedBytes: number): Promise<Lane>
}

export type LanesParts = {
  schemas: Schemas
  pipelines: Pipelines
  sieves: Sieves
  uuids: Uuids
  buffers: Buffers
  /** Only asked for sources with enrichment rules; answers when the account's entries are in memory. */
  keyValues: { lookupFor(source: IngestSource): Promise<Lookup> | Lookup }
}

export function createLanes({ schemas, pipelines, sieves, uuids, buffers, keyValues }: LanesParts): Lanes {
  return {
    async open(source, routes, nowMs, expectedBytes) {
      const pipeline = pipelines.of(source)
      const lookup = pipeline.usesKeyValues ? await keyValues.lookupFor(source) : nothing
      const rows = new Rows({ uuids, buffers }, nowMs, expectedBytes)
      return new Lane({ source, schemas, pipeline, lookup, sieve: sieves.of(source, routes), rows, nowMs })
    },
  }
}

const nothing: Lookup = () => undefined
