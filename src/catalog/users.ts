import { type Selectable, sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import { type NewUser, Role, type User } from '../model/person.ts'
import type { Changes } from './changes.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Engine } from './migrations.ts'
import type { Database, Tables } from './tables.ts'

export type Users = ReturnType<typeof createUsers>

type Parts = { db: Database; engine: Engine; clock: Clock; changes: Changes }

/** People. An account that has an owner keeps at least one. Hashed passwords leave this file only to be compared. */
export function createUsers({ db, engine, clock, changes }: Parts) {
  const now = (): string => new Date(clock.nowMs()).toISOString()

  async function insert(on: Database, accountId: number, user: NewUser, subject: string | null = null): Promise<User> {
    try {
      const row = await on
        .insertInto('users')
        .values({ ...user, account_id: accountId, subject, inserted_at: now() })
        .returningAll()
        .executeTakeFirstOrThrow()
      return fromRow(row)
    } catch (error) {
      if (uniqueViolation(error) !== null) throw new InvalidRecord({ email: ['has already been taken'] })
      throw error
    }
  }

  /** Two owners who demote each other in the same moment must not both succeed, so owners change one after the other. */
  async function keepAnOwner(step: Database, accountId: number, id: number): Promise<void> {
    if (engine === 'postgres')
      await step.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute()
    const owners = await step
      .selectFrom('users')
      .select('id')
      .where('account_id', '=', accountId)
      .where('role', '=', 'owner')
      .execute()
    if (owners.length === 1 && owners[0]?.id === id)
      throw new Fault('conflict', 'This is the last owner of the account. Make somebody else an owner first.')
  }

  return {
    async exist(): Promise<boolean> {
      return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
    },

    async list(accountId: number): Promise<User[]> {
      const rows = await db.selectFrom('users').selectAll().where('account_id', '=', accountId).orderBy('id').execute()
      return rows.map(fromRow)
    },

    async byId(accountId: number, id: number): Promise<User | null> {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async byEmail(email: string): Promise<User | null> {
      const row = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async bySubject(subject: string): Promise<User | null> {
      const row = await db.selectFrom('users').selectAll().where('subject', '=', subject).executeTakeFirst()
      return row ? fromRow(row) : null
    },

    /** The stored hash; null for somebody without a password. */
    async passwordOf(id: number): Promise<string | null> {
      const row = await db.selectFrom('users').select('password').where('id', '=', id).executeTakeFirst()
      return row?.password ?? null
    },

    create: (accountId: number, user: NewUser, subject: string | null = null): Promise<User> =>
      insert(db, accountId, user, subject),

    /** Null when somebody was there before; of several at the same moment one wins. */
    async createFirst(accountId: number, user: NewUser, subject: string | null = null): Promise<User | null> {
      return db.transaction().execute(async (step) => {
        if (engine === 'postgres') await sql`lock table users in exclusive mode`.execute(step)
        const other = await step.selectFrom('users').select('id').limit(1).executeTakeFirst()
        return other ? null : insert(step, accountId, user, subject)
      })
    },

    async update(accountId: number, id: number, set: { name?: string | null; role?: Role }): Promise<User | null> {
      const row = await db.transaction().execute(async (step) => {
        if (set.role !== undefined && set.role !== 'owner') await keepAnOwner(step, accountId, id)
        return (
          step
            .updateTable('users')
            // An empty change is no statement; the id stays what it is.
            .set({ account_id: accountId, ...set })
            .where('account_id', '=', accountId)
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirst()
        )
      })
      changes.announce({ noun: 'user' })
      return row ? fromRow(row) : null
    },

    async setPassword(id: number, password: string): Promise<void> {
      await db.updateTable('users').set({ password }).where('id', '=', id).execute()
      changes.announce({ noun: 'user' })
    },

    /** False when they are somebody else at the identity provider already. */
    async setSubject(id: number, subject: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ subject })
        .where('id', '=', id)
        .where('subject', 'is', null)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    async noteLogin(id: number): Promise<void> {
      await db.updateTable('users').set({ last_login_at: now() }).where('id', '=', id).execute()
    },

    /** Their sessions end with them. */
    async remove(accountId: number, id: number): Promise<boolean> {
      const removed = await db.transaction().execute(async (step) => {
        await keepAnOwner(step, accountId, id)
        const { numDeletedRows } = await step
          .deleteFrom('users')
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        return numDeletedRows > 0n
      })
      changes.announce({ noun: 'user' })
      return removed
    },
  }
}

export function fromRow(row: Selectable<Tables['users']>): User {
  const { id, account_id, email, name, role, password, inserted_at, last_login_at } = row
  return {
    id,
    account_id,
    email,
    name,
    role: Role.parse(role),
    hasPassword: password !== null,
    inserted_at,
    last_login_at,
  }
}
