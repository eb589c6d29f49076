/**
 * The warehouse, seen from the front process: it keeps the journal's events in Parquet parts and answers SQL over them.
 * Promises: an acknowledged event is in every answer from then on, exactly once; nothing past its retention is returned;
 * a query that fails, hangs or eats its memory harms neither ingest nor the stored events.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../base/faults.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Position } from '../model/journal.ts'
import { readManifest, storedSources } from './manifest.ts'
import { createEngineProcess } from './process.ts'
import type {
  EngineState,
  Extent,
  PartialCounts,
  QueryCost,
  QueryRequest,
  ReadRequest,
  SearchRequest,
  SourceSettings,
  SourceStats,
} from './protocol.ts'

/** The part of the journal that the warehouse needs. */
export type JournalOfWarehouse = {
  readonly end: Position
  onCommit(listener: (end: Position) => void): () => void
  reader(name: string): { readonly position: Position; advance(position: Position): void }
}

export type WarehouseAnswer = { body: Buffer; cost: QueryCost; extent: Extent }

export type WarehouseHealth = {
  isReady: boolean
  restarts: number
  unloadedBytes: number
  damaged: EngineState['damaged']
  lastError: string | null
  partials: PartialCounts
}

export type Warehouse = {
  start(): Promise<void>
  query(request: Omit<QueryRequest, 'position'>, signal?: AbortSignal): Promise<WarehouseAnswer>
  /** A page of a source's events; its cost does not grow with the history behind the page. */
  search(request: Omit<SearchRequest, 'position'>, signal?: AbortSignal): Promise<WarehouseAnswer>
  /** A statement made here, never one a user wrote, over a source's events. */
  read(request: Omit<ReadRequest, 'position'>, signal?: AbortSignal): Promise<WarehouseAnswer>
  /** Rows of an answer (a JSON list) as a Parquet file. */
  parquet(rows: Buffer, columns: QueryCost['columns']): Promise<Buffer>
  /** Resolves when the settings are in force. */
  settle(source: SourceSettings): Promise<void>
  remove(token: string): Promise<void>
  /** Deletes all events of a source that were durable when it was called, and keeps its fields. */
  clear(token: string): Promise<void>
  stats(token: string): SourceStats
  health(): WarehouseHealth
  stop(): Promise<void>
}

type Waiting = {
  resolve(answer: WarehouseAnswer): void
  reject(error: Fault): void
}

/** The engine is told of new journal bytes at most this often; queries carry their own position. */
const NOTIFY_EVERY_MS = 50

const MAX_WAITING = 256

const NO_STATS: SourceStats = { rows: 0, bytes: 0, parts: 0, freshRows: 0, loadedTo: 0 }

