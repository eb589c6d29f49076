import type { Clock } from '../base/clock.ts'

/** Events per second, per source or account: the last 60 one-second counts of this process. */
export type Rate = {
  count(events: number): void
  /** Events of the second before the present one: the newest complete count. */
  current(): number
  /** Mean of the last 60 seconds, the present one included. */
  average(): number
  lastMinute(): number
  /** Highest count of any second since the start. */
  max(): number
  total(): number
}

export type Rates = { of(key: string): Rate; forget(key: string): void }

const SECONDS = 60

export function createRates({ clock }: { clock: Clock }): Rates {
  const rates = new Map<string, Rate>()
  return {
    of(key) {
      let rate = rates.get(key)
      if (!rate) {
        rate = createRate(clock)
        rates.set(key, rate)
      }
      return rate
    },
    forget: (key) => {
      rates.delete(key)
    },
  }
}

function createRate(clock: Clock): Rate {
  const counts = new Float64Array(SECONDS)
  let second = Math.floor(clock.nowMs() / 1000)
  let sum = 0
  let max = 0
  let total = 0

  /** Clears the seconds that passed. A clock that steps back keeps counting into the newest second. */
  function turn(): void {
    const now = Math.floor(clock.nowMs() / 1000)
    const passed = Math.min(now - second, SECONDS)
    for (let i = 1; i <= passed; i++) {
      const slot = (second + i) % SECONDS
      sum -= counts[slot]!
      counts[slot] = 0
    }
    if (now > second) second = now
  }

  return {
    count(events) {
      turn()
      const slot = second % SECONDS
      counts[slot]! += events
      sum += events
      total += events
      if (counts[slot]! > max) max = counts[slot]!
    },
    current() {
      turn()
      return counts[(second + SECONDS - 1) % SECONDS]!
    },
    average() {
      turn()
      return sum / SECONDS
    },
    lastMinute() {
      turn()
      return sum
    },
    max: () => max,
    total: () => total,
  }
}
