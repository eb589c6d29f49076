import type { Clock } from '../base/clock.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import { uuid4 } from '../base/ids.ts'
import { Account, type NewAccount } from '../model/account.ts'
import type { Changes } from './changes.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Database } from './tables.ts'

export type Accounts = ReturnType<typeof createAccounts>

/** The first account ever made owns the deployment: only it may manage accounts, and it cannot be deleted. */
export function createAccounts({ db, clock, changes }: { db: Database; clock: Clock; changes: Changes }) {
  const accounts = {
    async list(): Promise<Account[]> {
      const rows = await db.selectFrom('accounts').selectAll().orderBy('id').execute()
      return rows.map((row) => Account.parse(row))
    },

    async byId(id: number): Promise<Account | null> {
      const row = await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? Account.parse(row) : null
    },

    async byToken(token: string): Promise<Account | null> {
      const row = await db.selectFrom('accounts').selectAll().where('token', '=', token).executeTakeFirst()
      return row ? Account.parse(row) : null
    },

    async create({ name, plan = 'self_hosted' }: NewAccount): Promise<Account> {
      try {
        const row = await db
          .insertInto('accounts')
          .values({ token: uuid4(), name, plan, inserted_at: new Date(clock.nowMs()).toISOString() })
          .returningAll()
          .executeTakeFirstOrThrow()
        return Account.parse(row)
      } catch (error) {
        if (uniqueViolation(error) !== null) throw new InvalidRecord({ name: ['has already been taken'] })
        throw error
      }
    },

    async owner(): Promise<Account | null> {
      const row = await db.selectFrom('accounts').selectAll().orderBy('id').limit(1).executeTakeFirst()
      return row ? Account.parse(row) : null
    },

    /** The owner account, made when there is none; nodes that start together make one. */
    async ensureOwner(name = 'owner'): Promise<{ account: Account; isNew: boolean }> {
      const owner = await accounts.owner()
      if (owner) return { account: owner, isNew: false }
      try {
        return { account: await accounts.create({ name }), isNew: true }
      } catch (error) {
        const made = await accounts.owner()
        if (made) return { account: made, isNew: false }
        throw error
      }
    },

    async rename(id: number, name: string): Promise<Account | null> {
      try {
        const row = await db
          .updateTable('accounts')
          .set({ name })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        changes.announce({ noun: 'account' })
        return row ? Account.parse(row) : null
      } catch (error) {
        if (uniqueViolation(error) !== null) throw new InvalidRecord({ name: ['has already been taken'] })
        throw error
      }
    },

    /** Takes the account's sources, tokens and key-values with it. */
    async remove(id: number): Promise<boolean> {
      const owner = await accounts.owner()
      if (owner?.id === id) throw new Fault('conflict', 'The first account owns this deployment and cannot be deleted.')
      const { numDeletedRows } = await db.deleteFrom('accounts').where('id', '=', id).executeTakeFirstOrThrow()
      for (const noun of ['account', 'token', 'source'] as const) changes.announce({ noun })
      changes.announce({ noun: 'key-values', accountId: id, keys: null })
      return numDeletedRows > 0n
    },
  }
  return accounts
}
