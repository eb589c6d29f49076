import { type Selectable, sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { AlertRun, type Delivered, RUNS_KEPT, RUNS_KEPT_DAYS } from '../model/alert-run.ts'
import type { Database, Tables } from './tables.ts'

export type AlertRuns = ReturnType<typeof createAlertRuns>

const DAY_MS = 86_400_000
/** Deliveries are tried for less than this; one that still waits then lost its process. */
const PENDING_MS = 3_600_000

/** What became of the runs of each alert, the last of them. */
export function createAlertRuns({ db, clock }: { db: Database; clock: Clock }) {
  const before = (ms: number): string => new Date(clock.nowMs() - ms).toISOString()

  return {
    /** Answers its id; null when the alert was deleted meanwhile. */
    async add(alertId: number, { deliveries, muted, ...run }: Omit<AlertRun, 'id'>): Promise<number | null> {
      return db.transaction().execute(async (step) => {
        const alert = await step.selectFrom('alerts').select('id').where('id', '=', alertId).executeTakeFirst()
        if (!alert) return null
        const { id } = await step
          .insertInto('alert_runs')
          .values({ ...run, alert_id: alertId, muted: muted ? 1 : 0, deliveries: JSON.stringify(deliveries) })
          .returning('id')
          .executeTakeFirstOrThrow()
        await step
          .deleteFrom('alert_runs')
          .where('alert_id', '=', alertId)
          .where(
            'id',
            '<=',
            sql<number>`coalesce((select id from alert_runs where alert_id = ${alertId} order by id desc limit 1 offset ${sql.lit(RUNS_KEPT)}), 0)`,
          )
          .execute()
        return id
      })
    },

    async deliver(id: number, deliveries: Delivered[]): Promise<void> {
      await db
        .updateTable('alert_runs')
        .set({ deliveries: JSON.stringify(deliveries) })
        .where('id', '=', id)
        .execute()
    },

    /** Newest first; `beforeId` goes on after a page. */
    async list(alertId: number, { limit, beforeId }: { limit: number; beforeId: number | null }): Promise<AlertRun[]> {
      const all = db.selectFrom('alert_runs').selectAll().where('alert_id', '=', alertId)
      const rows = await (beforeId === null ? all : all.where('id', '<', beforeId))
        .where('at', '>=', before(RUNS_KEPT_DAYS * DAY_MS))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      const lost = before(PENDING_MS)
      return rows.map((row) => fromRow(row, row.at < lost))
    },

    async prune(): Promise<void> {
      await db
        .deleteFrom('alert_runs')
        .where('at', '<', before(RUNS_KEPT_DAYS * DAY_MS))
        .execute()
    },
  }
}

function fromRow({ alert_id: _alert, ...row }: Selectable<Tables['alert_runs']>, isOver: boolean): AlertRun {
  const run = AlertRun.parse({ ...row, muted: row.muted === 1, deliveries: JSON.parse(row.deliveries) })
  if (isOver) run.deliveries = run.deliveries.map(givenUp)
  return run
}

const givenUp = (one: Delivered): Delivered =>
  one.state === 'pending'
    ? { ...one, state: 'failed', error: one.error ?? 'the service ended before it was sent' }
    : one
