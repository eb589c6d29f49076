/**
 * How much of the front's one thread live tail may use: a share of the time in which it would be idle, and a sliver of
 * it when it never is. So watching costs ingest nothing that could be measured, and events are skipped instead.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'

export type Allowance = {
  /** Resolves when there is time to work; true when it had to wait for it. */
  ready(): Promise<boolean>
  spend(ms: number): void
}

/** The share of a thread that is busy all the time. */
const LEAST = 0.02
/** The share of its idle time; the rest is for what comes suddenly. */
const OF_IDLE = 0.5
/** Work that may be done at once after a quiet time: enough to give 200 readers some hundred events. */
const MOST_SAVED_MS = 200
const SAMPLE_AFTER_MS = 100
const LONGEST_WAIT_MS = 1_000

type Parts = {
  nowMs?: () => number
  /** How much of the time since it was last asked the thread was busy, from 0 to 1. */
  busy?: () => number
}

export function createAllowance({ nowMs = () => performance.now(), busy = createBusy() }: Parts = {}): Allowance {
  let savedMs = MOST_SAVED_MS
  let share = OF_IDLE
  let atMs = nowMs()
  let sampledMs = atMs

  function refill(): void {
    const now = nowMs()
    if (now - sampledMs >= SAMPLE_AFTER_MS) {
      share = Math.max(LEAST, (1 - busy()) * OF_IDLE)
      sampledMs = now
    }
    savedMs = Math.min(MOST_SAVED_MS, savedMs + (now - atMs) * share)
    atMs = now
  }

  return {
    async ready() {
      refill()
      if (savedMs > 0) return false
      while (savedMs <= 0) {
        await wait(Math.min(LONGEST_WAIT_MS, Math.ceil(-savedMs / share) + 1))
        refill()
      }
      return true
    },
    spend(ms) {
      savedMs -= ms
    },
  }
}

function createBusy(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    return utilization
  }
}
