/** A store with real files for tests of the engine's parts: rows are written as the cutter would write them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { uuid4 } from '../../base/ids.ts'
import type { FlatFields } from '../../model/fields.ts'
import { openLoader } from './duck.ts'
import { createStore, type SourceStore, type Store } from './store.ts'

export type Row = { id: string; ts: number; e: Record<string, unknown> }

export type Bench = {
  dir: string
  store: Store
  source: SourceStore
  connection: DuckDBConnection
  addRows(rows: Row[], fields?: FlatFields): void
  select(sql: string): Promise<unknown[][]>
}

export async function createBench(): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-engine-'))
  const fresh = join(dir, 'fresh')
  mkdirSync(fresh)
  const store = createStore({ dir })
  const source = store.source(uuid4())
  source.retentionDays = 3650
  const connection = await openLoader({ threads: 1, spillDir: join(dir, 'spill') })
  let position = 0
  return {
    dir,
    store,
    source,
    connection,
    addRows(rows, fields) {
      if (fields) store.addFields(source, fields, position)
      const path = join(fresh, `${position}.ndjson`)
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      writeFileSync(path, text)
      const times = rows.map((row) => row.ts)
      source.fresh.push({
        path,
        rows: rows.length,
        bytes: text.length,
        minUs: Math.min(...times),
        maxUs: Math.max(...times),
        from: position,
        next: position + text.length,
        cutAtMs: Date.now(),
      })
      position += text.length
    },
    async select(sql) {
      return (await connection.runAndReadAll(sql)).getRowsJson()
    },
  }
}
