import type { Clock } from '../base/clock.ts'
import { hashOf, newSecretValue } from './secret-values.ts'
import type { Database } from './tables.ts'

export type PasswordResets = ReturnType<typeof createPasswordResets>

export const PASSWORD_RESET_LIFE_MS = 3_600_000

/** Links that set a new password: the newest one counts, once. */
export function createPasswordResets({ db, clock }: { db: Database; clock: Clock }) {
  const at = (ms: number): string => new Date(ms).toISOString()
  return {
    async create(userId: number): Promise<string> {
      const value = newSecretValue()
      const nowMs = clock.nowMs()
      await db.transaction().execute(async (step) => {
        await step.deleteFrom('password_resets').where('user_id', '=', userId).execute()
        await step
          .insertInto('password_resets')
          .values({ user_id: userId, hash: hashOf(value), expires_at: at(nowMs + PASSWORD_RESET_LIFE_MS) })
          .execute()
      })
      return value
    },

    /** Whose password it sets, and it is used up; null when it is unknown or too old. */
    async take(value: string): Promise<number | null> {
      const row = await db
        .deleteFrom('password_resets')
        .where('hash', '=', hashOf(value))
        .returning(['user_id', 'expires_at'])
        .executeTakeFirst()
      return row && row.expires_at > at(clock.nowMs()) ? row.user_id : null
    },

    async removeAllOf(userId: number): Promise<void> {
      await db.deleteFrom('password_resets').where('user_id', '=', userId).execute()
    },
  }
}
