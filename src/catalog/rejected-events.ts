import { sql } from 'kysely'
import type { Database } from './tables.ts'

export type RejectedEvents = ReturnType<typeof createRejectedEvents>

export type RejectedEvent = {
  /** ISO 8601, UTC. */
  at: string
  reason: string
  event: unknown
}

export const REJECTED_KEPT = 100
/** A longer event is kept as the beginning of its JSON text: enough to recognise it. */
const EVENT_TEXT_MAX = 32_768

/** The last rejected events of each source, with the reason. */
export function createRejectedEvents({ db }: { db: Database }) {
  return {
    /** Oldest first, as they came; only the newest hundred stay. */
    async add(sourceId: number, events: RejectedEvent[]): Promise<void> {
      const rows = events.slice(-REJECTED_KEPT).map(({ at, reason, event }) => ({
        source_id: sourceId,
        at,
        reason,
        event: eventText(event),
      }))
      if (rows.length === 0) return
      await db.transaction().execute(async (step) => {
        await step.insertInto('rejected_events').values(rows).execute()
        await step
          .deleteFrom('rejected_events')
          .where('source_id', '=', sourceId)
          .where(
            'id',
            '<=',
            sql<number>`coalesce((select id from rejected_events where source_id = ${sourceId} order by id desc limit 1 offset ${sql.lit(REJECTED_KEPT)}), 0)`,
          )
          .execute()
      })
    },

    /** Newest first. */
    async list(sourceId: number): Promise<RejectedEvent[]> {
      const rows = await db
        .selectFrom('rejected_events')
        .select(['at', 'reason', 'event'])
        .where('source_id', '=', sourceId)
        .orderBy('id', 'desc')
        .limit(REJECTED_KEPT)
        .execute()
      return rows.map((row) => ({ at: row.at, reason: row.reason, event: JSON.parse(row.event) }))
    },
  }
}

function eventText(event: unknown): string {
  // Text columns of PostgreSQL hold no zero character; in JSON text it can only stand as this escape, which they hold.
  const text = JSON.stringify(event) ?? 'null'
  return text.length <= EVENT_TEXT_MAX ? text : JSON.stringify(text.slice(0, EVENT_TEXT_MAX))
}
