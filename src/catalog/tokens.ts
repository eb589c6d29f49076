import { createHash, randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import { type NewToken, normalScopes, type Token } from '../model/token.ts'
import type { Changes } from './changes.ts'
import { uniqueViolation } from './engines/violation.ts'
import type { Database, Tables } from './tables.ts'

export type Tokens = ReturnType<typeof createTokens>

const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex')

const newValue = (): string => `mr_${randomBytes(32).toString('base64url')}`

/** Access tokens. A value leaves this file once, from `create`; a revoked token stays as a row but opens nothing. */
export function createTokens({ db, clock, changes }: { db: Database; clock: Clock; changes: Changes }) {
  const now = (): string => new Date(clock.nowMs()).toISOString()

  return {
    async list(accountId: number): Promise<Token[]> {
      const rows = await db
        .selectFrom('tokens')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('revoked_at', 'is', null)
        .orderBy('id')
        .execute()
      return rows.map(fromRow)
    },

    async byValue(value: string): Promise<Token | null> {
      const row = await db
        .selectFrom('tokens')
        .selectAll()
        .where('hash', '=', hashOf(value))
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return row ? fromRow(row) : null
    },

    async create(
      accountId: number,
      { description, scopes = 'ingest' }: NewToken,
    ): Promise<{ token: Token; value: string }> {
      const value = newValue()
      const row = await db
        .insertInto('tokens')
        .values({
          account_id: accountId,
          description: description || null,
          scopes,
          hash: hashOf(value),
          fixed: 0,
          inserted_at: now(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      changes.announce({ noun: 'token' })
      return { token: fromRow(row), value }
    },

    /** Makes the token that the deployment's settings fix, or gives it the value and scopes they now hold. */
    async ensureFixed(
      accountId: number,
      fixed: { description: string; scopes: string; value: string },
    ): Promise<Token> {
      const scopes = normalScopes(fixed.scopes)
      if (scopes === null) throw new Fault('setup', `"${fixed.scopes}" is not a list of scopes.`)
      const set = { scopes, hash: hashOf(fixed.value), revoked_at: null }
      try {
        const row = await db.transaction().execute(async (step) => {
          const known = await step
            .selectFrom('tokens')
            .select('id')
            .where('account_id', '=', accountId)
            .where('description', '=', fixed.description)
            .where('fixed', '=', 1)
            .executeTakeFirst()
          if (known) {
            return step
              .updateTable('tokens')
              .set(set)
              .where('id', '=', known.id)
              .returningAll()
              .executeTakeFirstOrThrow()
          }
          return step
            .insertInto('tokens')
            .values({ account_id: accountId, description: fixed.description, fixed: 1, inserted_at: now(), ...set })
            .returningAll()
            .executeTakeFirstOrThrow()
        })
        changes.announce({ noun: 'token' })
        return fromRow(row)
      } catch (error) {
        if (uniqueViolation(error) === null) throw error
        // Another node may have made the same token in the same moment; anything else is a value used twice.
        const row = await db
          .selectFrom('tokens')
          .selectAll()
          .where('hash', '=', set.hash)
          .where('description', '=', fixed.description)
          .where('fixed', '=', 1)
          .executeTakeFirst()
        if (row) return fromRow(row)
        throw new Fault('setup', `The value of the ${fixed.description} is already used by another token.`)
      }
    },

    /** By id or by value. True when it was this account's token, also when it was revoked before. */
    async revoke(accountId: number, which: { id: number } | { value: string }): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('tokens')
        .set((column) => ({ revoked_at: column.fn.coalesce('revoked_at', column.val(now())) }))
        .where('account_id', '=', accountId)
        .where((column) => ('id' in which ? column('id', '=', which.id) : column('hash', '=', hashOf(which.value))))
        .executeTakeFirstOrThrow()
      changes.announce({ noun: 'token' })
      return numUpdatedRows > 0n
    },

    async markUsed(ids: number[], atMs: number): Promise<void> {
      if (ids.length === 0) return
      await db
        .updateTable('tokens')
        .set({ last_used_at: new Date(atMs).toISOString() })
        .where('id', 'in', ids)
        .execute()
    },
  }
}

function fromRow({
  id,
  account_id,
  description,
  scopes,
  inserted_at,
  last_used_at,
}: Selectable<Tables['tokens']>): Token {
  return { id, account_id, description, scopes, inserted_at, last_used_at }
}
