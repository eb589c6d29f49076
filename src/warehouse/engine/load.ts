/**
 * Turns fresh rows into parts, exactly once: the parts are written and synced first, then the manifest that names them
 * together with the new position replaces the old one by rename. Whatever a crash leaves behind before the rename is a
 * file nobody names, and is swept at the next start.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type Fields, flatFields } from '../../model/fields.ts'
import { type Manifest, type Part, syncPath } from '../manifest.ts'
import { checksumOf } from './checksum.ts'
import { liftColumns, quoteText, readRows } from './columns.ts'
import { dayName, dayNumber, startOfDayUs } from './days.ts'
import { makeRoom } from './duck.ts'
import { type FreshFile, filesOf, folderFor, type SourceStore, type Store } from './store.ts'

/** Parts of about this many bytes of raw rows each: large enough to compress, small enough to be visible soon. */
const LOAD_BYTES = 64 * 1024 * 1024

/**
 * Measured on 200,000 log events: level 1 with the encodings of Parquet 2 takes two thirds of the CPU of level 3 with
 * those of Parquet 1 and is a tenth smaller. A lower dictionary limit gives up earlier on columns of unique texts.
 */
const PARQUET = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT 5000'

/**
 * A row group is the least that is read, so filters skip by row groups. Measured on 200,000 log events: groups of 32,768
 * rows instead of 122,880 take an eighth more CPU to write and are 1 % larger; those of 16,384 take a third more. Of
 * sources with many columns the footers would grow too large, which are kept in memory.
 */
const GROUP_ROWS = { narrow: 32_768, wide: 122_880 }
const MOST_NARROW_COLUMNS = 64

function parquetOptions(fields: Fields): string {
  const isNarrow = Object.keys(flatFields(fields)).length <= MOST_NARROW_COLUMNS
  return `(${PARQUET}, ROW_GROUP_SIZE ${isNarrow ? GROUP_ROWS.narrow : GROUP_ROWS.wide})`
}

export async function load(
  { connection, store }: { connection: DuckDBConnection; store: Store },
  source: SourceStore,
): Promise<void> {
  const files = filesForOneLoad(source.fresh)
  if (files.length === 0) return
  // Fields only grow: those known now cover every row of these files.
  const fields = source.fields
  await makeRoom(connection, fields)
  const parts = await writeParts(connection, source, files, fields)
  for (const part of parts) syncPath(join(source.dir, part.file))
  for (const day of new Set(parts.map((part) => part.day))) syncPath(join(source.dir, day))

  const { manifest } = source
  store.commit(source, {
    ...manifest,
    position: files.at(-1)!.next,
    rowsLoaded: manifest.rowsLoaded + files.reduce((sum, file) => sum + file.rows, 0),
    nextPart: manifest.nextPart + parts.length,
    fields: flatFields(fields),
    parts: [...manifest.parts, ...parts],
  })
  source.fresh = source.fresh.filter((file) => !files.includes(file))
  if (source.fresh.length === 0) source.unsavedFieldsFrom = null
  store.retire(files.map((file) => file.path))
}

/** Fields that came without rows are saved on their own, so that the journal need not be kept for them. */
export function saveFields(store: Store, source: SourceStore): void {
  store.commit(source, { ...source.manifest, fields: flatFields(source.fields) })
  source.unsavedFieldsFrom = null
}

function filesForOneLoad(fresh: FreshFile[]): FreshFile[] {
  let bytes = 0
  const chosen: FreshFile[] = []
  for (const file of fresh) {
    if (chosen.length > 0 && bytes + file.bytes > LOAD_BYTES) break
    chosen.push(file)
    bytes += file.bytes
  }
  return chosen
}

async function writeParts(
  connection: DuckDBConnection,
  source: SourceStore,
  files: FreshFile[],
  fields: Fields,
): Promise<Part[]> {
  const minUs = Math.min(...files.map((file) => file.minUs))
  const maxUs = Math.max(...files.map((file) => file.maxUs))
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const { shape } = source
  const select = `SELECT ${liftColumns(fields)} FROM ${readRows(
    files.map((file) => file.path),
    fields,
  )}`
  const day = dayNumber(minUs)
  const number = source.manifest.nextPart
  if (day === dayNumber(maxUs))
    return [await writePart(connection, source, number, select, { day, rows, minUs, maxUs, shape })]

  await connection.run(`CREATE OR REPLACE TEMP TABLE batch AS ${select}`)
  try {
    const perDay = await connection.runAndReadAll(
      `SELECT epoch_us("timestamp") // 86400000000 AS day, count(*), min(epoch_us("timestamp")), max(epoch_us("timestamp")) FROM batch GROUP BY 1 ORDER BY 1`,
    )
    const parts: Part[] = []
    for (const row of perDay.getRows()) {
      const [of, count, min, max] = row.map(Number)
      const from = `make_timestamp(${startOfDayUs(of!)})`
      const to = `make_timestamp(${startOfDayUs(of! + 1)})`
      const oneDay = `SELECT * FROM batch WHERE "timestamp" >= ${from} AND "timestamp" < ${to}`
      const facts = { day: of!, rows: count!, minUs: min!, maxUs: max!, shape }
      parts.push(await writePart(connection, source, number + parts.length, oneDay, facts))
    }
    return parts
  } finally {
    await connection.run('DROP TABLE IF EXISTS batch')
  }
}

/** Writes one part under its final name; it counts only once a manifest names it. */
export async function writePart(
  connection: DuckDBConnection,
  source: SourceStore,
  number: number,
  select: string,
  facts: { day: number; rows: number; minUs: number; maxUs: number; shape: string },
): Promise<Part> {
  const day = dayName(facts.day)
  const file = `${day}/${String(number).padStart(8, '0')}.parquet`
  const path = join(source.dir, file)
  const temporary = `${path}.new`
  folderFor(path)
  await connection.run(`COPY (${select}) TO ${quoteText(temporary)} ${parquetOptions(source.fields)}`)
  renameSync(temporary, path)
  const bytes = statSync(path).size
  return { ...facts, file, day, bytes, crc: await checksumOf(path) }
}

/** Removes files that no manifest names: left by a crash between writing and naming. */
export function sweepUnnamed(source: SourceStore, manifest: Manifest): void {
  if (!existsSync(source.dir)) return
  const named = new Set(filesOf(source, manifest.parts))
  for (const day of readdirSync(source.dir, { withFileTypes: true })) {
    if (!day.isDirectory() || !/^\d{4}-\d\d-\d\d$/.test(day.name)) continue
    for (const name of readdirSync(join(source.dir, day.name))) {
      const path = join(source.dir, day.name, name)
      if (!named.has(path)) rmSync(path, { force: true })
    }
  }
  syncPath(dirname(source.dir))
}
