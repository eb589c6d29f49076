/** Where an endpoint runs: in the warehouse, or on the backend that it names or whose dialect it is written in. */
import type { StoreDialect } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import { Fault } from '../base/faults.ts'
import type { Definition, EndpointSettings } from '../model/endpoint.ts'
import type { NativeQuestion } from '../query/native.ts'
import type { NativeDialect } from '../sql/native/words.ts'
import type { Call } from './call.ts'
import type { Override } from './override.ts'

export const LANGUAGES: Record<StoreDialect, EndpointSettings['language']> = {
  postgres: 'pg_sql',
  clickhouse: 'ch_sql',
  bigquery: 'bq_sql',
}

/** Null for warehouse SQL, which the warehouse and BigQuery speak. */
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
  return { sql: query, mapping: source_mapping, ...(override ? { override } : {}) }
}

/** Only where the endpoint lets callers choose; a backend that has no reservations does not look at it. */
export const reservationOf = (
  { reservation }: Pick<Call, 'reservation'>,
  { enable_dynamic_reservation }: Pick<Definition, 'enable_dynamic_reservation'>,
): Pick<NativeQuestion, 'reservation'> =>
  enable_dynamic_reservation && reservation !== undefined && reservation.trim() !== ''
    ? { reservation: reservation.trim() }
    : {}
