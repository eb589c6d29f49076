/**
 * Kept answers. An entry is an answer to one set of parameters of one definition; whoever asks the same while it is
 * being found out shares that one query. Faults are not kept. The room is bounded in bytes; the entry that was not
 * asked for the longest goes first.
 *
 * With requerying, an entry is found out anew every so often by one query while readers go on with the old one. That
 * ends when nobody has asked for as long as an entry lives. Where several nodes keep the same answer, one of them finds it
 * out anew and the others take it from that one.
 */
import type { Clock } from '../base/clock.ts'

export type Keep = { lifeMs: number /** 0: off. */; requeryMs: number }

export type Loaded<Value> = {
  value: Value
  bytes: number
  /** Tokens of what it was made from: when one of them is deleted, so is the entry. */
  uses: string[]
}

export type Load<Value> = (signal: AbortSignal) => Promise<Loaded<Value>>

/** What several nodes do once for all of them. */
export type Sharing<Value> = {
  /** Whether this node is the one that finds out this entry anew, for so long. */
  isMine(key: string, forMs: number): Promise<boolean>
  /** The entry as the node has it whose it is; null when that is not to be had. */
  borrow(key: string): Promise<Lent<Value> | null>
}

export type Lent<Value> = Loaded<Value> & { ageMs: number }

export type Cache<Value> = {
  /** What another node may have of it: the entry as it is after the query that is under way, if one is. */
  lend(key: string): Promise<Lent<Value> | null>
  peek(key: string): Value | null
  /** `reload` makes it anew; null says that nobody should any more, because what it answers has changed. */
  fill(
    key: string,
    keep: Keep,
    load: Load<Value>,
    reload: (signal: AbortSignal) => Promise<Loaded<Value> | null>,
    signal: AbortSignal,
  ): Promise<Value>
  forget(token: string): void
  readonly bytes: number
  stop(): void
}

type Entry<Value> = Loaded<Value> & {
  keep: Keep
  untilMs: number
  askedMs: number
  madeMs: number
  refreshing: Promise<void> | null
  timer: NodeJS.Timeout | null
}

type Flight<Value> = { result: Promise<Value>; controller: AbortController; waiting: number }

/** One answer may take this share of the room. */
const SHARE = 4
const ENTRY_BYTES = 500

type Parts<Value> = { clock: Clock; maxBytes: number; sharing?: Sharing<Value> | null }

