import { uuid4 } from '../base/ids.ts'
import type { RuleRecord, RuleSettings } from '../model/routing-rule.ts'
import type { Changes } from './changes.ts'
import type { Database } from './tables.ts'

export type Rules = ReturnType<typeof createRules>

/** Routing rules by account. A rule goes when its source or its sink goes: the table itself sees to that. */
export function createRules({ db, changes }: { db: Database; changes: Changes }) {
  const records = () =>
    db
      .selectFrom('rules')
      .innerJoin('sources', 'sources.id', 'rules.source_id')
      .leftJoin('sources as sinks', 'sinks.id', 'rules.sink_id')
      .select([
        'rules.id',
        'rules.token',
        'rules.source_id',
        'sources.token as source',
        'rules.lql_string',
        'sinks.token as sink',
        'rules.backend_id',
      ])
      .orderBy('rules.id')

  const ofAccount = (accountId: number) => records().where('rules.account_id', '=', accountId)

  return {
    /** Oldest first. */
    list: (accountId: number): Promise<RuleRecord[]> => ofAccount(accountId).execute(),

    /** The rules of one source, oldest first. */
    ofSource: (accountId: number, sourceToken: string): Promise<RuleRecord[]> =>
      ofAccount(accountId).where('sources.token', '=', sourceToken.toLowerCase()).execute(),

    async byToken(accountId: number, token: string): Promise<RuleRecord | null> {
      return (await ofAccount(accountId).where('rules.token', '=', token.toLowerCase()).executeTakeFirst()) ?? null
    },

    async create(accountId: number, settings: RuleSettings): Promise<RuleRecord> {
      const { id } = await db
        .insertInto('rules')
        .values({ ...settings, account_id: accountId, token: uuid4() })
        .returning('id')
        .executeTakeFirstOrThrow()
      changes.announce({ noun: 'rule' })
      return records().where('rules.id', '=', id).executeTakeFirstOrThrow()
    },

    async update(accountId: number, token: string, settings: RuleSettings): Promise<RuleRecord | null> {
      const row = await db
        .updateTable('rules')
        .set(settings)
        .where('account_id', '=', accountId)
        .where('token', '=', token.toLowerCase())
        .returning('id')
        .executeTakeFirst()
      changes.announce({ noun: 'rule' })
      return row ? ((await records().where('rules.id', '=', row.id).executeTakeFirst()) ?? null) : null
    },

    async remove(accountId: number, token: string): Promise<boolean> {
      const row = await db
        .deleteFrom('rules')
        .where('account_id', '=', accountId)
        .where('token', '=', token.toLowerCase())
        .returning('id')
        .executeTakeFirst()
      changes.announce({ noun: 'rule' })
      return row !== undefined
    },
  }
}
