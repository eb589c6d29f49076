/**
 * A backend: a receiver outside that gets the events of the sources it is attached to, and of rules that name it. What
 * its `config` holds depends on its type; the folder `backends` knows that, and so does nobody below it.
 */
import { z } from 'zod'
import { plainText } from './text.ts'

export const Backend = z.object({
  id: z.int(),
  account_id: z.int(),
  token: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.string(),
  /** With its secrets. */
  config: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
  /** Named by its address in the settings of the deployment: it is not listed, changed or deleted. */
  managed: z.boolean(),
  /** Sources that are made with `default_ingest_backend_enabled?` live here. */
  'default_ingest?': z.boolean(),
  inserted_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Backend = z.infer<typeof Backend>

/** What callers see: secrets are covered. */
export const BackendRecord = Backend.omit({ account_id: true })
export type BackendRecord = z.infer<typeof BackendRecord>

const object = z.record(z.string(), z.unknown())
const ignored = z.unknown().optional()
const name = z.string().trim().pipe(plainText(255))
const description = z.string().max(10_000).nullish()
/** Read-only fields are ignored, so that a record that was read can be sent back. */
const readOnly = { id: ignored, token: ignored, managed: ignored, inserted_at: ignored, updated_at: ignored }
const defaultIngest = z.boolean().optional()

export const NewBackend = z.strictObject({
  name,
  description,
  type: z.string().min(1),
  config: object,
  metadata: object.nullish(),
  'default_ingest?': defaultIngest,
  ...readOnly,
})
export type NewBackend = z.infer<typeof NewBackend>

export const BackendChanges = z.strictObject({
  name: name.optional(),
  description,
  /** Cannot be changed; may be sent back. */
  type: z.string().optional(),
  /** Put over the stored one, field by field; null takes a field out. */
  config: object.optional(),
  metadata: object.nullish(),
  'default_ingest?': defaultIngest,
  /** Its events live here from now on; only together with `default_ingest?`. */
  source_id: z.int().nullish(),
  ...readOnly,
})
export type BackendChanges = z.infer<typeof BackendChanges>

/** An event that the receiver will never take, and why. */
export type DeadLetter = { id: number; at: string; source: string; reason: string; event: string }

export const BackendStatus = z.object({
  state: z.enum(['ok', 'retrying', 'stopped']),
  /** Events stored and not yet taken by the receiver; those of rules count before their LQL is asked. */
  lag_events: z.int(),
  /** Since when not everything is delivered; 0 when everything is. */
  lag_seconds: z.int(),
  /** Since the service started, like the next two. */
  delivered: z.int(),
  retried: z.int(),
  /** Given up, oldest first, because they held back more of the journal than allowed. */
  dropped: z.int(),
  dead_letters: z.int(),
  last_error: z.string().nullable(),
  /** Where several nodes share the work: those that did not answer, and are not in the sums. */
  silent_nodes: z.array(z.string()).optional(),
})
export type BackendStatus = z.infer<typeof BackendStatus>
