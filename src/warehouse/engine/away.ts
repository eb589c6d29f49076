/**
 * Sources whose events live elsewhere: frames from `awayFrom` on are passed over when the journal is cut. Only their
 * fields are kept.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { flatFields } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import type { Cutter } from './cut.ts'
import { load } from './load.ts'
import type { SourceStore, Store } from './store.ts'

type Parts = { connection: DuckDBConnection; store: Store; cutter: Cutter }

/**
 * Events from `end` on live here again. What was passed over stays where it went: rows from before that are not in parts
 * yet are loaded first, so that the manifest can say that everything up to here is settled.
 */
export async function bringBack(
  { connection, store, cutter }: Parts,
  source: SourceStore,
  end: Position,
): Promise<void> {
  await cutter.advance(end)
  while (source.fresh.length > 0) await load({ connection, store }, source)
  const { awayFrom: _passed, ...manifest } = source.manifest
  const position = Math.max(manifest.position, cutter.position)
  store.commit(source, { ...manifest, position, fields: flatFields(source.fields) })
  source.unsavedFieldsFrom = null
}

/** Writes down how many rows were passed over. A crash before may lose count of the last ones, and of nothing else. */
export function countPassed(store: Store, source: SourceStore): void {
  const { manifest, passedRows, passedTo } = source
  store.commit(source, {
    ...manifest,
    position: Math.max(manifest.position, passedTo),
    rowsLoaded: manifest.rowsLoaded + passedRows,
    fields: flatFields(source.fields),
  })
  source.passedRows = 0
  source.unsavedFieldsFrom = null
}
