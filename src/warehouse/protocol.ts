/** What the front and the engine process say to each other. */
import type { Position } from '../model/journal.ts'

export type SourceSettings = { token: string; retentionDays: number }

/** A relation that a query may read: one source, optionally only between two times (microseconds, inclusive). */
export type TableOfQuery = { table: string; token: string; fromUs: number | null; toUs: number | null }

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
  | { op: 'parquet'; id: number; columns: QueryCost['columns'] }
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