export function createWarehouse({
  dir,
  journalDir,
  journal,
  sources,
  queryMemoryMb,
  queryThreads,
  useFilters = true,
  onLoaded,
  log,
}: {
  dir: string
  journalDir: string
  journal: JournalOfWarehouse
  /** All sources with their settings, asked for at each start of the engine. */
  sources(): SourceSettings[]
  queryMemoryMb: number
  queryThreads: number
  /** Off only to measure what filters are worth. */
  useFilters?: boolean
  /** A source's frames up to this position are in parts. */
  onLoaded(token: string, position: Position): void
  log: { warn(details: object, message: string): void }
}): Warehouse {
  const reader = journal.reader('warehouse')
  const waiting = new Map<number, Waiting>()
  const stats = new Map<string, SourceStats>()
  let state: EngineState = {
    loadedTo: reader.position,
    unloadedBytes: 0,
    sources: {},
    damaged: [],
    lastError: null,
    partials: { queries: 0, bytes: 0, answers: 0, failures: 0 },
  }
  let nextId = 1
  let notifyTimer: NodeJS.Timeout | null = null

  const engine = createEngineProcess({
    describe: () => ({
      dir,
      journalDir,
      position: reader.position,
      end: journal.end,
      sources: sources(),
      queryMemoryMb,
      queryThreads,
      useFilters,
    }),
    onMessage(message, body) {
      if (message.op === 'state') takeState(message.state)
      else if (message.op === 'answer')
        settleWaiting(message.id, { body, cost: message.cost ?? NO_COST, extent: message.extent ?? NO_EXTENT })
      else if (message.op === 'refused') settleWaiting(message.id, new Fault(message.code, message.reason))
    },
    onDeath(reason) {
      log.warn({ reason }, 'the query engine stopped and is being started again')
      for (const id of [...waiting.keys()])
        settleWaiting(
          id,
          new Fault(
            'unavailable',
            'The query engine stopped while it worked on this query. It is being started again: retry in a moment, with less data if it happens again.',
            reason,
          ),
        )
    },
  })

  function takeState(next: EngineState): void {
    state = next
    for (const [token, of] of Object.entries(next.sources)) {
      const before = stats.get(token)
      stats.set(token, of)
      if (of.loadedTo !== before?.loadedTo) onLoaded(token, of.loadedTo)
    }
    reader.advance(next.loadedTo)
  }

  function settleWaiting(id: number, outcome: WarehouseAnswer | Fault): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (outcome instanceof Fault) asked?.reject(outcome)
    else asked?.resolve(outcome)
  }

  async function ask(
    message: (id: number) => Parameters<typeof engine.send>[0],
    signal?: AbortSignal,
    body?: Buffer,
  ): Promise<WarehouseAnswer> {
    if (waiting.size >= MAX_WAITING)
      throw new Fault('busy', 'Too many queries are running. Try again in a few seconds.')
    const id = nextId
    nextId += 1
    const { promise, resolve, reject } = Promise.withResolvers<WarehouseAnswer>()
    waiting.set(id, { resolve, reject })
    const cancel = (): void => void engine.send({ op: 'cancel', id })
    if (signal?.aborted) throw new Fault('query_failed', 'The query was cancelled.')
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      await engine.send(message(id), body)
      return await promise
    } finally {
      waiting.delete(id)
      signal?.removeEventListener('abort', cancel)
    }
  }

  const forgetCommits = journal.onCommit(() => {
    if (notifyTimer) return
    notifyTimer = setTimeout(() => {
      notifyTimer = null
      if (engine.isReady) void engine.send({ op: 'journal', end: journal.end })
    }, NOTIFY_EVERY_MS)
  })

  return {
    start: () => engine.start(),
    query: (request, signal) =>
      ask((id) => ({ op: 'query', id, query: { ...request, position: journal.end } }), signal),
    search: (request, signal) =>
      ask((id) => ({ op: 'search', id, search: { ...request, position: journal.end } }), signal),
    read: (request, signal) => ask((id) => ({ op: 'read', id, read: { ...request, position: journal.end } }), signal),
    async parquet(rows, columns) {
      return (await ask((id) => ({ op: 'parquet', id, columns }), undefined, rows)).body
    },
    async settle(source) {
      await ask((id) => ({ op: 'source', id, source, end: journal.end }))
    },
    async remove(token) {
      stats.delete(token)
      await ask((id) => ({ op: 'delete', id, token, end: journal.end }))
    },
    async clear(token) {
      await ask((id) => ({ op: 'clear', id, token, end: journal.end }))
    },
    stats: (token) => stats.get(token) ?? NO_STATS,
    health: () => ({
      isReady: engine.isReady,
      restarts: engine.restarts,
      unloadedBytes: Math.max(state.unloadedBytes, journal.end - state.loadedTo),
      damaged: state.damaged,
      lastError: state.lastError,
      partials: state.partials,
    }),
    async stop() {
      forgetCommits()
      if (notifyTimer) clearTimeout(notifyTimer)
      await engine.stop()
    },
  }
}

const NO_COST: QueryCost = { rows: 0, ms: 0, truncated: false, bytesScanned: 0, columns: [] }
const NO_EXTENT: Extent = { next: null, readFromUs: null }

/** The fields of every stored source and the position they are true for; read by the front before the engine runs. */
export function storedFields(dir: string): Map<string, { fields: FlatFields; position: Position }> {
  const found = new Map<string, { fields: FlatFields; position: Position }>()
  if (!existsSync(dir)) return found
  for (const token of storedSources(dir)) {
    const manifest = readManifest(join(dir, token))
    if (manifest && !manifest.deleted) found.set(token, { fields: manifest.fields, position: manifest.position })
  }
  return found
}
