/**
 * The yardstick: DuckDB alone turns the same NDJSON file into Parquet. No network, no checks, no durability; what is
 * left is the work that nobody who stores these events this way can avoid. Runs in a process of its own.
 */
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'

export type ParquetResult = { seconds: number; cpuSeconds: number; parquetBytes: number }

const THREADS = 2

export async function measureParquet(ndjson: string, parquet: string): Promise<ParquetResult> {
  const program = fileURLToPath(import.meta.url)
  const { stdout } = await promisify(execFile)(process.execPath, [program, ndjson, parquet])
  const [seconds, cpuSeconds] = stdout.trim().split(' ').map(Number)
  return { seconds: seconds!, cpuSeconds: cpuSeconds!, parquetBytes: statSync(parquet).size }
}

async function convert(ndjson: string, parquet: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(THREADS) })
  const connection = await instance.connect()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await connection.run(
    `COPY (SELECT * FROM read_json('${ndjson}', format='newline_delimited')) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
  )
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  console.log(`${seconds} ${(cpu.user + cpu.system) / 1e6}`)
}

if (import.meta.main) await convert(process.argv[2]!, process.argv[3]!)
