/**
 * How much of the front's one thread live tail may use: a share of the time in which it would be idle, and a sliver of
 * it when it never is. So watching costs ingest nothing that could be measured, and events are skipped instead.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises'
import { TURN_MS } from './limits.ts'

export type Allowance = {
  /** Resolves when there is time to work, or after `LONGEST_WAIT_MS`: false asks to do only a little then. */
  ready(): Promise<boolean>
  spend(ms: number): void
}

/** The share of a thread that is busy all the time. */
const LEAST = 0.02
/** The share of a thread that has nothing else to do. It falls with the square of the idle time: half idle, a quarter. */
const MOST = 0.5
/** Work that may be done at once after a quiet time: enough to give 200 readers some hundred events. */
const MOST_SAVED_MS = 100
const SAMPLE_AFTER_MS = 100
/** However busy the thread is, whoever watches sees something this often. */
const LONGEST_WAIT_MS = 200
/** What was spent beyond the allowance is not held against it for ever. */
const MOST_OWED_MS = 500

type Parts = {
  nowMs?: () => number
  /** How much of the time since it was last asked the thread was busy, from 0 to 1. */
  busy?: () => number
  wait?: (ms: number) => Promise<void>
}

export function createAllowance({
  nowMs = () => performance.now(),
  busy = createBusy(),
  wait = (ms) => setTimeout(ms),
}: Parts = {}): Allowance {
  let savedMs = MOST_SAVED_MS
  let share = MOST
  let atMs = nowMs()
  let sampledMs = atMs

  function refill(): void {
    const now = nowMs()
    if (now - sampledMs >= SAMPLE_AFTER_MS) {
      share = Math.max(LEAST, (1 - busy()) ** 2 * MOST)
      sampledMs = now
    }
    savedMs = Math.min(MOST_SAVED_MS, savedMs + (now - atMs) * share)
    atMs = now
  }

  return {
    async ready() {
      refill()
      if (savedMs > 0) return true
      await wait(Math.min(LONGEST_WAIT_MS, Math.ceil(-savedMs / share) + 1))
      refill()
      return savedMs > 0
    },
    spend(ms) {
      savedMs = Math.max(-MOST_OWED_MS, savedMs - ms)
    },
  }
}

/** Some work, in pieces that let others have their turn. */
export type Turn = {
  /** Between pieces: ends the turn of the event loop when it was long enough. */
  look(): Promise<void>
  end(): Promise<void>
}

export function createTurn(allowance: Allowance): Turn {
  let startedMs = performance.now()

  async function end(): Promise<void> {
    await written()
    allowance.spend(performance.now() - startedMs)
    await nextTurn()
    startedMs = performance.now()
  }

  return {
    async look() {
      await written()
      if (performance.now() - startedMs >= TURN_MS) await end()
    },
    end,
  }
}

/** What is written to a response reaches its socket in the next tick; that is most of the cost. */
const written = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

function createBusy(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    return utilization
  }
}
