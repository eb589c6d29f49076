/** Where an endpoint runs: in the warehouse, or on the backend that it names or whose dialect it is written in. */
import type { Stores } from '../backends/stores.ts'
import { Fault } from '../base/faults.ts'
import type { Definition, EndpointSettings } from '../model/endpoint.ts'
import type { NativeQuestion } from '../query/native.ts'
import type { NativeDialect } from '../sql/native/words.ts'
import type { Override } from './override.ts'

export const LANGUAGES: Record<NativeDialect, EndpointSettings['language']> = {
  postgres: 'pg_sql',
  clickhouse: 'ch_sql',
}

export const dialectOf = (language: EndpointSettings['language']): NativeDialect | null => {
  if (language === 'pg_sql') return 'postgres'
  return language === 'ch_sql' ? 'clickhouse' : null
}

/** Null: the warehouse. */
export async function backendOf(
  { backend_id, language }: Pick<Definition, 'backend_id' | 'language'>,
  accountId: number,
  stores: Pick<Stores, 'first'>,
): Promise<number | null> {
  if (backend_id !== null) return backend_id
  const dialect = dialectOf(language)
  if (dialect === null) return null
  const first = await stores.first(accountId, dialect)
  if (first === null) throw new Fault('bad_request', 'The backend that this endpoint ran on is gone.')
  return first
}

export function nativeQuery(
  { query, source_mapping }: Definition,
  override: Override | null,
): Pick<NativeQuestion, 'sql' | 'mapping' | 'override'> {
  if (override?.language === 'lql')
    throw new Fault('bad_request', 'This endpoint runs on a backend: send sql in its dialect instead of lql.')
  return { sql: query, mapping: source_mapping, ...(override ? { override: override.text } : {}) }
}
