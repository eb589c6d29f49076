/**
 * What nodes that share a catalog in PostgreSQL have there beside its records: who they are, what one of them does for all,
 * what the others changed, and the fields of sources that the others have seen.
 *
 * Promises: times are those of the database; nothing here is needed to take events, so that a node that cannot reach it goes
 * on, and makes up for it later. Until `follow` is called it holds no connection of its own and has no timers.
 * Refuses nothing.
 */
import { sql } from 'kysely'
import type { Changes } from '../changes.ts'
import { type Claims, createSharedClaims, once } from '../claims.ts'
import type { Database } from '../tables.ts'
import { createFeed } from './feed.ts'
import { createNodes, type Nodes } from './nodes.ts'
import { createSharedFields, type SharedFields } from './source-fields.ts'

export type Shared = {
  /** The token of this node. */
  node: string
  nodes: Nodes
  claims: Claims
  fields: SharedFields
  /** Those of these sources that somebody deleted. One that is merely missing was lost with the database's last moments. */
  deleted(tokens: readonly string[]): Promise<Set<string>>
  /** From now on `changes` tells what other nodes change, too. */
  follow(onError: (error: unknown) => void): Promise<void>
  stop(): Promise<void>
}

type Parts = { db: Database; url: string; changes: Changes; node: string }

const CLEAN_EVERY_MS = 3_600_000

export function createShared({ db, url, changes, node }: Parts): Shared {
  const claims = createSharedClaims({ db, node })
  const ends: (() => Promise<void> | void)[] = []

  /** Notes are read within seconds, and a node that was away for longer does not ask for them. */
  async function clean(): Promise<void> {
    await sql`delete from changes where at < now() - interval '1 hour'`.execute(db)
    await sql`delete from claims where until < now() - interval '1 day'`.execute(db)
    await sql`delete from deleted_sources where at < now() - interval '90 days'`.execute(db)
    await sql`delete from nodes where greatest(last_seen_at, started_at) < now() - interval '30 days'`.execute(db)
  }

  return {
    node,
    nodes: createNodes({ db }),
    claims,
    fields: createSharedFields({ db }),
    async deleted(tokens) {
      const found = await sql<{
        token: string
      }>`select token from deleted_sources where token = any(${tokens})`.execute(db)
      return new Set(found.rows.map(({ token }) => token))
    },
    async follow(onError) {
      const feed = createFeed({ url, db, announce: changes.announce, onError })
      ends.push(feed.stop)
      await feed.start()
      const timer = setInterval(() => once(claims, 'what nodes share', clean).catch(onError), CLEAN_EVERY_MS)
      timer.unref()
      ends.push(() => clearInterval(timer))
    },
    async stop() {
      for (const end of ends.splice(0)) await end()
    },
  }
}
