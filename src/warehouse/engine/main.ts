/**
 * The engine process: DuckDB for loading, merging and queries. It owns everything under the warehouse folder, reads the
 * journal, and talks to the front over one stream. It may die at any moment: the front starts it again, and it goes on
 * from what the manifests say.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { collectGarbage } from '../../base/collect.ts'
import { Fault } from '../../base/faults.ts'
import { lockFolder } from '../../base/lock.ts'
import { isDiskFull } from '../../journal/disk.ts'
import { createFrameReader, type FrameReader } from '../../journal/frame-reader.ts'
import type { Position } from '../../model/journal.ts'
import { MACRO_STATEMENTS } from '../../sql/macros.ts'
import { emptyManifest, storedSources } from '../manifest.ts'
import type { EngineStart, FromEngine, QueryRequest, SourceSettings, SourceStats, ToEngine } from '../protocol.ts'
import { createWire } from '../wire.ts'
import { createAnswerer } from './answer.ts'
import { bringBack } from './away.ts'
import { createCutter } from './cut.ts'
import { type FoundDamage, findDamage, knownDamage, mayBeDamage, outerDamage, setAside } from './damage.ts'
import { openLoader, openReaders } from './duck.ts'
import { createFilters } from './filter/filters.ts'
import { forgetLostFilters } from './filter/keep.ts'
import { sweepUnnamed } from './load.ts'
import type { Answer } from './page.ts'
import { createParquet } from './parquet.ts'
import { createPartials } from './partial/partials.ts'
import { lowerReaders, threads } from './priority.ts'
import { createStore, type SourceStore } from './store.ts'
import { createUpkeep, floor } from './upkeep.ts'

const LOADER_THREADS = 2
const LOCK_WAIT_MS = 15_000

async function run(start: EngineStart, wire: ReturnType<typeof connect>): Promise<void> {
  const clock = systemClock
  mkdirSync(start.dir, { recursive: true })
  // An engine of a front that was killed may still be finishing: manifests have one writer.
  await lockFolder(start.dir, LOCK_WAIT_MS)
  const freshDir = join(start.dir, 'fresh')
  const spillDir = join(start.dir, 'spill')
  rmSync(spillDir, { recursive: true, force: true })
  const store = createStore({ dir: start.dir })
  const damaged = storedSources(start.dir).flatMap((token) => knownDamage(join(start.dir, token)))

  for (const token of storedSources(start.dir)) {
    const source = store.source(token)
    sweepUnnamed(source, source.manifest)
    forgetLostFilters(source)
    for (const part of source.manifest.parts) {
      const reason = outerDamage(join(source.dir, part.file), part.bytes)
      if (reason) damaged.push(setAside(store, source, part, reason, clock.nowMs()))
    }
  } // Before anything is dropped for its age.
  for (const { token, retentionDays } of start.sources) store.source(token).retentionDays = retentionDays

  const loader = await openLoader({ threads: LOADER_THREADS, spillDir })
  const others = threads()
  const readers = await openReaders({
    dir: start.dir,
    memoryMb: start.queryMemoryMb,
    threads: start.queryThreads,
    macros: MACRO_STATEMENTS,
  })
  lowerReaders(others)
  const cutter = createCutter({
    dir: freshDir,
    store,
    frames: checkedUpTo(start.end, start.journalDir),
    clock,
    start: start.position,
  })
  const partials = createPartials({ readers })
  const answerer = createAnswerer({
    readers,
    store,
    filters: start.useFilters ? createFilters() : null,
    partials,
    nowMs: clock.nowMs,
  })
  const parquet = createParquet({ open: () => openLoader({ threads: 1, spillDir }), dir: freshDir })
  const reported = new Map<string, string>()

  function setAsideAll(source: SourceStore, found: FoundDamage[]): void {
    for (const { part, reason } of found) damaged.push(setAside(store, source, part, reason, clock.nowMs()))
  }

  const upkeep = createUpkeep({ connection: loader, store, cutter, clock, onStep: report, onDamage: setAsideAll })

  let lastState = ''
  function report(): void {
    const sources: Record<string, SourceStats> = {}
    let unloadedBytes = 0
    for (const source of store.sources()) {
      const stats = statsOf(source)
      unloadedBytes += source.fresh.reduce((sum, file) => sum + file.bytes, 0)
      const text = JSON.stringify(stats)
      if (reported.get(source.token) === text) continue
      reported.set(source.token, text)
      sources[source.token] = stats
    }
    const loadedTo = floor(store, cutter)
    const { lastError } = upkeep
    const state = { loadedTo, unloadedBytes, sources, damaged, lastError, partials: partials.counts }
    const text = JSON.stringify(state)
    if (text === lastState) return
    lastState = text
    wire.send({ op: 'state', state })
  }

  async function settle({ token, retentionDays, isAway }: SourceSettings, end: Position): Promise<void> {
    const source = store.source(token)
    source.retentionDays = retentionDays
    // A source made anew under the token of a deleted one begins where that one ended.
    if (source.manifest.deleted) store.commit(source, { ...emptyManifest(), position: source.manifest.position })
    const { awayFrom } = source.manifest
    if (isAway && awayFrom === undefined) store.commit(source, { ...source.manifest, awayFrom: end })
    else if (!isAway && awayFrom !== undefined) await bringBack({ connection: loader, store, cutter }, source, end)
  }

  const running = new Map<number, AbortController>()

  async function answer(id: number, tokens: string[], work: (signal: AbortSignal) => Promise<Answer>): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      const { body, ...rest } = await withoutDamage(tokens, () => work(controller.signal))
      wire.send({ op: 'answer', id, ...rest }, body)
    } catch (error) {
      wire.send({ op: 'refused', id, ...refusalOf(error) })
    } finally {
      running.delete(id)
    }
  }

  async function change(id: number, work: () => Promise<void>): Promise<void> {
    try {
      await upkeep.exclusively(work)
      wire.send({ op: 'answer', id, cost: null })
      report()
    } catch (error) {
      wire.send({ op: 'refused', id, code: 'unavailable', reason: wordsOf(error) })
    }
  }

  /** A read that fails because of damaged parts is done again without them, however many are found one by one. */
  async function withoutDamage<T>(tokens: string[], work: () => Promise<T>): Promise<T> {
    for (;;) {
      const known = damaged.length
      try {
        return await work()
      } catch (error) {
        if (error instanceof Fault || !mayBeDamage(wordsOf(error))) throw error
        for (const source of tokens.map((token) => store.source(token)))
          await upkeep.exclusively(async () => setAsideAll(source, await findDamage(loader, source, wordsOf(error))))
        // Another read may have set it aside meanwhile, which is as good.
        if (damaged.length === known) throw error
        report()
      }
    }
  }

  wire.onMessage((message, body) => {
    switch (message.op) {
      case 'journal':
        upkeep.journalEnd(message.end)
        break
      case 'source':
        void change(message.id, () => settle(message.source, message.end))
        break
      case 'query':
        void answer(message.id, tokensOf(message.query), async (signal) => {
          await cutter.advance(message.query.position)
          return answerer.query(message.query, signal)
        })
        break
      case 'search':
        void answer(message.id, [message.search.token], async (signal) => {
          await cutter.advance(message.search.position)
          return answerer.search(message.search, signal)
        })
        break
      case 'read':
        void answer(message.id, [message.read.token], async (signal) => {
          await cutter.advance(message.read.position)
          return answerer.read(message.read, signal)
        })
        break
      case 'parquet':
        void answer(message.id, [], async () => ({
          body: await parquet(body, message.columns),
          cost: { rows: 0, ms: 0, truncated: false, bytesScanned: 0, columns: message.columns },
        }))
        break
      case 'cancel':
        running.get(message.id)?.abort()
        break
      case 'delete':
        void change(message.id, async () => {
          await cutter.advance(message.end)
          store.remove(store.source(message.token), message.end)
        })
        break
      case 'clear':
        void change(message.id, async () => {
          await cutter.advance(message.end)
          // Rows beyond may have been cut meanwhile; they stand in the same files, and go too.
          store.clear(store.source(message.token), cutter.position)
        })
        break
      case 'stop':
        void upkeep.stop().then(() => {
          rmSync(freshDir, { recursive: true, force: true })
          process.exit(0)
        })
        break
    }
  })
  for (const source of start.sources) await upkeep.exclusively(() => settle(source, start.end))
  upkeep.journalEnd(start.end)
  report()
  wire.send({ op: 'ready' })
  collectGarbage()
}

