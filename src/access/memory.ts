/**
 * Keeps what look-ups found, so that the hot path answers from memory, without waiting. Look-ups of the same key at
 * the same time share one. What was looked up before a `clear` is never kept after it, so a revoked token or a
 * changed source cannot come back from a look-up that was under way.
 */
import type { Clock } from '../base/clock.ts'

export type Memory<Value> = {
  /** Synchronous when known; null when there is no such thing. */
  get(key: string): Value | null | Promise<Value | null>
  clear(): void
}

type Parts<Value> = {
  load(key: string): Promise<Value | null>
  /** How long an entry counts; Infinity when only `clear` ends it. */
  lifeMs: number
  limit: number
  clock: Clock
}

/** Keys that do not exist come from strangers, so they get a room of their own and cannot push out real ones. */
const MISSING_LIMIT = 1_000

export function createMemory<Value extends object>({ load, lifeMs, limit, clock }: Parts<Value>): Memory<Value> {
  const found = new Map<string, { value: Value; untilMs: number }>()
  const missing = new Map<string, number>()
  let loading = new Map<string, Promise<Value | null>>()

  function keep<Entry>(room: Map<string, Entry>, size: number, key: string, entry: Entry): void {
    if (room.size >= size) {
      const [oldest] = room.keys()
      if (oldest !== undefined) room.delete(oldest)
    }
    room.set(key, entry)
  }

  async function lookUp(key: string): Promise<Value | null> {
    const round = loading
    try {
      const value = await load(key)
      if (round === loading) {
        const untilMs = clock.nowMs() + lifeMs
        if (value) keep(found, limit, key, { value, untilMs })
        else keep(missing, MISSING_LIMIT, key, untilMs)
      }
      return value
    } finally {
      round.delete(key)
    }
  }

  return {
    get(key) {
      const entry = found.get(key)
      if (entry) {
        if (lifeMs === Number.POSITIVE_INFINITY || clock.nowMs() < entry.untilMs) return entry.value
        found.delete(key)
      }
      const missingUntilMs = missing.get(key)
      if (missingUntilMs !== undefined) {
        if (clock.nowMs() < missingUntilMs) return null
        missing.delete(key)
      }
      const underWay = loading.get(key)
      if (underWay) return underWay
      const lookedUp = lookUp(key)
      loading.set(key, lookedUp)
      return lookedUp
    },
    clear() {
      found.clear()
      missing.clear()
      loading = new Map()
    },
  }
}
