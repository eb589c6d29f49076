/** Counts tries by name (an address, an e-mail) and refuses when there were too many lately. Bounded in memory. */
import type { Clock } from '../../base/clock.ts'
import { TooOften } from '../../base/faults.ts'

export type Throttle = {
  /** Counts a try, or throws `TooOften`. */
  take(name: string): void
  /** The last try was honest and does not count. */
  giveBack(name: string): void
}

/** Beyond it the names that were quiet longest are forgotten. */
const NAMES_KEPT = 20_000

export function createThrottle({ clock, tries, perMs }: { clock: Clock; tries: number; perMs: number }): Throttle {
  const rooms = new Map<string, { count: number; untilMs: number }>()

  return {
    take(name) {
      const nowMs = clock.nowMs()
      const known = rooms.get(name)
      const room = known && known.untilMs > nowMs ? known : { count: 0, untilMs: nowMs + perMs }
      if (room.count >= tries) {
        const seconds = Math.max(1, Math.ceil((room.untilMs - nowMs) / 1000))
        throw new TooOften(`Too many tries. Come back in ${seconds} seconds.`, seconds)
      }
      room.count++
      rooms.delete(name)
      rooms.set(name, room)
      if (rooms.size <= NAMES_KEPT) return
      const [oldest] = rooms.keys()
      if (oldest !== undefined) rooms.delete(oldest)
    },
    giveBack(name) {
      const room = rooms.get(name)
      if (room) room.count--
    },
  }
}
