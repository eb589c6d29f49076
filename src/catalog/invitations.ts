import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { type Invitation, Role } from '../model/person.ts'
import { hashOf, newSecretValue } from './secret-values.ts'
import type { Database, Tables } from './tables.ts'

export type Invitations = ReturnType<typeof createInvitations>

export const INVITATION_LIFE_MS = 7 * 86_400_000

/** Open invitations: one for an e-mail in an account. The value of its link leaves this file once, from `create`. */
export function createInvitations({ db, clock }: { db: Database; clock: Clock }) {
  const at = (ms: number): string => new Date(ms).toISOString()
  const open = () => db.selectFrom('invitations').selectAll().where('expires_at', '>', at(clock.nowMs()))

  return {
    async list(accountId: number): Promise<Invitation[]> {
      const rows = await open().where('account_id', '=', accountId).orderBy('id').execute()
      return rows.map(fromRow)
    },

    /** Takes the place of an earlier one for the same e-mail, whose link is then dead. */
    async create(
      accountId: number,
      { email, role, invitedBy }: { email: string; role: Role; invitedBy: string },
    ): Promise<{ invitation: Invitation; value: string }> {
      const value = newSecretValue()
      const nowMs = clock.nowMs()
      const row = await db.transaction().execute(async (step) => {
        await step.deleteFrom('invitations').where('expires_at', '<=', at(nowMs)).execute()
        await step.deleteFrom('invitations').where('account_id', '=', accountId).where('email', '=', email).execute()
        return step
          .insertInto('invitations')
          .values({
            account_id: accountId,
            email,
            role,
            hash: hashOf(value),
            invited_by: invitedBy,
            inserted_at: at(nowMs),
            expires_at: at(nowMs + INVITATION_LIFE_MS),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      })
      return { invitation: fromRow(row), value }
    },

    async byValue(value: string): Promise<Invitation | null> {
      const row = await open().where('hash', '=', hashOf(value)).executeTakeFirst()
      return row ? fromRow(row) : null
    },

    /** The newest, when several accounts invited the same person. */
    async byEmail(email: string): Promise<Invitation | null> {
      const row = await open().where('email', '=', email).orderBy('id', 'desc').executeTakeFirst()
      return row ? fromRow(row) : null
    },

    /** True for the one who took it, of several at the same moment. */
    async remove(accountId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('invitations')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}

function fromRow({ hash, role, ...row }: Selectable<Tables['invitations']>): Invitation {
  return { ...row, role: Role.parse(role) }
}
