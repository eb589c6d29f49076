import type { Clock } from '../base/clock.ts'
import type { DeadLetter } from '../model/backend.ts'
import type { Database } from './tables.ts'

export type DeadLetters = ReturnType<typeof createDeadLetters>

/** Events that a backend's receiver refused for good; they go with the backend. */
export function createDeadLetters({ db, clock }: { db: Database; clock: Clock }) {
  return {
    async add(backendId: number, letters: Pick<DeadLetter, 'source' | 'reason' | 'event'>[]): Promise<void> {
      const at = new Date(clock.nowMs()).toISOString()
      for (const letter of letters)
        await db
          .insertInto('dead_letters')
          .values({ backend_id: backendId, at, ...letter })
          .execute()
    },

    /** Oldest first, those after `afterId`. */
    list: (backendId: number, { limit, afterId = 0 }: { limit: number; afterId?: number }): Promise<DeadLetter[]> =>
      db
        .selectFrom('dead_letters')
        .select(['id', 'at', 'source', 'reason', 'event'])
        .where('backend_id', '=', backendId)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(limit)
        .execute(),

    async count(backendId: number): Promise<number> {
      const { count } = await db
        .selectFrom('dead_letters')
        .select((of) => of.fn.countAll().as('count'))
        .where('backend_id', '=', backendId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async remove(ids: number[]): Promise<void> {
      if (ids.length > 0) await db.deleteFrom('dead_letters').where('id', 'in', ids).execute()
    },

    async clear(backendId: number): Promise<void> {
      await db.deleteFrom('dead_letters').where('backend_id', '=', backendId).execute()
    },
  }
}