export function createCache<Value>({ clock, maxBytes, sharing = null }: Parts<Value>): Cache<Value> {
  const entries = new Map<string, Entry<Value>>()
  const flights = new Map<string, Flight<Value>>()
  let bytes = 0
  /** What was forgotten while queries were under way, and when: their answers may be made from it. */
  const forgotten = new Map<string, number>()
  let forgets = 0
  let underWay = 0

  /** Runs the query and says whether its answer may be kept: not when something it was made from is gone. */
  async function watched<Found extends Loaded<Value> | null>(
    find: () => Promise<Found>,
  ): Promise<{ found: Found; isFresh: boolean }> {
    const began = forgets
    underWay += 1
    try {
      const found = await find()
      return { found, isFresh: found?.uses.every((token) => (forgotten.get(token) ?? 0) <= began) ?? true }
    } finally {
      underWay -= 1
      if (underWay === 0) forgotten.clear()
    }
  }

  const sizeOf = (key: string, { bytes: own }: Loaded<Value>): number => own + 2 * key.length + ENTRY_BYTES

  function drop(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    if (entry.timer) clearTimeout(entry.timer)
    bytes -= sizeOf(key, entry)
    entries.delete(key)
  }

  function put(
    key: string,
    keep: Keep,
    { ageMs = 0, ...loaded }: Loaded<Value> & { ageMs?: number },
    askedMs: number,
  ): void {
    drop(key)
    const size = sizeOf(key, loaded)
    if (size > maxBytes / SHARE) return
    const madeMs = clock.nowMs() - ageMs
    const entry = { ...loaded, keep, askedMs, madeMs, untilMs: madeMs + keep.lifeMs, refreshing: null, timer: null }
    entries.set(key, entry)
    bytes += size
    for (const oldest of entries.keys()) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
  }

  function scheduleRefresh(key: string, reload: (signal: AbortSignal) => Promise<Loaded<Value> | null>): void {
    const entry = entries.get(key)
    if (!entry || entry.keep.requeryMs === 0 || entry.keep.requeryMs > entry.keep.lifeMs) return
    entry.timer = setTimeout(() => {
      entry.refreshing = refresh(key, entry, reload)
    }, entry.keep.requeryMs)
    entry.timer.unref()
  }

  async function refresh(
    key: string,
    entry: Entry<Value>,
    reload: (signal: AbortSignal) => Promise<Loaded<Value> | null>,
  ): Promise<void> {
    if (entries.get(key) !== entry) return
    if (clock.nowMs() - entry.askedMs >= entry.keep.lifeMs) return drop(key)
    try {
      const { found, isFresh } = await watched(() => findAnew(key, entry.keep.requeryMs, reload))
      if (entries.get(key) !== entry) return
      if (found && isFresh) put(key, entry.keep, found, entry.askedMs)
      else drop(key)
    } catch {
      // The old answer still lives out its time; the next try may do better.
    } finally {
      entry.refreshing = null
    }
    scheduleRefresh(key, reload)
  }

  async function findAnew(
    key: string,
    requeryMs: number,
    reload: (signal: AbortSignal) => Promise<Loaded<Value> | null>,
  ): Promise<(Loaded<Value> & { ageMs?: number }) | null> {
    // An answer of another version cannot come from there, as the version is part of the key.
    const lent = sharing && !(await sharing.isMine(key, requeryMs)) ? await sharing.borrow(key) : null
    return lent ?? reload(new AbortController().signal)
  }

  function launch(key: string, keep: Keep, load: Load<Value>): Flight<Value> {
    const controller = new AbortController()
    const result = watched(() => load(controller.signal)).then(({ found, isFresh }) => {
      if (isFresh && flights.get(key) === flight) put(key, keep, found, clock.nowMs())
      return found.value
    })
    const flight: Flight<Value> = { result, controller, waiting: 0 }
    const land = (): void => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    result.then(land, land)
    flights.set(key, flight)
    return flight
  }

  return {
    get bytes() {
      return bytes
    },
    peek(key) {
      const entry = entries.get(key)
      if (!entry) return null
      const nowMs = clock.nowMs()
      if (nowMs >= entry.untilMs && entry.refreshing === null) {
        drop(key)
        return null
      }
      entry.askedMs = nowMs
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    async fill(key, keep, load, reload, signal) {
      const joined = flights.get(key)
      const flight = joined ?? launch(key, keep, load)
      flight.waiting += 1
      const leave = (): void => {
        flight.waiting -= 1
        if (flight.waiting > 0) return
        // Nobody waits any more: the query stops, and who comes now begins a new one.
        if (flights.get(key) === flight) flights.delete(key)
        flight.controller.abort()
      }
      signal.addEventListener('abort', leave, { once: true })
      try {
        const value = await flight.result
        if (!joined) scheduleRefresh(key, reload)
        return value
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },
    async lend(key) {
      await entries.get(key)?.refreshing?.catch(() => {})
      const entry = entries.get(key)
      if (!entry || clock.nowMs() >= entry.untilMs) return null
      const { value, bytes: own, uses, madeMs } = entry
      return { value, bytes: own, uses, ageMs: clock.nowMs() - madeMs }
    },
    forget(token) {
      forgets += 1
      if (underWay > 0) forgotten.set(token, forgets)
      for (const [key, { uses }] of entries) if (uses.includes(token)) drop(key)
    },
    stop() {
      for (const key of [...entries.keys()]) drop(key)
    },
  }
}
