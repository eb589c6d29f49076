/**
 * Whether a receiver is worth trying. After a failure everybody waits, longer each time and never all for the same time;
 * then one tries alone, and the others follow when that worked.
 */
import type { Clock } from '../../base/clock.ts'
import type { Outcome } from '../kind.ts'

export type Pace = { firstMs: number; longestMs: number }

export const PACE: Pace = { firstMs: 1_000, longestMs: 60_000 }

export type Circuit = {
  readonly state: 'ok' | 'retrying' | 'stopped'
  /** Whether to send now. Who gets true says how it went, by `worked` or `broke`, and leaves. */
  enter(): boolean
  /** Lets another one try, whether or not there was anything to send. */
  leave(): void
  /** Until it is worth asking again. */
  waitMs(): number
  worked(): void
  broke(outcome: Extract<Outcome, { kind: 'failed' }>): void
  /** What is known is about settings that are no more. */
  forget(): void
}

const TRIAL_MS = 200

export function createCircuit({ clock, pace, random = Math.random }: { clock: Clock; pace: Pace; random?(): number }) {
  let failures = 0
  let openAtMs = 0
  let isTrial = false
  let needsHelp = false

  const circuit: Circuit = {
    get state() {
      if (failures === 0) return 'ok'
      return needsHelp ? 'stopped' : 'retrying'
    },
    enter() {
      if (failures === 0) return true
      if (isTrial || clock.nowMs() < openAtMs) return false
      isTrial = true
      return true
    },
    leave() {
      isTrial = false
    },
    waitMs: () => Math.max(openAtMs - clock.nowMs(), isTrial ? Math.min(TRIAL_MS, pace.longestMs) : 1),
    worked() {
      failures = 0
    },
    broke(outcome) {
      needsHelp = outcome.needsHelp
      const step = needsHelp ? pace.longestMs : Math.min(pace.firstMs * 2 ** Math.min(failures, 30), pace.longestMs)
      failures++
      openAtMs = clock.nowMs() + Math.max(step * (0.5 + random() / 2), outcome.retryAfterMs ?? 0)
    },
    forget() {
      failures = 0
      openAtMs = 0
      isTrial = false
    },
  }
  return circuit
}
