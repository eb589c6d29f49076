/** Rows of an answer as a Parquet file. They come as JSON, the form in which answers are kept and redacted. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { QueryCost } from '../protocol.ts'
import { quoteName, quoteText } from './columns.ts'

export type Parquet = (rows: Buffer, columns: QueryCost['columns']) => Promise<Buffer>

/** A row holds at most what the longest event holds, several times over when a query says so. */
const MAX_ROW_BYTES = 64 * 1024 * 1024

/** `open` gives a connection of its own, made at the first use: most deployments never ask for Parquet. */
export function createParquet({ open, dir }: { open: () => Promise<DuckDBConnection>; dir: string }): Parquet {
  let opened: Promise<DuckDBConnection> | null = null
  let made = 0
  return async (rows, columns) => {
    opened ??= open()
    const connection = await opened
    await mkdir(dir, { recursive: true })
    made += 1
    const from = join(dir, `answer-${made}.json`)
    const to = join(dir, `answer-${made}.parquet`)
    const types = columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(jsonType(type))}`)
    const list = columns.map(({ name, type }) => `${fromJson(quoteName(name), type)} AS ${quoteName(name)}`)
    try {
      await writeFile(from, rows)
      await connection.run(
        `COPY (SELECT ${list.join(', ')} FROM read_json(${quoteText(from)}, format = 'array', auto_detect = false, ` +
          `maximum_object_size = ${MAX_ROW_BYTES}, columns = {${types.join(', ')}})) TO ${quoteText(to)} (FORMAT parquet, COMPRESSION zstd)`,
      )
      return await readFile(to)
    } finally {
      await Promise.all([rm(from, { force: true }), rm(to, { force: true })])
    }
  }
}

/** Instants are whole microseconds in JSON, and other things are text there. Inside lists and objects they stay so. */
function jsonType(type: string): string {
  if (/^TIMESTAMP/.test(type)) return 'BIGINT'
  return type
    .replace(/\bTIMESTAMP(?:_S|_MS|_NS)?\b(?: WITH TIME ZONE)?/g, 'BIGINT')
    .replace(/\bHUGEINT\b/g, 'DECIMAL(38,0)')
    .replace(/\b(?:BLOB|BIT|INTERVAL|TIME(?: WITH TIME ZONE)?|UUID|ANY|SQLNULL|"NULL")\b/g, 'VARCHAR')
    .replace(/^MAP\(.*\)$/, 'JSON')
}

const fromJson = (column: string, type: string): string =>
  /^TIMESTAMP/.test(type) ? `make_timestamp(${column})` : column
