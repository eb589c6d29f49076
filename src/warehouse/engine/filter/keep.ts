/** Filters come beside their parts: made when queries look for what a part has no marks of, joined when parts are merged. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Part, syncPath } from '../../manifest.ts'
import type { SourceStore, Store } from '../store.ts'
import { buildFilter, type Plan, planFilter } from './build.ts'
import {
  encodeFilter,
  type Filter,
  filterFile,
  joinFilters,
  MESSAGE,
  MOST_SHARE,
  openFilter,
  sectionOf,
} from './filter.ts'
import { readFilter } from './filters.ts'

/** Smaller parts are read as quickly as their filter, and are merged soon. */
const LEAST_PART_BYTES = 1024 * 1024

/** A part and what its filter is to be made for. */
export const keyOf = (source: SourceStore, part: Part): string =>
  `${source.token}/${part.file} ${[...source.wanted].join(' ')}`

/** The newest part whose filter was not made for all that is wanted; the keys are of parts that cannot have it. */
export const partWithoutFilter = (source: SourceStore, except: ReadonlySet<string>): Part | undefined =>
  source.manifest.parts.findLast(
    (part) =>
      part.bytes >= LEAST_PART_BYTES &&
      [...source.wanted].some((field) => !part.filter?.fields.includes(field)) &&
      !except.has(keyOf(source, part)),
  )

/** At a start: what a crash left of a filter is none, and the part can get another. */
export function forgetLostFilters(source: SourceStore): void {
  const isWhole = ({ file, filter }: Part): boolean =>
    statSync(join(source.dir, filterFile(file)), { throwIfNoEntry: false })?.size === filter?.bytes
  const parts = source.manifest.parts.map((part): Part => {
    const { filter, ...rest } = part
    return filter && !isWhole(part) ? rest : part
  })
  source.manifest = { ...source.manifest, parts }
}

/** Gives a part its filter; false when none can be made. */
export async function addFilter(
  { connection, store }: { connection: DuckDBConnection; store: Store },
  source: SourceStore,
  part: Part,
): Promise<boolean> {
  const path = join(source.dir, part.file)
  const fields = [...source.wanted]
  const plan = await planFilter(connection, path, new Set(fields))
  const filter = hasAll(source, part, plan)
    ? { bytes: part.filter!.bytes, fields }
    : await makeFilter(connection, source, part, plan, fields)
  if (!filter) return false
  const parts = source.manifest.parts.map((other) => (other === part ? { ...part, filter } : other))
  store.commit(source, { ...source.manifest, parts })
  return true
}

/** Most fields that are asked for are not worth marking (a level, a service): then the filter stays as it is. */
function hasAll(source: SourceStore, part: Part, { hasTrigrams, fields }: Plan): boolean {
  const known = part.filter && readFilter(join(source.dir, filterFile(part.file)), part.filter.bytes)
  if (!known) return false
  return (
    (!hasTrigrams || sectionOf(known, 'trigrams', MESSAGE) !== undefined) &&
    fields.every(({ field }) => sectionOf(known, 'values', field) !== undefined)
  )
}

async function makeFilter(
  connection: DuckDBConnection,
  source: SourceStore,
  part: Part,
  plan: Plan,
  fields: string[],
): Promise<Part['filter'] | null> {
  const path = join(source.dir, part.file)
  const made = await buildFilter(connection, path, part, plan)
  const filter = made && writeFilter(source, part, made, fields)
  if (filter) syncPath(dirname(path))
  return filter
}

/** Writes the filter of a merged part if all its larger inputs had one; the folder is for the caller to sync. */
export function joinFiltersOf(source: SourceStore, inputs: Part[], merged: Part): Part['filter'] | null {
  const filters = inputs.map(({ file, filter }) =>
    filter ? readFilter(join(source.dir, filterFile(file)), filter.bytes) : null,
  )
  const model = filters.find((filter) => filter !== null)
  if (!model || inputs.some(({ bytes }, i) => !filters[i] && bytes >= LEAST_PART_BYTES)) return null
  const joined = joinFilters(inputs.map((part, i) => filters[i] ?? openFilter(model, part)))
  const [first, ...rest] = inputs.flatMap(({ filter }) => (filter ? [filter.fields] : []))
  const shared = first!.filter((field) => rest.every((fields) => fields.includes(field)))
  return joined && writeFilter(source, merged, joined, shared)
}

/** Null when it would take too much of its part. */
function writeFilter(source: SourceStore, part: Part, filter: Filter, fields: string[]): Part['filter'] | null {
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
  return { bytes: bytes.length, fields }
}
