import { sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Database } from './tables.ts'

export type QueryLog = ReturnType<typeof createQueryLog>

export const QUERY_KINDS = ['query', 'endpoint', 'requery', 'alert'] as const
export type QueryKind = (typeof QUERY_KINDS)[number]

/** One line of the log: a query that ran, or several answers out of a cache that differ in nothing but their moment. */
export type LoggedQuery = {
  /** ISO 8601, UTC. */
  at: string
  kind: QueryKind
  /** The endpoint's token. */
  endpoint: string | null
  version: number | null
  labels: Record<string, string>
  rows: number
  bytes_scanned: number
  ms: number
  cached: boolean
  error: string | null
  /** The description of the token that asked; null when none did. */
  token: string | null
  /** How many requests this line stands for. */
  count: number
}

/** The calls of one endpoint, summed up. Requeries are not calls. */
export type EndpointUse = {
  /** The endpoint's token. */
  endpoint: string
  calls: number
  cached: number
  failed: number
  /** Of calls that ran a query and did not fail; null when there were none. */
  mean_ms: number | null
  max_ms: number | null
  /** ISO 8601, UTC. */
  last_at: string
}

const KEPT_MS = 7 * 86_400_000
const ROWS_PER_INSERT = 50
/** Of all accounts together. */
const LINES_KEPT = 1_000_000

/** What was asked lately, by account. */
export function createQueryLog({ db, clock }: { db: Database; clock: Clock }) {
  return {
    async add(entries: { accountId: number; entry: LoggedQuery }[]): Promise<void> {
      const rows = entries.map(({ accountId, entry }) => ({
        account_id: accountId,
        at: entry.at,
        kind: entry.kind,
        endpoint: entry.endpoint,
        version: entry.version,
        labels: JSON.stringify(entry.labels),
        rows: entry.rows,
        bytes_scanned: entry.bytes_scanned,
        ms: entry.ms,
        cached: entry.cached ? 1 : 0,
        error: entry.error,
        token: entry.token,
        count: entry.count,
      }))
      await db.transaction().execute(async (step) => {
        for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
          await step
            .insertInto('queries')
            .values(rows.slice(at, at + ROWS_PER_INSERT))
            .execute()
        }
      })
    },

    /** Newest first. */
    async list(
      accountId: number,
      { endpoint, limit }: { endpoint: string | null; limit: number },
    ): Promise<LoggedQuery[]> {
      const all = db.selectFrom('queries').selectAll().where('account_id', '=', accountId)
      const wanted = endpoint === null ? all : all.where('endpoint', '=', endpoint)
      const rows = await wanted
        .where('at', '>=', oldest())
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ id, account_id, ...row }) => ({
        ...row,
        kind: QUERY_KINDS.find((kind) => kind === row.kind) ?? 'query',
        // PostgreSQL hands out its 64-bit integers as text.
        bytes_scanned: Number(row.bytes_scanned),
        labels: JSON.parse(row.labels),
        cached: row.cached === 1,
      }))
    },

    /** Of the endpoints that were called at all. */
    async endpointUse(accountId: number): Promise<EndpointUse[]> {
      const ran = sql<number>`case when cached = 0 and error is null then 1 else 0 end`
      const rows = await db
        .selectFrom('queries')
        .select(({ fn }) => [
          'endpoint',
          fn.sum('count').as('calls'),
          fn.sum(sql`count * cached`).as('cached'),
          sql<number>`sum(case when error is null then 0 else count end)`.as('failed'),
          sql<number>`sum(${ran})`.as('ran'),
          sql<number>`sum(${ran} * ms)`.as('ms'),
          sql<number>`max(${ran} * ms)`.as('max_ms'),
          fn.max('at').as('last_at'),
        ])
        .where('account_id', '=', accountId)
        .where('kind', '=', 'endpoint')
        .where('at', '>=', oldest())
        .groupBy('endpoint')
        .execute()
      // PostgreSQL hands out sums as text.
      return rows.flatMap(({ endpoint, last_at, ...sums }) => {
        if (endpoint === null) return []
        const ran = Number(sums.ran)
        return {
          endpoint,
          calls: Number(sums.calls),
          cached: Number(sums.cached),
          failed: Number(sums.failed),
          mean_ms: ran === 0 ? null : Math.round(Number(sums.ms) / ran),
          max_ms: ran === 0 ? null : Number(sums.max_ms),
          last_at,
        }
      })
    },

    async prune(): Promise<void> {
      await db.deleteFrom('queries').where('at', '<', oldest()).execute()
      const surplus = await db
        .selectFrom('queries')
        .select('id')
        .orderBy('id', 'desc')
        .offset(LINES_KEPT)
        .limit(1)
        .executeTakeFirst()
      if (surplus) await db.deleteFrom('queries').where('id', '<=', surplus.id).execute()
    },
  }

  function oldest(): string {
    return new Date(clock.nowMs() - KEPT_MS).toISOString()
  }
}
