/** What the front and the engine process say to each other. */
import type { Position } from '../model/journal.ts'

export type SourceSettings = { token: string; retentionDays: number }

/** A relation that a query may read: one source, optionally only between two times (microseconds, inclusive). */
export type TableOfQuery = { table: string; token: string; fromUs: number | null; toUs: number | null }

export type QueryRequest = {
  text: string
  tables: TableOfQuery[]
  /** The journal up to here must be visible to the query. */
  position: Position
  maxRows: number
  timeoutMs: number
}

/** What a query cost, beside its rows. */
export type QueryCost = { rows: number; ms: number; truncated: boolean }

export type EngineStart = {
  dir: string
  journalDir: string
  position: Position
  end: Position
  sources: SourceSettings[]
  queryMemoryMb: number
  queryThreads: number
}

export type ToEngine =
  | { op: 'start'; start: EngineStart }
  | { op: 'journal'; end: Position }
  | { op: 'source'; source: SourceSettings }
  | { op: 'delete'; id: number; token: string; end: Position }
  | { op: 'query'; id: number; query: QueryRequest }
  | { op: 'cancel'; id: number }
  | { op: 'recent'; id: number; token: string; position: Position; limit: number }
  | { op: 'stop' }

export type SourceStats = { rows: number; bytes: number; parts: number; freshRows: number; loadedTo: Position }

export type EngineState = {
  /** Everything before this journal position is in parts. */
  loadedTo: Position
  unloadedBytes: number
  /** Stats of the sources that changed since the last message. */
  sources: Record<string, SourceStats>
  damaged: DamagedPart[]
  lastError: string | null
}

export type DamagedPart = { source: string; file: string; reason: string; at: string }

export type FromEngine =
  | { op: 'ready' }
  | { op: 'failed'; reason: string }
  | { op: 'state'; state: EngineState }
  | { op: 'answer'; id: number; cost: QueryCost | null }
  | { op: 'refused'; id: number; code: 'query_failed' | 'busy' | 'unavailable'; reason: string }