/** What a former process left is read with its checksums; what the living front calls durable is taken at its word. */
function checkedUpTo(end: Position, dir: string): FrameReader {
  const careful = createFrameReader({ dir, verify: true })
  const quick = createFrameReader({ dir })
  return { read: (from, to, visit, maxBytes) => (from < end ? careful : quick).read(from, to, visit, maxBytes) }
}

function statsOf(source: SourceStore): SourceStats {
  return {
    rows: source.manifest.rowsLoaded + source.passedRows,
    bytes: source.manifest.parts.reduce((sum, { bytes, filter }) => sum + bytes + (filter?.bytes ?? 0), 0),
    parts: source.manifest.parts.length,
    freshRows: source.fresh.reduce((sum, file) => sum + file.rows, 0),
    loadedTo: Math.max(source.manifest.position, source.passedTo),
  }
}

const tokensOf = ({ tables }: QueryRequest): string[] => [...new Set(tables.map(({ token }) => token))]

function refusalOf(error: unknown): { code: 'query_failed' | 'busy' | 'unavailable'; reason: string } {
  if (isDiskFull(error))
    return {
      code: 'unavailable',
      reason: 'The disk is full, and reading the newest events needs some room. Try again later.',
    }
  return { code: error instanceof Fault && error.code === 'busy' ? 'busy' : 'query_failed', reason: wordsOf(error) }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function connect() {
  const stream = new Socket({ fd: 3 })
  const wire = createWire<FromEngine, ToEngine>(stream)
  // Without the front there is nobody to work for, and a new front waits for this folder.
  wire.onClose(() => process.kill(process.pid, 'SIGKILL'))
  return wire
}

const wire = connect()
// Signals are for the front: it tells the engine when to stop, after its last answer.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
wire.onMessage((message) => {
  if (message.op !== 'start') return
  run(message.start, wire).catch((error: unknown) => {
    wire.send({ op: 'failed', reason: wordsOf(error) })
    setImmediate(() => process.exit(1))
  })
})
