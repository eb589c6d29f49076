/**
 * Sends what the journal holds to the backends that sources are attached to, and that rules name.
 *
 * Promises: at least once, from the moment of attaching, over restarts of either side; in the order of the journal where
 * a type keeps one batch under way, or one connection, but for what is sent again; a receiver that is slow or gone costs no other receiver and no sender anything but journal
 * space, and of that only `maxHeldBytes`: then the oldest events are given up, and counted. Memory is bounded by the
 * number of lanes that may hold events at a time.
 * Refuses nothing: what a receiver will never take becomes a dead letter.
 *
 * The backend in which a source lives, its home, is no copy: nothing that waits for it is ever given up. When it is too
 * far behind `hasRoom` says so, and ingest takes no more for that source. A source that moves to another home leaves
 * what was stored before on the way to the old one.
 */
import type { Clock } from '../../base/clock.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { nodeDisk } from '../../journal/disk.ts'
import { createFrameReader } from '../../journal/frame-reader.ts'
import type { Journal } from '../../journal/journal.ts'
import { listSegments } from '../../journal/segments.ts'
import { createMatcher, type Matcher, parse } from '../../lql/lql.ts'
import type { Backend, BackendStatus } from '../../model/backend.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import { kindOf } from '../backends.ts'
import { type Columns, type Origin, originOf, type Probe, SURROUNDINGS, type Surroundings } from '../kind.ts'
import { PACE, type Pace } from './circuit.ts'
import { type DeliveryHealth, healthOf, statusOf } from './health.ts'
import { createLane, type Lane } from './lane.ts'
import { type Retried, retryLetters } from './retry.ts'
import { createSlots, createSpares } from './slots.ts'
import { createTarget, type DeliveryCounters, type Target } from './target.ts'

