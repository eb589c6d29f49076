/** Events to Parquet files and back, by the engine that the service itself uses, loaded when it is needed. */
import { rename, rm, writeFile } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { createShape, quoteName, quoteText } from './shape.ts'

const EVENT_BYTES_MAX = 64 * 1024 * 1024

export type Exported = {
  id: string /** Microseconds. */
  timestamp: number /** The whole event as JSON. */
  text: string
}

export type Parquet = {
  write(file: string, events: Record<string, unknown>[], schema: Record<string, unknown>): Promise<void>
  /** The events of a file as JSON texts, a number of them at a time, in the order of the file. */
  read(file: string, atOnce: number): AsyncGenerator<Exported[]>
  close(): void
}

export async function openParquet(): Promise<Parquet> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', threads: '2' })
  const connection: DuckDBConnection = await instance.connect()
  return {
    async write(file, events, schema) {
      const shape = createShape(schema)
      for (const event of events) shape.add(event)
      const columns = shape.columns()
      const types = columns.map(([name, type]) => `${quoteText(name)}: ${quoteText(type)}`)
      const list = columns.map(([name]) =>
        name === 'timestamp' ? 'make_timestamp("timestamp") AS "timestamp"' : quoteName(name),
      )
      const draft = `${file}.ndjson`
      await writeFile(
        draft,
        events.map((event) => `${JSON.stringify(event)}\n`),
      )
      try {
        await connection.run(
          `COPY (SELECT ${list.join(', ')} FROM read_json(${quoteText(draft)}, format = 'newline_delimited', ` +
            `auto_detect = false, maximum_object_size = ${EVENT_BYTES_MAX}, columns = {${types.join(', ')}})) ` +
            `TO ${quoteText(`${file}.new`)} (FORMAT parquet, COMPRESSION zstd)`,
        )
        await rename(`${file}.new`, file)
      } finally {
        await rm(draft, { force: true })
      }
    },

    async *read(file, atOnce) {
      const rows = await connection.stream(
        `SELECT e.id, e."timestamp", to_json(e)::VARCHAR FROM ` +
          `(SELECT * REPLACE (epoch_us("timestamp") AS "timestamp") FROM read_parquet(${quoteText(file)})) e`,
      )
      let batch: Exported[] = []
      for (;;) {
        const chunk = await rows.fetchChunk()
        if (!chunk || chunk.rowCount === 0) break
        for (const [id, timestamp, text] of chunk.getRows()) {
          batch.push({ id: String(id), timestamp: Number(timestamp), text: String(text) })
          if (batch.length < atOnce) continue
          yield batch
          batch = []
        }
      }
      if (batch.length > 0) yield batch
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
