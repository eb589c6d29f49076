/** Looks at an alert before it is saved: where it runs, its query (`query/facts.ts`, `query/native.ts`), and the backends it tells. */
import type { Stores } from '../backends/stores.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import type { CheckAlert } from '../catalog/alerts.ts'
import { everythingOf } from '../endpoints/lql.ts'
import { LANGUAGES, placeOf } from '../endpoints/place.ts'
import type { Alert, AlertSettings } from '../model/alert.ts'
import { type FactParts, factsOf } from '../query/facts.ts'
import type { Names } from '../query/names.ts'
import { nativeFacts } from '../query/native.ts'
import { withinStack } from '../sql/sql.ts'
import { ownName } from './tables.ts'

type Parts = FactParts & {
  names: Names
  stores: Pick<Stores, 'first' | 'dialectOf'>
  /** Whether the account has a backend with this id. */
  hasBackend(accountId: number, backendId: number): Promise<boolean>
}

export function createCheck({ names, stores, hasBackend, ...parts }: Parts): (accountId: number) => CheckAlert {
  return (accountId) => async (settings, before) => {
    const dialect = await placeOf(settings, accountId, stores)
    await checkBackends(settings, before, (id) => hasBackend(accountId, id))
    const known = await names.of(accountId)
    const self = ownName({ ...settings, token: before?.token ?? null }, known)
    try {
      if (dialect !== null && dialect !== 'bigquery') {
        const facts = nativeFacts(settings.query, dialect, known, before?.source_mapping)
        return { ...facts, language: LANGUAGES[dialect] }
      }
      return withinStack(() =>
        factsOf({ query: sqlOf(settings), self, before: before && { ...before, query: sqlOf(before) } }, known, parts),
      )
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // Of LQL the text that was checked is not the one that was sent.
      throw new InvalidRecord({ query: [error.message] }, settings.language === 'lql' ? {} : error.details)
    }
  }
}

/** What of the query can be known before it runs: of LQL, what it reads. */
const sqlOf = ({ language, query }: Pick<AlertSettings, 'language' | 'query'>): string =>
  language === 'lql' ? everythingOf(query) : query

/** One that was deleted since does not stand in the way of other changes. */
async function checkBackends(
  { backend_ids }: AlertSettings,
  before: Alert | null,
  isThere: (id: number) => Promise<boolean>,
): Promise<void> {
  for (const id of backend_ids) {
    if (!before?.backend_ids.includes(id) && !(await isThere(id)))
      throw new InvalidRecord({ backend_ids: [`${id} is no backend of this account`] })
  }
}
