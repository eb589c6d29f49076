/**
 * The engine's two DuckDB instances. The loader's may touch the whole data folder and is used only with our own
 * statements. The readers' runs what users write: no access outside the warehouse folder, configuration locked,
 * memory and threads bounded, nothing spilled to disk.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { type Fields, flatFields } from '../../model/fields.ts'
import { quoteText } from './columns.ts'

/** What the loader may use for rows; see `makeRoom` for columns. */
export const LOADER_MEMORY_MB = 384

export async function openLoader({
  threads,
  spillDir,
}: {
  threads: number
  /** Where a load or merge that outgrows its memory goes on; without a word the engine takes the working directory. */
  spillDir: string
}): Promise<DuckDBConnection> {
  const memory_limit = `${LOADER_MEMORY_MB}MB`
  const instance = await DuckDBInstance.create(':memory:', { memory_limit, threads: String(threads) })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run(`SET temp_directory = ${quoteText(spillDir)}`)
  return connection
}

/**
 * The writer of a part sets aside more than a megabyte for every column before the first row, and touches little of it
 * (measured: 2000 columns, 2.8 GB set aside, 0.4 GB used). The limit counts what is set aside, so it grows with the
 * columns, or a source of a few hundred fields could never be loaded.
 */
const COLUMN_MB = 2

/** Fits the loader's memory to the columns it is about to write. */
export async function makeRoom(loader: DuckDBConnection, fields: Fields): Promise<void> {
  const columns = Object.keys(flatFields(fields)).length
  await loader.run(`SET memory_limit = '${Math.ceil(LOADER_MEMORY_MB + columns * COLUMN_MB)}MB'`)
}

export type Readers = { connect(): Promise<DuckDBConnection> }

export async function openReaders({
  dir,
  memoryMb,
  threads,
  macros,
}: {
  dir: string
  memoryMb: number
  threads: number
  macros: readonly string[]
}): Promise<Readers> {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMb}MB`,
    threads: String(threads),
  })
  const connection = await instance.connect()
  for (const statement of [
    "SET GLOBAL TimeZone = 'UTC'",
    // Footers stay parsed between queries; parts never change once they are named.
    'SET GLOBAL parquet_metadata_cache = true',
    ...macros,
    "SET GLOBAL temp_directory = ''",
    'SET GLOBAL autoinstall_known_extensions = false',
    'SET GLOBAL autoload_known_extensions = false',
    `SET GLOBAL allowed_directories = [${quoteText(dir)}]`,
    'SET GLOBAL enable_external_access = false',
    'SET GLOBAL lock_configuration = true',
  ]) {
    await connection.run(statement)
  }
  connection.closeSync()
  return { connect: () => instance.connect() }
}
