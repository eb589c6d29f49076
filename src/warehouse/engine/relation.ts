/** The SQL of a source as one relation: its parts, its fresh rows, all its columns, nothing past its retention. */
import { join } from 'node:path'
import { flatFields } from '../../model/fields.ts'
import type { Part } from '../manifest.ts'
import { emptyRelation, liftColumns, quoteText, readRows } from './columns.ts'
import { retentionFloorUs } from './expire.ts'
import type { Filters } from './filter/filters.ts'
import { candidatesFor, type Sought } from './filter/seek.ts'
import type { FreshFile, SourceStore } from './store.ts'
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

export function viewOf(source: SourceStore, nowMs: number, look: Look | null = null): View {
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
    relation(window) {
      const seen = { ...source, manifest, fresh }
      return relationOf(seen, readingOf(seen, window, nowMs, look))
    },
  }
}

const overlaps = (range: { minUs: number; maxUs: number }, fromUs: number, toUs: number): boolean =>
  range.maxUs >= fromUs && range.minUs <= toUs

/** What a query asks of a source: the files to read, and the times in them that need no reading. */
export type Reading = Window & { parts: Part[]; fresh: FreshFile[]; gaps: Window[] }

export type Look = { sought: Sought; filters: Filters }

/** With `look`, parts in which nothing that is sought can be are left out. */
export function readingOf(source: SourceStore, bounds: TimeBounds, nowMs: number, look: Look | null = null): Reading {
  const floor = retentionFloorUs(source, nowMs)
  const fromUs = Math.max(floor, bounds.fromUs ?? floor)
  const toUs = bounds.toUs ?? Number.MAX_SAFE_INTEGER
  const inRange = source.manifest.parts.filter((part) => overlaps(part, fromUs, toUs))
  const { parts, gaps } = look
    ? candidatesFor(source.dir, inRange, look.sought, look.filters)
    : { parts: inRange, gaps: [] }
  return { fromUs, toUs, parts, gaps, fresh: source.fresh.filter((file) => overlaps(file, fromUs, toUs)) }
}

/** The size of the files that are opened. */
export const bytesOf = ({ parts, fresh }: Reading): number =>
  [...parts, ...fresh].reduce((sum, { bytes }) => sum + bytes, 0)

/** How many rows those files have. */
export const rowsOf = ({ parts, fresh }: Reading): number =>
  [...parts, ...fresh].reduce((sum, { rows }) => sum + rows, 0)

export const sourceRelation = (source: SourceStore, bounds: TimeBounds, nowMs: number): string =>
  relationOf(source, readingOf(source, bounds, nowMs))

/**
 * Rows outside the reading's times are left out. Where all files lie within them nothing is asked of the rows, which
 * halves the cost of simple counts. Parts are listed from the newest on, so that a search for the newest rows finds
 * early what later parts must beat.
 */
export function relationOf(source: SourceStore, { fromUs, toUs, parts, fresh, gaps }: Reading): string {
  const within = (files: { minUs: number; maxUs: number }[], skipped: Window[]): string => {
    const conditions = skipped.map(
      (gap) => `("timestamp" < make_timestamp(${gap.fromUs}) OR "timestamp" > make_timestamp(${gap.toUs}))`,
    )
    if (files.some(({ minUs }) => minUs < fromUs)) conditions.push(`"timestamp" >= make_timestamp(${fromUs})`)
    if (files.some(({ maxUs }) => maxUs > toUs)) conditions.push(`"timestamp" <= make_timestamp(${toUs})`)
    return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  }

  const newestFirst = parts.toSorted((a, b) => b.maxUs - a.maxUs)
  const shapes = Map.groupBy(newestFirst, (part) => part.shape)
  const branches = [...shapes.values()].map((alike) => {
    // Parts with equal columns are read together, so that the engine opens one footer to bind them instead of all.
    const files = alike.map((part) => quoteText(join(source.dir, part.file))).join(', ')
    return `SELECT * FROM read_parquet([${files}])${within(alike, gaps)}`
  })
  // Through a union the engine does not see which fields of an object are needed, and reads all of them.
  if (branches.length === 1 && fresh.length === 0 && shapes.has(source.shape)) return branches[0]!

  if (fresh.length > 0) {
    const paths = fresh.map(({ path }) => path)
    const rows = `SELECT ${liftColumns(source.fields)} FROM ${readRows(paths, source.fields)}`
    branches.push(`SELECT * FROM (${rows})${within(fresh, [])}`)
  }
  return [emptyRelation(source.fields), ...branches].join(' UNION ALL BY NAME ')
}
