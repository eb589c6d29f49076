/** The SQL of a source as one relation: its parts, its fresh rows, all its columns, nothing past its retention. */
import { join } from 'node:path'
import { emptyRelation, liftColumns, quoteText, readRows } from './columns.ts'
import { retentionFloorUs } from './expire.ts'
import type { SourceStore } from './store.ts'

export type TimeBounds = { fromUs: number | null; toUs: number | null }

const overlaps = (range: { minUs: number; maxUs: number }, fromUs: number, toUs: number): boolean =>
  range.maxUs >= fromUs && range.minUs <= toUs

/** The size of the files that the relation below would open. */
export function bytesInRange(source: SourceStore, bounds: TimeBounds, nowMs: number): number {
  const fromUs = Math.max(retentionFloorUs(source, nowMs), bounds.fromUs ?? 0)
  const toUs = bounds.toUs ?? Number.POSITIVE_INFINITY
  return [...source.manifest.parts, ...source.fresh]
    .filter((file) => overlaps(file, fromUs, toUs))
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

export function sourceRelation(source: SourceStore, bounds: TimeBounds, nowMs: number): string {
  const floor = retentionFloorUs(source, nowMs)
  const fromUs = Math.max(floor, bounds.fromUs ?? floor)
  const toUs = bounds.toUs ?? Number.POSITIVE_INFINITY
  const branches = [emptyRelation(source.fields)]

  // Parts with equal columns are read together, so that the engine opens one footer to bind them instead of all.
  const inRange = source.manifest.parts.filter((part) => overlaps(part, fromUs, toUs))
  for (const parts of Map.groupBy(inRange, (part) => part.shape).values()) {
    const files = parts.map((part) => quoteText(join(source.dir, part.file))).join(', ')
    branches.push(`SELECT * FROM read_parquet([${files}])`)
  }
  const fresh = source.fresh.filter((file) => overlaps(file, fromUs, toUs)).map((file) => file.path)
  if (fresh.length > 0) branches.push(`SELECT ${liftColumns(source.fields)} FROM ${readRows(fresh, source.fields)}`)

  return `SELECT * FROM (${branches.join(' UNION ALL BY NAME ')}) WHERE "timestamp" >= make_timestamp(${floor})`
}
