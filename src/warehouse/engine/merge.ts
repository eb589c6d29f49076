/**
 * Merges small parts of one day into larger ones, by size tiers: each row is rewritten about once per tier. The merged
 * part takes the place of its inputs in one manifest; the inputs are deleted once no query can still read them.
 */
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Part, syncPath } from '../manifest.ts'
import { emptyRelation, quoteText } from './columns.ts'
import { dayNumber } from './days.ts'
import { makeRoom } from './duck.ts'
import { joinFiltersOf } from './filter/keep.ts'
import { writePart } from './load.ts'
import { filesOf, type SourceStore, type Store } from './store.ts'

/**
 * Parts below `belowBytes` are merged once there are `fanIn` of them in a day; larger ones are left alone. At full rate a
 * load makes parts of some 8 MB, so an event is rewritten once more at most, into parts of some 100 MB.
 */
const TIERS = [
  { belowBytes: 4 * 1024 * 1024, fanIn: 8 },
  { belowBytes: 32 * 1024 * 1024, fanIn: 16 },
]

const tierOf = (part: Part): number => TIERS.findIndex(({ belowBytes }) => part.bytes < belowBytes)

/** The parts to merge next, or null when the day's parts are few enough. Neighbours in load order, so that time ranges stay narrow. */
export function chooseMerge(parts: Part[]): Part[] | null {
  for (const [tier, { fanIn }] of TIERS.entries()) {
    const days = Map.groupBy(
      parts.filter((part) => tierOf(part) === tier),
      (part) => part.day,
    )
    for (const group of days.values()) if (group.length >= fanIn) return group.slice(0, fanIn)
  }
  return null
}

export async function merge(
  { connection, store }: { connection: DuckDBConnection; store: Store },
  source: SourceStore,
  parts: Part[],
): Promise<void> {
  const files = parts.map((part) => quoteText(join(source.dir, part.file))).join(', ')
  const shapes = new Set(parts.map((part) => part.shape))
  const isMixed = shapes.size > 1
  // Parts with differing columns are brought to the columns known now, so that they can be read together from then on.
  const select = isMixed
    ? `${emptyRelation(source.fields)} UNION ALL BY NAME SELECT * FROM read_parquet([${files}], union_by_name = true)`
    : `SELECT * FROM read_parquet([${files}])`
  const shape = isMixed ? source.shape : parts[0]!.shape
  await makeRoom(connection, source.fields)
  const merged = await writePart(connection, source, source.manifest.nextPart, select, {
    day: dayNumber(parts[0]!.minUs),
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
    minUs: Math.min(...parts.map((part) => part.minUs)),
    maxUs: Math.max(...parts.map((part) => part.maxUs)),
    shape,
  })
  const path = join(source.dir, merged.file)
  syncPath(path)
  const filter = joinFiltersOf(source, parts, merged)
  if (filter) merged.filter = filter
  syncPath(join(source.dir, merged.day))
  const { manifest } = source
  const at = manifest.parts.indexOf(parts[0]!)
  const kept = manifest.parts.filter((part) => !parts.includes(part))
  kept.splice(Math.min(at, kept.length), 0, merged)
  store.commit(source, { ...manifest, nextPart: manifest.nextPart + 1, parts: kept })
  store.retire(filesOf(source, parts))
}
