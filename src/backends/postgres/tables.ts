/**
 * Tables of sources: `id`, `timestamp`, `event_message` and everything else as `body` (jsonb), so that new and nested
 * fields need no change of the table. One partition per UTC day, made before it is needed; retention drops partitions.
 */
import type { Client } from 'pg'
import type { Origin } from '../kind.ts'
import { tableName } from '../table-name.ts'

const DAY_US = 86_400_000_000

export const dayOf = (us: number): number => Math.floor(us / DAY_US)

const dateOf = (day: number): string => new Date((day * DAY_US) / 1000).toISOString().slice(0, 10)

export const qualified = (schema: string, table: string): string => `"${schema}"."${table}"`

export type Tables = {
  /** Makes the table and the partitions of these days, of today and of tomorrow. */
  prepare(client: Client, source: Origin, days: ReadonlySet<number>): Promise<void>
  /** Something was not as it was thought to be. */
  forget(token: string): void
  /** Drops what is older than retention allows. */
  sweep(client: Client, source: Origin): Promise<void>
}

export function createTables({ schema, nowMs }: { schema: string; nowMs(): number }): Tables {
  const known = new Map<string, Set<number>>()

  return {
    async prepare(client, source, days) {
      const today = dayOf(nowMs() * 1000)
      const wanted = [...new Set([...days, today, today + 1])]
      const made = known.get(source.token)
      const missing = wanted.filter((day) => !made?.has(day))
      if (missing.length === 0) return
      await create(client, schema, source.token, missing)
      known.set(source.token, new Set([...(made ?? []), ...missing]))
    },
    forget: (token) => void known.delete(token),
    async sweep(client, { token, retentionDays }) {
      const first = dayOf(nowMs() * 1000) - retentionDays
      const { rows } = await client.query<{ name: string }>(
        `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = to_regclass($1)`,
        [qualified(schema, tableName(token))],
      )
      for (const { name } of rows) {
        const date = /_(\d{4})(\d\d)(\d\d)$/.exec(name)
        if (!date || dayOf(Date.parse(`${date[1]}-${date[2]}-${date[3]}`) * 1000) >= first) continue
        await client.query(`DROP TABLE IF EXISTS ${qualified(schema, name)}`)
        known.delete(token)
      }
    },
  }
}

async function create(client: Client, schema: string, token: string, days: number[]): Promise<void> {
  const table = tableName(token)
  await client.query('BEGIN')
  // Two connections that make the same table at once would fail, IF NOT EXISTS or not.
  await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [table])
  if (schema !== 'public') await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${qualified(schema, table)} (
      id text COLLATE "C" NOT NULL,
      "timestamp" timestamptz NOT NULL,
      event_message text COLLATE "C",
      body jsonb NOT NULL,
      PRIMARY KEY ("timestamp", id)
    ) PARTITION BY RANGE ("timestamp")`,
  )
  for (const day of days) {
    const [from, to] = [dateOf(day), dateOf(day + 1)]
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${qualified(schema, `${table}_${from.replaceAll('-', '')}`)}
       PARTITION OF ${qualified(schema, table)} FOR VALUES FROM ('${from}T00:00:00Z') TO ('${to}T00:00:00Z')`,
    )
  }
  await client.query('COMMIT')
}
