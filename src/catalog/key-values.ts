import { sql } from 'kysely'
import { Fault } from '../base/faults.ts'
import type { Account } from '../model/account.ts'
import { KeyValue, type NewKeyValue } from '../model/key-value.ts'
import { PLANS } from '../model/plan.ts'
import { type Accessor, readAccessor } from '../model/rules/accessor.ts'
import type { Changes } from './changes.ts'
import type { Database } from './tables.ts'

export type KeyValues = ReturnType<typeof createKeyValues>

export const KEY_VALUES_PAGE_MAX = 500
/** Stays below the number of values one statement may carry on either engine. */
const ROWS_PER_STATEMENT = 1_000

/** The key-value entries of each account, which enrichment looks up. */
export function createKeyValues({ db, changes }: { db: Database; changes: Changes }) {
  const ofAccount = (accountId: number) => db.selectFrom('key_values').where('account_id', '=', accountId)

  const keyValues = {
    async list(
      accountId: number,
      page: {
        key?: string | undefined
        search?: string | undefined
        after?: string | undefined
        limit?: number | undefined
      },
    ): Promise<KeyValue[]> {
      let query = ofAccount(accountId).select(['id', 'key', 'value'])
      if (page.key !== undefined) query = query.where('key', '=', page.key)
      if (page.search !== undefined) {
        const wanted = `%${page.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
        query = query.where(sql<boolean>`lower(key) like ${wanted} escape '\\'`)
      }
      if (page.after !== undefined) query = query.where('key', '>', page.after)
      const rows = await query
        .orderBy('key')
        .limit(Math.min(page.limit ?? KEY_VALUES_PAGE_MAX, KEY_VALUES_PAGE_MAX))
        .execute()
      return rows.map((row) => KeyValue.parse({ ...row, value: JSON.parse(row.value) }))
    },

    async get(accountId: number, key: string): Promise<KeyValue['value'] | null> {
      if (!isStorable(key)) return null
      const row = await ofAccount(accountId).select('value').where('key', '=', key).executeTakeFirst()
      return row ? JSON.parse(row.value) : null
    },

    /** Every entry of the account, by key. */
    async all(accountId: number): Promise<Map<string, KeyValue['value']>> {
      const rows = await ofAccount(accountId).select(['key', 'value']).execute()
      return new Map(rows.map((row) => [row.key, JSON.parse(row.value)]))
    },

    /** The entries that exist among the keys. */
    async getMany(accountId: number, keys: string[]): Promise<Map<string, KeyValue['value']>> {
      const found = new Map<string, KeyValue['value']>()
      for (const some of chunks(keys.filter(isStorable))) {
        const rows = await ofAccount(accountId).select(['key', 'value']).where('key', 'in', some).execute()
        for (const row of rows) found.set(row.key, JSON.parse(row.value))
      }
      return found
    },

    /** Writes all or none; of entries with the same key the last one counts. Returns how many were written. */
    async put(account: Account, entries: NewKeyValue[]): Promise<number> {
      const values = new Map(entries.map((entry) => [entry.key, JSON.stringify(entry.value)]))
      const limit = PLANS[account.plan].keyValuesMax
      const rows = [...values].map(([key, value]) => ({ account_id: account.id, key, value }))
      await db.transaction().execute(async (step) => {
        for (const some of chunks(rows)) {
          await step
            .insertInto('key_values')
            .values(some)
            .onConflict((clash) => clash.columns(['account_id', 'key']).doUpdateSet({ value: sql`excluded.value` }))
            .execute()
        }
        if (limit === null) return
        const { count } = await step
          .selectFrom('key_values')
          .where('account_id', '=', account.id)
          .select((column) => column.fn.countAll().as('count'))
          .executeTakeFirstOrThrow()
        if (Number(count) > limit) throw new Fault('bad_request', `Key-value limit of ${limit} exceeded`)
      })
      changes.announce({ noun: 'key-values', accountId: account.id, keys: [...values.keys()] })
      return values.size
    },

    async removeKeys(accountId: number, keys: string[]): Promise<number> {
      let removed = 0n
      for (const some of chunks(keys.filter(isStorable))) {
        const { numDeletedRows } = await db
          .deleteFrom('key_values')
          .where('account_id', '=', accountId)
          .where('key', 'in', some)
          .executeTakeFirstOrThrow()
        removed += numDeletedRows
      }
      changes.announce({ noun: 'key-values', accountId, keys })
      return Number(removed)
    },

    /** Removes the entries whose value at the accessor reads as one of the texts. */
    async removeWhere(accountId: number, accessor: Accessor, texts: string[]): Promise<number> {
      const wanted = new Set(texts)
      const keys: string[] = []
      let page: KeyValue[] = []
      do {
        page = await keyValues.list(accountId, { after: page.at(-1)?.key })
        for (const { key, value } of page) {
          const found = readAccessor(accessor, value)
          if (found !== undefined && wanted.has(textOf(found))) keys.push(key)
        }
      } while (page.length === KEY_VALUES_PAGE_MAX)
      return keys.length > 0 ? keyValues.removeKeys(accountId, keys) : 0
    },
  }
  return keyValues
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** PostgreSQL cannot hold a zero character in text, so no entry has one in its key. Events may well ask for it. */
const isStorable = (key: string): boolean => !key.includes('\0')

function* chunks<Item>(items: Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_STATEMENT) yield items.slice(at, at + ROWS_PER_STATEMENT)
}
