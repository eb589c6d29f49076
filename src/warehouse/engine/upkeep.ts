/**
 * The engine's steady work, one thing at a time: cut what the journal holds, load what is due, merge what is many, give
 * parts their filters, drop what is past its retention, look for damage. Everything that changes a manifest goes through here, so manifests have one writer.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Clock } from '../../base/clock.ts'
import type { Position } from '../../model/journal.ts'
import { countPassed } from './away.ts'
import type { Cutter } from './cut.ts'
import { examine, type FoundDamage } from './damage.ts'
import { expire } from './expire.ts'
import { addFilter, keyOf, partWithoutFilter } from './filter/keep.ts'
import { load, saveFields } from './load.ts'
import { chooseMerge, merge } from './merge.ts'
import { createScrub } from './scrub.ts'
import type { SourceStore, Store } from './store.ts'

const TICK_MS = 100
const EXPIRE_EVERY_MS = 60_000
const RETRY_AFTER_MS = 2_000

/** A source is loaded when it has this much, or when its oldest fresh rows have waited this long. */
const LOAD_AT_BYTES = 48 * 1024 * 1024
const LOAD_SOME = { bytes: 1024 * 1024, afterMs: 3_000 }
const LOAD_ANY_AFTER_MS = 30_000
/** How often it is written down how many rows live elsewhere. */
const COUNT_EVERY_MS = 30_000

/** The journal is cut when this much waits, or this long after the last cut. */
const CUT_AT_BYTES = 8 * 1024 * 1024
const CUT_AFTER_MS = 1_000

export type Upkeep = {
  /** The journal is durable up to here. */
  journalEnd(end: Position): void
  /** Runs a change of manifests between the steps of the steady work. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  readonly lastError: string | null
  stop(): Promise<void>
}

export function createUpkeep({
  connection,
  store,
  cutter,
  clock,
  onStep,
  onDamage,
}: {
  connection: DuckDBConnection
  store: Store
  cutter: Cutter
  clock: Clock
  onStep(): void
  onDamage(source: SourceStore, found: FoundDamage[]): void
}): Upkeep {
  const scrub = createScrub({ store, clock })
  const unfiltered = new Set<string>()
  let end: Position = cutter.position
  let lastCutMs = 0
  let lastExpireMs = 0
  let lastCountMs = clock.nowMs()
  let notBeforeMs = 0
  let lastError: string | null = null
  let stopped = false
  let chain: Promise<unknown> = Promise.resolve()

  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = chain.then(work)
    chain = mine.catch(() => {})
    return mine
  }

  function isDue(source: SourceStore, nowMs: number): boolean {
    const oldest = source.fresh[0]
    if (!oldest) return false
    const bytes = source.fresh.reduce((sum, file) => sum + file.bytes, 0)
    const waitedMs = nowMs - oldest.cutAtMs
    return (
      bytes >= LOAD_AT_BYTES ||
      (bytes >= LOAD_SOME.bytes && waitedMs >= LOAD_SOME.afterMs) ||
      waitedMs >= LOAD_ANY_AFTER_MS
    )
  }

  async function step(): Promise<void> {
    const nowMs = clock.nowMs()
    const waiting = end - cutter.position
    if (waiting >= CUT_AT_BYTES || (waiting > 0 && nowMs - lastCutMs >= CUT_AFTER_MS)) {
      lastCutMs = nowMs
      await cutter.advance(end)
    }
    let hasLoaded = false
    const failures = await eachSource(async (source) => {
      if (stopped) return
      if (isDue(source, nowMs)) {
        await load({ connection, store }, source)
        hasLoaded = true
        onStep()
      } else if (source.fresh.length === 0 && source.unsavedFieldsFrom !== null) saveFields(store, source)
    })
    if (nowMs - lastCountMs >= COUNT_EVERY_MS) {
      lastCountMs = nowMs
      failures.push(...(await eachSource(async (source) => countAway(source))))
    }
    if (!hasLoaded) failures.push(...(await mergeOne()))
    if (!hasLoaded) await filterOne()
    if (!hasLoaded) await scrubOne()
    if (nowMs - lastExpireMs >= EXPIRE_EVERY_MS) {
      lastExpireMs = nowMs
      failures.push(...(await eachSource(async (source) => void expire(store, source, nowMs))))
      forgetDeleted()
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Rows from before that are not in parts yet come first: a manifest has one position. */
  function countAway(source: SourceStore): void {
    if (source.passedRows > 0 && source.fresh.length === 0) countPassed(store, source)
  }

  /** What fails for one source must not keep the others waiting: the failures come back when all had their turn. */
  async function eachSource(work: (source: SourceStore) => Promise<void>): Promise<unknown[]> {
    const failures: unknown[] = []
    for (const source of [...store.sources()]) await work(source).catch((error: unknown) => failures.push(error))
    return failures
  }

  /** One merge of one source: what is due for loading does not wait for a second one. */
  async function mergeOne(): Promise<unknown[]> {
    let hasMerged = false
    return eachSource(async (source) => {
      const parts = hasMerged || stopped ? null : chooseMerge(source.manifest.parts)
      if (!parts) return
      hasMerged = true
      // Looked at before, or damage that nobody noticed would go on in the merged part under a checksum of its own.
      const found = await examine(connection, source, parts)
      if (found.length > 0) onDamage(source, found)
      else await merge({ connection, store }, source, parts)
      onStep()
    })
  }

  /** One filter for one part. Where none can be made the part does without, at least until the next start. */
  async function filterOne(): Promise<void> {
    for (const source of store.sources()) {
      const part = stopped ? undefined : partWithoutFilter(source, unfiltered)
      if (!part) continue
      const isAdded = await addFilter({ connection, store }, source, part).catch(() => false)
      if (!isAdded) unfiltered.add(keyOf(source, part))
      return
    }
  }

  async function scrubOne(): Promise<void> {
    const due = stopped ? null : scrub.next()
    if (!due) return
    const found = await examine(connection, due.source, [due.part])
    if (found.length > 0) onDamage(due.source, found)
  }

  /** A deleted source's tombstone goes once the journal holds none of its frames. */
  function forgetDeleted(): void {
    for (const source of [...store.sources()])
      if (source.manifest.deleted && source.fresh.length === 0 && source.manifest.position <= floor(store, cutter))
        store.forget(source)
  }

  async function tick(): Promise<void> {
    if (clock.nowMs() < notBeforeMs) return
    try {
      await exclusively(step)
      lastError = null
    } catch (error) {
      lastError = error instanceof Error ? error.message.split('\n')[0]! : String(error)
      notBeforeMs = clock.nowMs() + RETRY_AFTER_MS
    }
    onStep()
  }

  let running: Promise<void> = Promise.resolve()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy || stopped) return
    isBusy = true
    running = tick().finally(() => {
      isBusy = false
    })
  }, TICK_MS)

  return {
    journalEnd(position) {
      end = Math.max(end, position)
    },
    exclusively,
    get lastError() {
      return lastError
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
      for (const source of store.sources()) countAway(source)
    },
  }
}

/** Everything before this journal position is in parts. */
export function floor(store: Store, cutter: Cutter): Position {
  let lowest = cutter.position
  for (const source of store.sources()) {
    lowest = Math.min(lowest, source.fresh[0]?.from ?? lowest, source.unsavedFieldsFrom ?? lowest)
  }
  return lowest
}
