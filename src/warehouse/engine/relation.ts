/** The SQL of a source as one relation: its parts, its fresh rows, all its columns, nothing past its retention. */
import { join } from 'node:path'
import { flatFields } from '../../model/fields.ts'
import { emptyRelation, liftColumns, quoteText, readRows } from './columns.ts'
import { retentionFloorUs } from './expire.ts'
import type { SourceStore } from './store.ts'
import type { Stretch, Window } from './windows.ts'

export type TimeBounds = { fromUs: number | null; toUs: number | null }

/** A source as it is now, for several statements that must see the same rows. */
export type View = {
  stretches: Stretch[]
  within(bounds: TimeBounds): Window
  relation(window: Window): string
  /** Whether so many whole events can be sorted in little memory. */
  isLight(events: number): boolean
}

/** Sorting takes memory for every column, used or not: two thousand of them were too many for a gigabyte. */
const LIGHT_FIELDS = 200
const LIGHT_BYTES = 64 * 1024 * 1024
/** Parts are about this much smaller than what is read from them. */
const UNPACKED = 8

export function viewOf(source: SourceStore, nowMs: number): View {
  const { manifest } = source
  const fresh = [...source.fresh]
  const floor = retentionFloorUs(source, nowMs)
  const fieldCount = Object.keys(flatFields(source.fields)).length
  const eventBytes = Math.max(
    0,
    ...manifest.parts.map(({ bytes, rows }) => (UNPACKED * bytes) / rows),
    ...fresh.map(({ bytes, rows }) => bytes / rows),
  )
  return {
    isLight: (events) => fieldCount <= LIGHT_FIELDS && events * eventBytes <= LIGHT_BYTES,
    stretches: [...manifest.parts, ...fresh],
    within: ({ fromUs, toUs }) => ({
      fromUs: Math.max(floor, fromUs ?? floor),
      toUs: toUs ?? Number.MAX_SAFE_INTEGER,
    }),
    relation: (window) => sourceRelation({ ...source, manifest, fresh }, window, nowMs),
  }
}

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
