/**
 * What every type of backend is made of: options (what its `config` may hold), a receiver that takes batches, and a probe.
 * Each type has a folder with `options.ts`, `encode.ts` (events to bytes, nothing else) and a file of its own name.
 */
import type { z } from 'zod'
import type { StoredEvent } from '../model/event-of-row.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Source } from '../model/source.ts'
import type { NativeDialect } from '../sql/native/words.ts'
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

export type Batch = { source: Origin; events: StoredEvent[] }

export type Outcome =
  /** `lost`: so many of them were not taken, nobody knows which, and they must not be sent again. */
  | { kind: 'accepted'; lost?: { count: number; reason: string } }
  /** These bytes will never be taken: waiting does not help. */
  | { kind: 'refused'; reason: string }
  /** May work later. `needsHelp`: only after somebody changed something, here or there. */
  | { kind: 'failed'; reason: string; needsHelp: boolean; retryAfterMs: number | null }

/** A reason is a short code for programs. */
export type Probe = { ok: true } | { ok: false; reason: string }

export type Receiver = {
  /** Never throws. */
  send(batch: Batch): Promise<Outcome>
  /** Never throws; sends no events. */
  probe(): Promise<Probe>
  /** Closes what is open; may be called twice. */
  stop(): void
  /** Types that keep events can also be asked. */
  store?: Store
}

export type Store = {
  dialect: NativeDialect
  /** A source's events since this time, as it stands in a FROM clause. */
  table(token: string, keptFromUs: number, isFinal: boolean): string
  /** The place of a value in the text, numbered from 1; `type` as the caller wrote it, where the dialect has such. */
  place(number: number, value: BoundText, type: string | null): string
  /** Throws faults: `query_failed` with the engine's own words, `unavailable` when it cannot be reached. */
  query(statement: Statement, signal?: AbortSignal): Promise<{ json: Buffer; cost: QueryCost }>
}

/** The value of a parameter as text; a list has a text per element. */
export type BoundText = string | null | (string | null)[]

/** One statement that was checked, with the values for its places. */
export type Statement = {
  text: string
  values: BoundText[]
  labels: Readonly<Record<string, string>>
  maxRows: number
  timeoutMs: number
}

export type Surroundings = {
  /** A request or a write that takes longer has failed. */
  timeoutMs: number
}

export const SURROUNDINGS: Surroundings = { timeoutMs: 10_000 }

export type Options = Record<string, unknown>

type Description<Config> = {
  type: string
  options: z.ZodType<Config>
  /** Fields that are never shown. Headers and the user part of addresses are looked after for all types. */
  secrets: readonly string[]
  /** A batch is closed when it has this many events, or when its rows have this many bytes. */
  batch: { events: number; bytes: number }
  /** Given by types that can be asked. */
  dialect?: NativeDialect
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
