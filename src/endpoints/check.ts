/** Looks at an endpoint before it is saved: where it runs, and its query (`query/facts.ts`). */
import { Fault, InvalidRecord } from '../base/faults.ts'
import type { CheckQuery } from '../catalog/endpoints.ts'
import type { EndpointSettings } from '../model/endpoint.ts'
import { type FactParts, factsOf } from '../query/facts.ts'
import type { Names } from '../query/names.ts'
import { withinStack } from '../sql/sql.ts'

type Parts = FactParts & { names: Names }

export function createCheck({ names, ...parts }: Parts): (accountId: number) => CheckQuery {
  return (accountId) => async (settings, before) => {
    checkPlace(settings)
    const { query, name } = settings
    const known = await names.of(accountId)
    try {
      return withinStack(() => factsOf({ query, self: name, before }, known, parts))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw new InvalidRecord({ query: [error.message] }, error.details)
    }
  }
}

/** Only the warehouse answers endpoints so far. */
function checkPlace({ language, backend_id }: EndpointSettings): void {
  if (backend_id !== null) throw new InvalidRecord({ backend_id: ['names no backend that can be queried'] })
  if (language === 'lql') throw new InvalidRecord({ language: ['of an endpoint must be SQL; callers may send lql'] })
  if (language !== 'bq_sql') throw new InvalidRecord({ language: ['needs a backend that speaks it'] })
}