export type Delivery = {
  /** Takes up what the catalog says now; resolves when new attachments are safe. */
  refresh(): Promise<void>
  status(backend: Backend): Promise<BackendStatus>
  probe(backend: Backend): Promise<Probe>
  /** Sends some dead letters again, oldest first. Who asks while another one does gets the same answer. */
  retry(backend: Backend): Promise<Retried>
  health(): DeliveryHealth
  /** Whether its events live in a backend. */
  isAway(sourceToken: string): boolean
  /** False while the home of the source is so far behind that no more may wait for it. */
  hasRoom(sourceToken: string): boolean
  /** Does the work while nothing is on its way to the source's home, and forgets what waited for it. */
  empty(sourceToken: string, work: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export type DeliveryParts = {
  catalog: Catalog
  journal: Journal
  journalDir: string
  fields(sourceToken: string): FlatFields
  /** Rows as a Parquet file; types that write files need it. */
  parquet?: Columns['parquet']
  clock: Clock
  counters: DeliveryCounters
  onError(error: unknown): void
  /**
   * Told when a source lives in a backend from now on, and before it no longer does: whoever keeps events otherwise takes
   * none twice, and none is left out. Not told of those that live in one at the start.
   */
  onMoved?(sourceToken: string, isAway: boolean): Promise<void>
  /** Journal space that receivers which lag may hold back. */
  maxHeldBytes?: number
  flushAfterMs?: number
  pace?: Pace
  surroundings?: Surroundings
}

const GB = 1_000_000_000
/** Lanes that may hold a batch at a time, and batches beyond the first that all of them may hold together. */
const LANES_AT_A_TIME = 32
const SPARE_BATCHES = 12
const TICK_MS = 1_000
const PREFIX = 'backend:'
const HOME_PREFIX = 'home:'
/** A store that is back is found soon: people look for their events there. */
const STORE_LONGEST_MS = 10_000

type Wanted = { target: Target; origin: Origin; lqls: string[] | null; isHome: boolean }
type Way = Wanted & {
  key: string
  matches: Matcher | null
  lane: Lane
  /** The source lives elsewhere now: only what stands before this is still brought there. */
  until: Position | null
}

export async function startDelivery(parts: DeliveryParts): Promise<Delivery> {
  const { catalog, journal, clock, onError, maxHeldBytes = 10 * GB, flushAfterMs = 500 } = parts
  const { pace = PACE, counters, fields, parquet } = parts
  const surroundings = { ...(parts.surroundings ?? SURROUNDINGS), ...(parquet ? { columns: { fields, parquet } } : {}) }
  const targets = new Map<number, Target>()
  const ways = new Map<string, Way>()
  /** By source, as it is asked for every frame that is written. */
  const lanesOf = new Map<string, Set<Lane>>()
  /** By source: the way to where it lives. */
  const homes = new Map<string, Way>()
  const slot = createSlots(LANES_AT_A_TIME)
  const spares = createSpares(SPARE_BATCHES)
  const frames = createFrameReader({ dir: parts.journalDir, verify: true })
  let end = journal.end
  let stopped = false
  /** Sources that live in a backend, as others were told. */
  const away = new Set<string>()
  let isStarted = false
  let refreshing: Promise<void> | null = null
  let isAskedAgain = false

  const ends = [
    journal.onFrame(({ kind, source, count, body }, position) => {
      if (kind !== 'events') return
      for (const lane of lanesOf.get(source) ?? []) lane.notice(position, count, body.length)
    }),
    journal.onCommit((position) => {
      end = position
    }),
    catalog.changes.listen(({ noun }) => {
      if (noun === 'backend' || noun === 'rule' || noun === 'source' || noun === 'account') refresh().catch(onError)
    }),
  ]

  /** One at a time; whoever asks meanwhile gets one that began after the asking. */
  function refresh(): Promise<void> {
    if (refreshing) {
      isAskedAgain = true
      return refreshing
    }
    refreshing = (async () => {
      do {
        isAskedAgain = false
        await takeUp()
      } while (isAskedAgain && !stopped)
    })().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  async function takeUp(): Promise<void> {
    if (stopped) return
    const [backends, drains, lives, sources] = await Promise.all([
      catalog.backends.all(),
      catalog.backends.drains(),
      catalog.backends.homes(),
      catalog.sources.all(),
    ])
    if (stopped) return
    const changed = new Set(backends.filter(adopt).map(({ id }) => id))
    const wanted = new Map<string, Wanted>()
    const origins = new Map(sources.map((source) => [source.token, originOf(source, parts.fields)]))
    for (const { backend_id, source } of lives) {
      const [target, origin] = [targets.get(backend_id), origins.get(source)]
      if (target && origin) wanted.set(homeKey(target, source), { target, origin, lqls: null, isHome: true })
    }
    const living = new Set(lives.map(({ source }) => source))
    for (const { backend_id, source: token, lql } of drains) {
      const [target, origin] = [targets.get(backend_id), origins.get(token)]
      // Where a source lives, it needs no copy.
      if (!target || !origin || wanted.has(homeKey(target, token))) continue
      const key = `${PREFIX}${target.backend.token}:${token}`
      const known = wanted.get(key)
      // Attached means everything, whatever the rules say.
      const lqls = lql === null || known?.lqls === null ? null : [...(known?.lqls ?? []), lql]
      wanted.set(key, { target, origin, lqls, isHome: false })
    }
    const left = leftBehind(wanted, origins)
    for (const token of away) if (!living.has(token)) await moved(token, false)
    await dropUnwanted(new Set([...wanted.keys(), ...left.keys()]))
    for (const [key, way] of wanted) open(key, way).until = null
    // After the new ways were opened, so that no frame lies between the old one and the new one.
    for (const [key, way] of left) open(key, way).until ??= end
    homes.clear()
    for (const way of ways.values()) if (way.isHome && way.until === null) homes.set(way.origin.token, way)
    for (const way of ways.values()) if (changed.has(way.target.backend.id)) way.lane.wake()
    const ids = new Set(backends.map(({ id }) => id))
    for (const [id, target] of targets) {
      if (ids.has(id)) continue
      target.stop()
      targets.delete(id)
      triedTo.delete(id)
    }
    await journal.saveReaders()
    for (const token of living) if (!away.has(token)) await moved(token, true)
  }

  const homeKey = ({ backend }: Target, token: string): string => `${HOME_PREFIX}${backend.token}:${token}`

  /** At the start nobody is told: `isAway` says it. */
  async function moved(token: string, isAway: boolean): Promise<void> {
    if (isStarted) await parts.onMoved?.(token, isAway)
    if (isAway) away.add(token)
    else away.delete(token)
  }

  /** Ways to former homes that something is still on; their names in the journal outlive a restart. */
  function leftBehind(wanted: ReadonlyMap<string, Wanted>, origins: ReadonlyMap<string, Origin>): Map<string, Wanted> {
    const left = new Map<string, Wanted>()
    for (const key of journal.readerNames()) {
      const [, backend, token] = /^home:([^:]+):(.+)$/.exec(key) ?? []
      const target = [...targets.values()].find((one) => one.backend.token === backend)
      const origin = origins.get(token ?? '')
      const way = ways.get(key)
      if (!target || !origin || wanted.has(key) || (way && isThrough(way))) continue
      left.set(key, { target, origin, lqls: null, isHome: true })
    }
    return left
  }

  const isThrough = ({ until, lane }: Way): boolean => until !== null && lane.position >= until

  /** Whether its settings changed. */
  function adopt(backend: Backend): boolean {
    const target = targets.get(backend.id)
    if (target) return target.adopt(backend)
    const { deadLetters } = catalog
    const isStore = kindOf(backend.type).dialect !== undefined
    const own = isStore ? { ...pace, longestMs: Math.min(pace.longestMs, STORE_LONGEST_MS) } : pace
    targets.set(backend.id, createTarget({ backend, deadLetters, clock, pace: own, surroundings, counters }))
    return false
  }

  function open(key: string, { target, origin, lqls, isHome }: Wanted): Way {
    const known = ways.get(key)
    if (known) {
      if (known.lqls?.join('\n') !== lqls?.join('\n')) known.matches = anyOf(lqls)
      return Object.assign(known, { origin, lqls })
    }
    const reader = journal.reader(key, end)
    const way: Omit<Way, 'lane'> = { key, target, origin, lqls, isHome, matches: anyOf(lqls), until: null }
    const lane = createLane({
      target,
      reader,
      save: () => journal.saveReaders(),
      frames,
      end: () => Math.min(end, ways.get(key)?.until ?? end),
      source: () => (ways.get(key) ?? way).origin,
      matches: () => (ways.get(key) ?? way).matches,
      fields: () => parts.fields(origin.token),
      clock,
      flushAfterMs,
      slot,
      spares,
      onError,
    })
    const opened = { ...way, lane }
    ways.set(key, opened)
    lanesOf.set(origin.token, (lanesOf.get(origin.token) ?? new Set()).add(lane))
    return opened
  }

  function anyOf(lqls: string[] | null): Matcher | null {
    if (lqls === null) return null
    const matchers = lqls.flatMap((text) => {
      try {
        return [createMatcher(parse(text), { clock })]
      } catch (error) {
        onError(error)
        return []
      }
    })
    return (event) => matchers.some((matches) => matches(event))
  }

  /** Also forgets positions of attachments that ended while nobody looked. */
  async function dropUnwanted(wanted: Set<string>): Promise<void> {
    for (const [key, { lane, origin }] of ways) {
      if (wanted.has(key)) continue
      ways.delete(key)
      const others = lanesOf.get(origin.token)
      others?.delete(lane)
      if (others?.size === 0) lanesOf.delete(origin.token)
      await lane.stop()
    }
    for (const name of journal.readerNames())
      if ((name.startsWith(PREFIX) || name.startsWith(HOME_PREFIX)) && !wanted.has(name)) journal.reader(name).release()
  }

  /** What lanes that go on from an earlier run have before them, in one walk. */
  async function countBacklog(): Promise<void> {
    const behind = [...ways.values()].map(({ lane, origin }) => ({ lane, token: origin.token, from: lane.position }))
    const to = end
    let at = Math.min(to, ...behind.map(({ from }) => from))
    while (at < to && !stopped)
      at = await frames.read(
        at,
        to,
        ({ kind, source, count }, _body, position) => {
          for (const { lane, token, from } of behind)
            if (kind === 'events' && token === source && position >= from) lane.expect(count)
        },
        64 * 1024 * 1024,
      )
  }

  async function giveUpOldest(): Promise<void> {
    const late = [...ways.values()].filter(({ lane, isHome }) => !isHome && end - lane.position > maxHeldBytes)
    if (late.length === 0) return
    const segments = await listSegments(nodeDisk, parts.journalDir)
    for (const { lane, target, origin } of late) await lane.still(() => giveUp(lane, target, origin.token, segments))
  }

  async function giveUp(lane: Lane, target: Target, token: string, segments: Position[]): Promise<void> {
    const from = lane.position
    const to = segments.find((start) => start > from && end - start <= maxHeldBytes)
    if (to === undefined) return
    const lost = await countEvents(token, from, to)
    lane.giveUp(to, lost)
    target.dropped(lost)
    onError(new Error(`${lost} events for backend ${target.backend.token} were given up: it is too far behind`))
  }

  async function countEvents(token: string, from: Position, to: Position): Promise<number> {
    let events = 0
    await frames.read(from, to, ({ kind, source, count }) => {
      if (kind === 'events' && source === token) events += count
    })
    return events
  }

  const retrying = new Map<number, Promise<Retried>>()
  /** By backend: where the next call goes on. */
  const triedTo = new Map<number, number>()

  async function retryNow(backend: Backend): Promise<Retried> {
    await refresh()
    const target = targets.get(backend.id)
    const sources = await catalog.sources.list(backend.account_id)
    const { afterId, ...result } = await retryLetters({
      ...{ backend, target, sources, fields, deadLetters: catalog.deadLetters, clock },
      afterId: triedTo.get(backend.id) ?? 0,
    })
    triedTo.set(backend.id, afterId)
    for (const way of ways.values()) if (way.target === target) way.lane.wake()
    return result
  }

  let ticking: Promise<void> = Promise.resolve()
  const tick = setInterval(() => {
    for (const { lane } of ways.values()) lane.rest()
    if ([...ways.values()].some(isThrough)) refresh().catch(onError)
    ticking = ticking.then(giveUpOldest).catch(onError)
  }, TICK_MS)

  await refresh()
  isStarted = true
  const counting = countBacklog().catch(onError)

  return {
    refresh,
    async status(backend) {
      const deadLetters = await catalog.deadLetters.count(backend.id)
      return statusOf(targets.get(backend.id), [...ways.values()], deadLetters)
    },
    async probe(backend) {
      await refresh()
      return targets.get(backend.id)?.receiver.probe() ?? { ok: false, reason: 'unknown_error' }
    },
    retry(backend) {
      const known = retrying.get(backend.id)
      if (known) return known
      const going = retryNow(backend).finally(() => retrying.delete(backend.id))
      retrying.set(backend.id, going)
      return going
    },
    health: () => healthOf([...ways.values()], { end, homes: homes.size }),
    isAway: (token) => away.has(token),
    hasRoom(token) {
      const way = homes.get(token)
      return way === undefined || end - way.lane.position <= maxHeldBytes
    },
    async empty(token, work) {
      const way = homes.get(token)
      if (!way) return work()
      await way.lane.still(async () => {
        way.lane.giveUp(end, way.lane.lag.events)
        await work()
      })
    },
    async stop() {
      stopped = true
      for (const stop of ends) stop()
      clearInterval(tick)
      await refreshing
      for (const target of targets.values()) target.stop()
      await Promise.all([...ways.values()].map(({ lane }) => lane.stop()))
      await Promise.all([ticking, counting])
    },
  }
}
