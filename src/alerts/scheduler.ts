/**
 * Runs alerts when they are due. Schedules fall on whole minutes, so it looks once a minute, just after one began.
 *
 * Promises: of several nodes one runs an alert; a run that takes long, or fails, holds up no other; runs whose time passed
 * while nothing was running are not made up for but reported, as one line of the history that counts them.
 */

import { createSlots } from '../backends/delivery/slots.ts'
import type { Clock } from '../base/clock.ts'
import type { Counter } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Alert } from '../model/alert.ts'
import { createSchedule, type Schedule } from '../model/schedule.ts'
import type { Fire } from './fire.ts'

export type Scheduler = {
  start(): Promise<void>
  /** Takes up what is due now; resolves when those runs are over. */
  look(): Promise<void>
  stop(): Promise<void>
}

type Parts = {
  catalog: Pick<Catalog, 'alerts' | 'alertRuns'>
  fire: Fire
  clock: Clock
  counted(outcome: 'missed'): Counter
  onError(error: unknown): void
}

const MINUTE_MS = 60_000
/** After the minute began: clocks of machines differ a little. */
const LATE_MS = 200
/** A run may be this late and still be the run of its moment. */
const GRACE_MS = 90_000
const RUNS_AT_A_TIME = 4
const MISSED_COUNTED = 10_000
const PRUNE_EVERY = 60

export function createScheduler({ catalog: { alerts, alertRuns }, fire, clock, counted, onError }: Parts): Scheduler {
  const slot = createSlots(RUNS_AT_A_TIME)
  const ending = new AbortController()
  const running = new Set<number>()
  const looks = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let lookCount = 0

  async function look(): Promise<void> {
    const nowMs = clock.nowMs()
    if (lookCount++ % PRUNE_EVERY === 0) await alertRuns.prune()
    const due = await alerts.due(nowMs)
    await Promise.all(due.map((alert) => take(alert, nowMs).catch(onError)))
  }

  async function take(alert: Alert, nowMs: number): Promise<void> {
    const schedule = createSchedule(alert)
    const { atMs, missed } = passed(schedule, Date.parse(alert.next_run_at ?? ''), nowMs)
    if (!(await alerts.claim(alert, schedule.next(nowMs)))) return
    if (missed > 0) await report(alert, missed, nowMs, 'the service was not running')
    if (atMs === null) return
    if (running.has(alert.id)) return report(alert, 1, nowMs, 'the run before it still went on')
    running.add(alert.id)
    try {
      await slot(async () => {
        if (ending.signal.aborted) return
        // A failed query is in the history; its words are for those who ask by hand.
        await fire(alert, { trigger: 'schedule', atMs, token: null, signal: ending.signal }).catch(() => {})
      })
    } finally {
      running.delete(alert.id)
    }
  }

  async function report(alert: Alert, missed: number, nowMs: number, why: string): Promise<void> {
    const count =
      missed >= MISSED_COUNTED ? `${MISSED_COUNTED} or more runs` : missed === 1 ? '1 run' : `${missed} runs`
    counted('missed').value += missed
    await alertRuns.add(alert.id, {
      ...{ at: new Date(nowMs).toISOString(), trigger: 'schedule', outcome: 'missed', rows: 0, ms: 0, muted: false },
      ...{ error: `missed ${count}: ${why}`, missed, deliveries: [] },
    })
  }

  function lookNow(): Promise<void> {
    const looking = look()
      .catch(onError)
      .finally(() => looks.delete(looking))
    looks.add(looking)
    return looking
  }

  function wait(): void {
    const nowMs = clock.nowMs()
    timer = setTimeout(
      () => {
        lookNow()
        wait()
      },
      MINUTE_MS - (nowMs % MINUTE_MS) + LATE_MS,
    )
  }

  return {
    async start() {
      await alerts.plan()
      lookNow()
      wait()
    },
    look: lookNow,
    async stop() {
      if (timer) clearTimeout(timer)
      ending.abort()
      await Promise.all(looks)
    },
  }
}

/** Of the moments that came since `dueMs`: the one to run, if it is not too late for it, and how many others there were. */
function passed(schedule: Schedule, dueMs: number, nowMs: number): { atMs: number | null; missed: number } {
  let atMs = dueMs
  let missed = 0
  for (let next = schedule.next(atMs); next !== null && next <= nowMs; next = schedule.next(atMs)) {
    atMs = next
    missed++
    if (missed === MISSED_COUNTED) return { atMs: null, missed }
  }
  return nowMs - atMs > GRACE_MS ? { atMs: null, missed: missed + 1 } : { atMs, missed }
}
