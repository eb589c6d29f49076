/** What the front and the engine process say to each other. */
import type { Position } from '../model/journal.ts'
import type { Needles } from '../model/needles.ts'

/** `isAway`: its events live elsewhere from now on. Its fields are kept here nevertheless. */
export type SourceSettings = { token: string; retentionDays: number; isAway: boolean }

/** A relation that a query may read: one source, optionally only between two times (microseconds, inclusive). */
export type TableOfQuery = {
  table: string
  token: string
  fromUs: number | null
  toUs: number | null
  /** Rows without these may be left out. */
  needles?: Needles
}

/** The value of a parameter: its text, read as this type. A list has a text per element. */
export type BoundValue = {
  type: 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN'
  value: string | null | (string | null)[]
}

export type QueryRequest = {
  text: string
  tables: TableOfQuery[]
  /** By the names they have in the text, without the `$`. */
  parameters?: Record<string, BoundValue>
  /** The journal up to here must be visible to the query. */
  position: Position
  maxRows: number
  timeoutMs: number
}

/**
 * A place in the order of a source's events, which is by time and then by id. `seen` events at this very place were
 * given already: senders may use an id twice.
 */
export type Cursor = { us: number; id: string; seen: number }

/** A page of one source's events. `where` and `select` are SQL of our own making, with literals inside. */
export type SearchRequest = {
  token: string
  where: string
  /** `null`: the whole event. */
  select: string | null
  fromUs: number | null
  toUs: number | null
  /** Rows without these may be left out. */
  needles?: Needles
  before: Cursor | null
  after: Cursor | null
  /** The end at which the page begins. */
  from: 'newest' | 'oldest'
  listed: 'newest first' | 'oldest first'
  limit: number
  position: Position
  timeoutMs: number
}

/** A statement of our own making over one source, which it calls `events`. */
export type ReadRequest = {
  token: string
  text: string
  fromUs: number | null
  toUs: number | null
  /** Rows without these may be left out. */
  needles?: Needles
  /** Read about this many of the newest rows at most; `null`: all. */
  newestRows: number | null
  maxRows: number
  position: Position
  timeoutMs: number
}

/** What a query cost, beside its rows. */
export type QueryCost = {
  rows: number
  ms: number
  truncated: boolean
  /** The size of the files that were opened; most queries read only some columns of them. */
  bytesScanned: number
  /** The columns of the rows, with the engine's names of their types. */
  columns: { name: string; type: string }[]
}

/** Where the next page goes on, and from when on was read, if that is later than was asked for. */
export type Extent = { next: Cursor | null; readFromUs: number | null }

export type EngineStart = {
  dir: string
  journalDir: string
  position: Position
  end: Position
  sources: SourceSettings[]
  queryMemoryMb: number
  queryThreads: number
  /** Off only to measure what filters are worth. */
  useFilters: boolean
}

export type ToEngine =
  | { op: 'start'; start: EngineStart }
  | { op: 'journal'; end: Position }
  /** `end` is where the journal ended when the settings came true. */
  | { op: 'source'; id: number; source: SourceSettings; end: Position }
  | { op: 'delete'; id: number; token: string; end: Position }
  /** Like `delete`, but the source goes on. */
  | { op: 'clear'; id: number; token: string; end: Position }
  | { op: 'query'; id: number; query: QueryRequest }
  | { op: 'parquet'; id: number; columns: QueryCost['columns'] }
  | { op: 'cancel'; id: number }
  | { op: 'search'; id: number; search: SearchRequest }
  | { op: 'read'; id: number; read: ReadRequest }
  | { op: 'stop' }

export type SourceStats = { rows: number; bytes: number; parts: number; freshRows: number; loadedTo: Position }

/** Results per part that are kept for queries asked again: of how many, how large, how often they helped or failed to. */
export type PartialCounts = { queries: number; bytes: number; answers: number; failures: number }

export type EngineState = {
  /** Everything before this journal position is in parts. */
  loadedTo: Position
  unloadedBytes: number
  /** Stats of the sources that changed since the last message. */
  sources: Record<string, SourceStats>
  damaged: DamagedPart[]
  lastError: string | null
  partials: PartialCounts
}

export type DamagedPart = { source: string; file: string; reason: string; at: string }

export type FromEngine =
  | { op: 'ready' }
  | { op: 'failed'; reason: string }
  | { op: 'state'; state: EngineState }
  | { op: 'answer'; id: number; cost: QueryCost | null; extent?: Extent }
  | { op: 'refused'; id: number; code: 'query_failed' | 'busy' | 'unavailable'; reason: string }
