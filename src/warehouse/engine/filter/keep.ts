/** Filters come beside their parts: made when a part has none, joined when parts are merged. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Part, syncPath } from '../../manifest.ts'
import type { SourceStore, Store } from '../store.ts'
import { buildFilter } from './build.ts'
import { encodeFilter, type Filter, filterFile, joinFilters, MOST_SHARE } from './filter.ts'
import { readFilter } from './filters.ts'

/** Smaller parts are read as quickly as their filter, and are merged soon. */
const LEAST_PART_BYTES = 1024 * 1024

export const keyOf = (source: SourceStore, part: Part): string => `${source.token}/${part.file}`

/** The newest part that should have a filter and has none; the keys are of parts that cannot. */
export const partWithoutFilter = (source: SourceStore, except: ReadonlySet<string>): Part | undefined =>
  source.manifest.parts.findLast(
    (part) => part.filterBytes === undefined && part.bytes >= LEAST_PART_BYTES && !except.has(keyOf(source, part)),
  )

/** Gives a part its filter; false when none can be made. */
export async function addFilter(
  { connection, store }: { connection: DuckDBConnection; store: Store },
  source: SourceStore,
  part: Part,
): Promise<boolean> {
  const filter = await buildFilter(connection, join(source.dir, part.file), part)
  const filterBytes = filter && writeFilter(source, part, filter)
  if (filterBytes === null) return false
  syncPath(dirname(join(source.dir, part.file)))
  const parts = source.manifest.parts.map((other) => (other === part ? { ...part, filterBytes } : other))
  store.commit(source, { ...source.manifest, parts })
  return true
}

/** Writes the filter of a merged part if all its inputs had one; the folder is for the caller to sync. */
export function joinFiltersOf(source: SourceStore, inputs: Part[], merged: Part): number | null {
  const filters = inputs.map(({ file, filterBytes }) =>
    filterBytes === undefined ? null : readFilter(join(source.dir, filterFile(file)), filterBytes),
  )
  const whole = filters.filter((filter) => filter !== null)
  const joined = whole.length === inputs.length ? joinFilters(whole) : null
  return joined && writeFilter(source, merged, joined)
}

/** Null when it would take too much of its part. */
function writeFilter(source: SourceStore, part: Part, filter: Filter): number | null {
  const bytes = encodeFilter(filter)
  if (bytes.length > MOST_SHARE * part.bytes) return null
  const path = join(source.dir, filterFile(part.file))
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w')
  try {
    writeFileSync(file, bytes)
    fsyncSync(file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  return bytes.length
}
