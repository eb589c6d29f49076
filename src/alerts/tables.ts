/**
 * Alerts as tables of other queries, by their names. Where a name is also a source's or an endpoint's, those come first,
 * and the alert is no table. Nor is one in LQL, as what it means depends on the moment it is asked, or one that runs on a
 * backend.
 */
import type { Alert } from '../model/alert.ts'
import type { AccountNames, Published } from '../query/names.ts'

export function alertTables(alerts: { list(accountId: number): Promise<Alert[]> }): {
  list(accountId: number): Promise<Published[]>
} {
  return {
    list: async (accountId) => (await alerts.list(accountId)).filter(({ language }) => language === 'bq_sql'),
  }
}

/** The name under which other queries find this alert; null when they do not. A new one has no token yet. */
export function ownName(
  { name, token, language }: { name: string; token: string | null; language: Alert['language'] },
  names: AccountNames,
): string | null {
  if (language !== 'bq_sql') return null
  const found = names.published(name)
  return found && found.token !== token ? null : name
}
