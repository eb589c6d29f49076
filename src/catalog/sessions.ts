import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { Account } from '../model/account.ts'
import type { SessionRecord, User } from '../model/person.ts'
import type { Changes } from './changes.ts'
import { hashOf, newSecretValue } from './secret-values.ts'
import type { Database, Tables } from './tables.ts'
import { fromRow as userFromRow } from './users.ts'

export type Sessions = ReturnType<typeof createSessions>

export type NewSession = { address: string; user_agent: string | null }

/** Browsers that are logged in. The value of a session leaves this file once, from `create`; here only its hash is kept. */
export function createSessions({ db, clock, changes }: { db: Database; clock: Clock; changes: Changes }) {
  const now = (): string => new Date(clock.nowMs()).toISOString()
  const ofAccount = (accountId: number) => db.selectFrom('users').select('users.id').where('account_id', '=', accountId)

  return {
    async create(
      userId: number,
      { address, user_agent }: NewSession,
    ): Promise<{ session: SessionRecord; value: string }> {
      const value = newSecretValue()
      const at = now()
      const row = await db
        .insertInto('sessions')
        .values({ user_id: userId, hash: hashOf(value), address, user_agent, inserted_at: at, last_seen_at: at })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { session: fromRow(row), value }
    },

    async byValue(value: string): Promise<{ session: SessionRecord; user: User; account: Account } | null> {
      const session = await db.selectFrom('sessions').selectAll().where('hash', '=', hashOf(value)).executeTakeFirst()
      if (!session) return null
      const user = await db.selectFrom('users').selectAll().where('id', '=', session.user_id).executeTakeFirst()
      if (!user) return null
      const account = await db.selectFrom('accounts').selectAll().where('id', '=', user.account_id).executeTakeFirst()
      if (!account) return null
      return { session: fromRow(session), user: userFromRow(user), account: Account.parse(account) }
    },

    /** Of one person, or of everybody in the account; the last used first. */
    async list(accountId: number, userId: number | null): Promise<SessionRecord[]> {
      const all = db.selectFrom('sessions').selectAll().where('user_id', 'in', ofAccount(accountId))
      const wanted = userId === null ? all : all.where('user_id', '=', userId)
      return (await wanted.orderBy('last_seen_at', 'desc').orderBy('id', 'desc').execute()).map(fromRow)
    },

    async noteSeen(id: number, atMs: number): Promise<void> {
      await db
        .updateTable('sessions')
        .set({ last_seen_at: new Date(atMs).toISOString() })
        .where('id', '=', id)
        .execute()
    },

    /** One session of an account; only this person's when one is named. */
    async remove(accountId: number, id: number, userId: number | null = null): Promise<boolean> {
      const one = db.deleteFrom('sessions').where('id', '=', id).where('user_id', 'in', ofAccount(accountId))
      const { numDeletedRows } = await (userId === null
        ? one
        : one.where('user_id', '=', userId)
      ).executeTakeFirstOrThrow()
      changes.announce({ noun: 'session' })
      return numDeletedRows > 0n
    },

    async removeAllOf(userId: number, except: number | null = null): Promise<void> {
      const all = db.deleteFrom('sessions').where('user_id', '=', userId)
      await (except === null ? all : all.where('id', '!=', except)).execute()
      changes.announce({ noun: 'session' })
    },

    /** Forgets those that have ended by themselves. */
    async prune({ seenBefore, madeBefore }: { seenBefore: number; madeBefore: number }): Promise<void> {
      await db
        .deleteFrom('sessions')
        .where((row) =>
          row.or([
            row('last_seen_at', '<', new Date(seenBefore).toISOString()),
            row('inserted_at', '<', new Date(madeBefore).toISOString()),
          ]),
        )
        .execute()
    },
  }
}

function fromRow({
  id,
  user_id,
  address,
  user_agent,
  inserted_at,
  last_seen_at,
}: Selectable<Tables['sessions']>): SessionRecord {
  return { id, user_id, address, user_agent, inserted_at, last_seen_at }
}
