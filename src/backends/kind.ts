/**
 * What every type of backend is made of: options (what its `config` may hold), a receiver that takes batches, and a probe.
 * Each type has a folder with `options.ts`, `encode.ts` (events to bytes, nothing else) and a file of its own name.
 */
import type { LookupFunction } from 'node:net'
import type { z } from 'zod'
import type { StoredEvent } from '../model/event-of-row.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Position } from '../model/journal.ts'
import type { Source } from '../model/source.ts'
import type { NativeDialect } from '../sql/native/words.ts'
import type { BoundType } from '../sql/sql.ts'
import type { QueryCost } from '../warehouse/protocol.ts'

/** The source as receivers get to know it. */
export type Origin = {
  token: string
  name: string
  serviceName: string | null
  retentionDays: number
  fields(): FlatFields
}

export const originOf = (
  { token, name, service_name, retention_days }: Pick<Source, 'token' | 'name' | 'service_name' | 'retention_days'>,
  fields: (token: string) => FlatFields,
): Origin => ({
  token,
  name,
  serviceName: service_name,
  retentionDays: retention_days,
  fields: () => fields(token),
})

/** Where an event stands: the position of its frame, and its row there. */
export type Place = { position: Position; row: number }

/** `place` is that of the first event; dead letters that are sent again have none. */
export type Batch = { source: Origin; events: StoredEvent[]; place?: Place }

export type BatchLimits = {
  /** A batch is closed when it has this many events, or when its rows have this many bytes. */
  events: number
  bytes: number
  /** Batches that may be under way at once, where their order does not matter; 1 when not given. */
  inFlight?: number
  /** How long events wait for others to share a batch with; half a second when not given. */
  afterMs?: number
  /** Closed between frames only, and its place is saved before the next: what is repeated begins where it began. */
  wholeFrames?: boolean
}

export type Outcome =
  /**
   * `lost`: so many of them were not taken, nobody knows which, and they must not be sent again.
   * `refused`: all but these were taken, in their order; these never will be.
   */
  | { kind: 'accepted'; lost?: { count: number; reason: string }; refused?: { index: number; reason: string }[] }
  /** These bytes will never be taken: waiting does not help. */
  | { kind: 'refused'; reason: string }
  /** May work later. `needsHelp`: only after somebody changed something, here or there. */
  | { kind: 'failed'; reason: string; needsHelp: boolean; retryAfterMs: number | null }

/** A reason is a short code for programs, a message is for people. */
export type Probe = { ok: true } | { ok: false; reason: string; message?: string }

export type Receiver = {
  /** Instead of those of the type, where options say so. */
  batch?: BatchLimits
  /** Never throws. */
  send(batch: Batch): Promise<Outcome>
  /** Never throws; sends no events. */
  probe(): Promise<Probe>
  /** Closes what is open; may be called twice. */
  stop(): void
  /** Types that keep events can also be asked. */
  store?: Store
}

/** BigQuery speaks warehouse SQL: what is asked of it passes the guard of that, and not the one of `sql/native`. */
export type StoreDialect = NativeDialect | 'bigquery'

export type Store = {
  dialect: StoreDialect
  /** A source's events since this time, as it stands in a FROM clause. */
  table(token: string, keptFromUs: number, isFinal: boolean): string
  /** The place of a value in the text, numbered from 1; `type` as the caller wrote it, where the dialect has such. */
  place(number: number, value: BoundText, type: string | null): string
  /** Throws faults: `query_failed` with the engine's own words, `unavailable` when it cannot be reached. */
  query(statement: Statement, signal?: AbortSignal): Promise<{ json: Buffer; cost: QueryCost }>
  /** Given where sources can live. */
  home?: Home
}

/** What a store does beside being asked where sources live in it. Throws what `query` throws. */
export type Home = {
  /** Sees to it that the source's table has every field the source knows, and keeps events as long as it should. */
  prepare(source: Origin): Promise<void>
  /** Deletes all events of a source, or its table too; nothing when there is none. */
  clear(token: string): Promise<void>
  remove(token: string): Promise<void>
  /** Whether a query failed because a table or column is not there, which `prepare` would make. */
  isMissing(error: unknown): boolean
  /** The event that a row of the whole table is. */
  event(row: Record<string, unknown>): Record<string, unknown>
}

/** The value of a parameter as text; a list has a text per element. */
export type BoundText = string | null | (string | null)[]

/** One statement that was checked, with the values for its places. */
export type Statement = {
  text: string
  values: BoundText[]
  /** What the query expects at each place, where that is known; else it is told by the look of the value. */
  types?: (BoundType | null)[]
  labels: Readonly<Record<string, string>>
  maxRows: number
  timeoutMs: number
  /** Where BigQuery should run it: `projects/…/locations/…/reservations/…`. */
  reservation?: string
}

export type Surroundings = {
  /** A request or a write that takes longer has failed. */
  timeoutMs: number
  /** Turns names into addresses; the system's when not given, and never one that leads to a forbidden address. */
  lookup?: LookupFunction
  /** For types that write files of columns. */
  columns?: Columns
}

export type Columns = {
  /** What is known of a source's fields. */
  fields(sourceToken: string): FlatFields
  /** Rows (a JSON list) as a Parquet file. */
  parquet(rows: Buffer, columns: { name: string; type: string }[]): Promise<Buffer>
}

export const SURROUNDINGS: Surroundings = { timeoutMs: 10_000 }

export type Options = Record<string, unknown>

type Description<Config> = {
  type: string
  options: z.ZodType<Config>
  /** Fields that are never shown. Headers and the user part of addresses are looked after for all types. */
  secrets: readonly string[]
  batch: BatchLimits
  /** Given by types that can be asked. */
  dialect?: StoreDialect
  /** Sources can live in it: its store has a `home`. */
  isHome?: boolean
  connect(config: Config, surroundings: Surroundings): Receiver
}

export type Kind = Omit<Description<unknown>, 'connect'> & {
  /** The config as it was stored; one that does not hold any more is a thrown `ZodError`. */
  connect(config: Options, surroundings: Surroundings): Receiver
}

export function defineKind<Config>(description: Description<Config>): Kind {
  return {
    ...description,
    connect: (config, surroundings) => description.connect(description.options.parse(config), surroundings),
  }
}

export const failed = (reason: string, needsHelp = false, retryAfterMs: number | null = null): Outcome => ({
  kind: 'failed',
  reason,
  needsHelp,
  retryAfterMs,
})
