/**
 * The engine's two DuckDB instances. The loader's may touch the whole data folder and is used only with our own
 * statements. The readers' runs what users write: no access outside the warehouse folder, configuration locked,
 * memory and threads bounded, nothing spilled to disk.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { quoteText } from './columns.ts'

export async function openLoader({
  memoryMb,
  threads,
}: {
  memoryMb: number
  threads: number
}): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: `${memoryMb}MB`, threads: String(threads) })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return connection
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
