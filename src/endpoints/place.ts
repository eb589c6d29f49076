/** Where an endpoint or alert runs: in the warehouse, or on the backend that it names or whose dialect it is written in. */
import type { StoreDialect } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
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
const dialectOf = (language: EndpointSettings['language']): NativeDialect | null => {
  if (language === 'pg_sql') return 'postgres'
  return language === 'ch_sql' ? 'clickhouse' : null
}

type Placed = Pick<Definition, 'backend_id' | 'language'>

/** Looked at before saving: the dialect of the backend it runs on; null: the warehouse. */
export async function placeOf(
  { language, backend_id }: Placed,
  accountId: number,
  stores: Pick<Stores, 'first' | 'dialectOf'>,
): Promise<StoreDialect | null> {
  if (language === 'lql') {
    if (backend_id !== null) throw new InvalidRecord({ backend_id: ['is not offered for LQL: it reads the warehouse'] })
    return null
  }
  const written = dialectOf(language)
  const spoken = backend_id === null ? written : await dialectAt(accountId, backend_id, stores)
  if (backend_id === null && written !== null && (await stores.first(accountId, written)) === null)
    throw new InvalidRecord({ language: ['needs a backend that speaks it'] })
  if (written !== null && written !== spoken)
    throw new InvalidRecord({ language: ['is not the one that the backend speaks'] })
  return spoken
}

async function dialectAt(
  accountId: number,
  backendId: number,
  stores: Pick<Stores, 'dialectOf'>,
): Promise<StoreDialect> {
  const dialect = await stores.dialectOf(accountId, backendId).catch((error) => {
    if (error instanceof Fault && error.code === 'bad_request') return null
    throw error
  })
  if (dialect === null) throw new InvalidRecord({ backend_id: ['names no backend that can be queried'] })
  return dialect
}

/** When it runs. Null: the warehouse. */
export async function backendOf(
  { backend_id, language }: Placed,
  accountId: number,
  stores: Pick<Stores, 'first'>,
): Promise<number | null> {
  if (backend_id !== null) return backend_id
  const dialect = dialectOf(language)
  if (dialect === null) return null
  const first = await stores.first(accountId, dialect)
  if (first === null) throw new Fault('bad_request', 'The backend that this query ran on is gone.')
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
