/** Looks at an endpoint before it is saved: where it runs, and its query (`query/facts.ts`, `query/native.ts`). */
import type { StoreDialect } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import type { CheckQuery } from '../catalog/endpoints.ts'
import type { EndpointSettings } from '../model/endpoint.ts'
import { type FactParts, factsOf } from '../query/facts.ts'
import type { Names } from '../query/names.ts'
import { nativeFacts } from '../query/native.ts'
import { withinStack } from '../sql/sql.ts'
import { everythingOf } from './lql.ts'
import { dialectOf, LANGUAGES } from './place.ts'

type Parts = FactParts & { names: Names; stores: Pick<Stores, 'first' | 'dialectOf'> }

export function createCheck({ names, stores, ...parts }: Parts): (accountId: number) => CheckQuery {
  return (accountId) => async (settings, before) => {
    const dialect = await placeOf(settings, accountId, stores)
    const { query, name } = settings
    const known = await names.of(accountId)
    try {
      if (dialect !== null && dialect !== 'bigquery')
        return { ...nativeFacts(query, dialect, known, before?.source_mapping), language: LANGUAGES[dialect] }
      if (settings.language !== 'lql') return withinStack(() => factsOf({ query, self: name, before }, known, parts))
      const isLql = before?.language === 'lql'
      const draft = {
        query: everythingOf(query),
        self: null,
        before: isLql ? { ...before, query: everythingOf(before.query) } : null,
      }
      return withinStack(() => factsOf(draft, known, parts))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw new InvalidRecord({ query: [error.message] }, error.details)
    }
  }
}

/** The dialect of the backend it runs on; null: the warehouse. */
async function placeOf(
  { language, backend_id, sandboxable }: EndpointSettings,
  accountId: number,
  stores: Parts['stores'],
): Promise<StoreDialect | null> {
  if (language === 'lql') {
    if (backend_id !== null) throw new InvalidRecord({ backend_id: ['is not offered for LQL: it reads the warehouse'] })
    if (sandboxable) throw new InvalidRecord({ sandboxable: ['is not offered for LQL: it has no WITH queries'] })
    return null
  }
  const written = dialectOf(language)
  const spoken = backend_id === null ? written : await dialectAt(accountId, backend_id, stores)
  if (backend_id === null && written !== null && (await stores.first(accountId, written)) === null)
    throw new InvalidRecord({ language: ['needs a backend that speaks it'] })
  if (written !== null && written !== spoken)
    throw new InvalidRecord({ language: ['is not the one that the backend speaks'] })
  if (spoken === 'postgres' && sandboxable)
    throw new InvalidRecord({ sandboxable: ['is not offered on PostgreSQL: use parameters'] })
  return spoken
}

async function dialectAt(accountId: number, backendId: number, stores: Parts['stores']): Promise<StoreDialect> {
  const dialect = await stores.dialectOf(accountId, backendId).catch((error) => {
    if (error instanceof Fault && error.code === 'bad_request') return null
    throw error
  })
  if (dialect === null) throw new InvalidRecord({ backend_id: ['names no backend that can be queried'] })
  return dialect
}
