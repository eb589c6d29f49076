/**
 * What every type of backend is made of: options (what its `config` may hold), a receiver that takes batches, and a probe.
 * Each type has a folder with `options.ts`, `encode.ts` (events to bytes, nothing else) and a file of its own name.
 */
import type { z } from 'zod'
import type { StoredEvent } from '../model/event-of-row.ts'

/** The source as receivers get to know it. */
export type Origin = { token: string; name: string; serviceName: string | null }

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
