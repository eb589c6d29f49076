import { sql } from 'kysely'
import type { Database } from '../tables.ts'

/** A node that shares the catalog. */
export type Node = {
  /** Its number in cursors; never used for another node. */
  id: number
  token: string
  /** Where other nodes reach it. */
  address: string
  version: string
  /** The end of its journal when it started. */
  position: number
  /** ISO 8601, UTC. */
  started_at: string
  last_seen_at: string
  /** Whether it was seen lately. */
  isLive: boolean
}

export type Nodes = ReturnType<typeof createNodes>

/** A node says so every few seconds. */
const LIVE_MS = 12_000

/** The nodes that share this catalog, by the database's clock. */
export function createNodes({ db }: { db: Database }) {
  return {
    /** The number of a node, from the first time it is asked for; asking does not make it live. */
    async numberOf(token: string): Promise<number> {
      const never = { started_at: sql<Date>`'epoch'`, last_seen_at: sql<Date>`'epoch'` }
      await db
        .insertInto('nodes')
        .values({ token, address: '', version: '', position: 0, ...never })
        .onConflict((conflict) => conflict.column('token').doNothing())
        .execute()
      const { id } = await db.selectFrom('nodes').select('id').where('token', '=', token).executeTakeFirstOrThrow()
      return id
    },

    async register(node: Pick<Node, 'token' | 'address' | 'version' | 'position'>): Promise<void> {
      await db
        .insertInto('nodes')
        .values({ ...node, started_at: sql`now()`, last_seen_at: sql`now()` })
        .onConflict((conflict) =>
          conflict.column('token').doUpdateSet((of) => ({
            address: of.ref('excluded.address'),
            version: of.ref('excluded.version'),
            position: of.ref('excluded.position'),
            started_at: of.ref('excluded.started_at'),
            last_seen_at: of.ref('excluded.last_seen_at'),
          })),
        )
        .execute()
    },

    /** Whether it is still the one that registered with this address. */
    async seen({ token, address }: Pick<Node, 'token' | 'address'>): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('nodes')
        .set({ last_seen_at: sql`now()` })
        .where('token', '=', token)
        .where('address', '=', address)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** It stopped in order: nobody needs to wait for it. */
    async leave(token: string): Promise<void> {
      await db.updateTable('nodes').set({ last_seen_at: sql`'epoch'` }).where('token', '=', token).execute()
    },

    async list(): Promise<Node[]> {
      const rows = await db
        .selectFrom('nodes')
        .selectAll()
        .select(sql<boolean>`last_seen_at > now() - ${LIVE_MS} * interval '1 ms'`.as('isLive'))
        .orderBy('id')
        .execute()
      return rows.map((row) => ({
        ...row,
        position: Number(row.position),
        started_at: row.started_at.toISOString(),
        last_seen_at: row.last_seen_at.toISOString(),
      }))
    },
  }
}
