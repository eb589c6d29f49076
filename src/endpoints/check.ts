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
import { LANGUAGES, placeOf } from './place.ts'

type Parts = FactParts & { names: Names; stores: Pick<Stores, 'first' | 'dialectOf'> }

export function createCheck({ names, stores, ...parts }: Parts): (accountId: number) => CheckQuery {
  return (accountId) => async (settings, before) => {
    const dialect = await placeOf(settings, accountId, stores)
    checkSandbox(settings, dialect)
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

function checkSandbox({ language, sandboxable }: EndpointSettings, dialect: StoreDialect | null): void {
  if (!sandboxable) return
  if (language === 'lql') throw new InvalidRecord({ sandboxable: ['is not offered for LQL: it has no WITH queries'] })
  if (dialect === 'postgres') throw new InvalidRecord({ sandboxable: ['is not offered on PostgreSQL: use parameters'] })
}
