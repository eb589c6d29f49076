/**
 * Claims: what one of several nodes does for all of them. A claim is had for a time and then free, so that a node that
 * died holds up nothing. Where there is one node it has every claim.
 */
import { sql } from 'kysely'
import type { Database } from './tables.ts'

export type Claims = {
  /** Whether others may have them. */
  readonly isShared: boolean
  /** Whether it is this node's for so long from now; who has a claim may take it again. */
  take(name: string, forMs: number): Promise<boolean>
  /** The token of the node that has it now; null: nobody, or there is one node only. */
  holder(name: string): Promise<string | null>
  /** Gives it back before its time. */
  release(name: string): Promise<void>
}

export const ownClaims: Claims = {
  isShared: false,
  take: async () => true,
  holder: async () => null,
  release: async () => {},
}

/** The time is the database's, as clocks of nodes differ. */
export function createSharedClaims({ db, node }: { db: Database; node: string }): Claims {
  return {
    isShared: true,
    async take(name, forMs) {
      const { rows } = await sql`
        insert into claims (name, holder, until) values (${name}, ${node}, now() + ${forMs} * interval '1 ms')
        on conflict (name) do update set holder = excluded.holder, until = excluded.until
        where claims.until <= now() or claims.holder = excluded.holder
        returning holder`.execute(db)
      return rows.length > 0
    },
    async holder(name) {
      const row = await db
        .selectFrom('claims')
        .select('holder')
        .where('name', '=', name)
        .where('until', '>', sql<Date>`now()`)
        .executeTakeFirst()
      return row?.holder ?? null
    },
    async release(name) {
      await db.deleteFrom('claims').where('name', '=', name).where('holder', '=', node).execute()
    },
  }
}

const CLEAN_EVERY_MS = 3_600_000 - 60_000

/** Removes what is past its time: one node does it, an hour is enough, and all may try. */
export async function once(claims: Claims, what: string, clean: () => Promise<void>): Promise<void> {
  if (await claims.take(`clean-up of ${what}`, CLEAN_EVERY_MS)) await clean()
}
