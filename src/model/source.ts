/**
 * A source: a named collection of events and the settings of its pipeline. One schema serves checking, types and the
 * API description.
 *
 * Three groups of fields may be written: the settings of this service; `compat` settings that tools written for
 * earlier services send (kept and read back, otherwise without effect); and read-only fields, which are ignored so
 * that a record that was read can be sent back. Anything else is refused by name.
 */
import { z } from 'zod'
import { normalLabels } from './labels.ts'
import { Notifications } from './notifications.ts'
import { parseCopyRules } from './rules/copy.ts'
import { parseDropRules } from './rules/drop.ts'
import { parseEnrichRules } from './rules/enrich.ts'
import { BadRules } from './rules/lines.ts'
import { plainText } from './text.ts'

export const RETENTION_DAYS_MAX = 3650

/** Blank text and null both mean "not set". */
const text = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .nullable()
    .transform((value) => value || null)

const rules = (parse: (text: string) => unknown) =>
  text(100_000).superRefine((value, context) => {
    try {
      if (value !== null) parse(value)
    } catch (error) {
      if (!(error instanceof BadRules)) throw error
      for (const message of error.problems) context.addIssue({ code: 'custom', message })
    }
  })

const labels = text(4_000).transform((value, context) => {
  const read = normalLabels(value ?? '')
  if ('labels' in read) return read.labels
  context.addIssue({ code: 'custom', message: read.problem })
  return z.NEVER
})

const settings = {
  name: z.string().trim().pipe(plainText(255)),
  description: text(4_000),
  service_name: text(255),
  favorite: z.boolean(),
  retention_days: z.int().min(1).max(RETENTION_DAYS_MAX),
  lock_schema: z.boolean(),
  suggested_keys: z.string().trim().max(4_000),
  transform_copy_fields: rules(parseCopyRules),
  transform_key_values: rules(parseEnrichRules),
  transform_drop_fields: rules(parseDropRules),
  drop_lql_string: text(10_000),
  default_search_lql: text(10_000),
  custom_event_message_keys: text(4_000),
  labels,
  /** What to announce (schema changes, errors, patterns) and where (mail, webhook, Slack). Encrypted at rest. */
  notifications: Notifications.nullable(),
}

const compat = {
  public_token: text(255),
  /** The two hook addresses work like passwords and are encrypted at rest. */
  webhook_notification_url: text(2_000),
  slack_hook_url: text(2_000),
  notifications_every: z.int().min(0),
  bigquery_clustering_fields: text(1_000),
  'default_ingest_backend_enabled?': z.boolean(),
  validate_schema: z.boolean(),
  disable_tailing: z.boolean(),
  bq_storage_write_api: z.boolean(),
  enable_spooling: z.boolean(),
}

export const SourceSettings = z.strictObject({ ...settings, ...compat })
export type SourceSettings = z.infer<typeof SourceSettings>

export const SOURCE_DEFAULTS: Omit<SourceSettings, 'name'> = {
  description: null,
  service_name: null,
  favorite: false,
  retention_days: 7,
  lock_schema: false,
  suggested_keys: '',
  transform_copy_fields: null,
  transform_key_values: null,
  transform_drop_fields: null,
  drop_lql_string: null,
  default_search_lql: null,
  custom_event_message_keys: null,
  labels: null,
  notifications: null,
  public_token: null,
  webhook_notification_url: null,
  slack_hook_url: null,
  notifications_every: 14_400_000,
  bigquery_clustering_fields: null,
  'default_ingest_backend_enabled?': false,
  validate_schema: true,
  disable_tailing: false,
  bq_storage_write_api: false,
  enable_spooling: false,
}

/** Settings that are sealed before they reach the disk. */
export const SEALED_SETTINGS = ['notifications', 'webhook_notification_url', 'slack_hook_url'] as const

/** The token of the backend in which events live from now on; null: the embedded warehouse. */
const Home = z.uuid().toLowerCase().nullable()

const ignored = z.unknown().optional()
const readOnly = {
  id: ignored,
  home_type: ignored,
  backends: ignored,
  metrics: ignored,
  inserted_at: ignored,
  updated_at: ignored,
  api_quota: ignored,
  bq_table_id: ignored,
  has_rejected_events: ignored,
  /** `retention_days` is the one retention there is. */
  bigquery_table_ttl: ignored,
}

export const SourceChanges = z
  .strictObject({
    ...SourceSettings.partial().shape,
    ...readOnly,
    token: z.uuid().toLowerCase().optional(),
    home: Home.optional(),
  })
  .transform(withoutReadOnly)
export type SourceChanges = z.infer<typeof SourceChanges>

/** The same, with a name; `token` may be chosen. */
export const NewSource = z
  .strictObject({
    ...SourceSettings.partial().shape,
    ...readOnly,
    name: settings.name,
    token: z.uuid().toLowerCase().optional(),
    home: Home.optional(),
  })
  .transform(withoutReadOnly)
export type NewSource = z.infer<typeof NewSource>

function withoutReadOnly<Body extends Partial<Record<keyof typeof readOnly, unknown>>>(body: Body) {
  const {
    id,
    home_type,
    backends,
    metrics,
    inserted_at,
    updated_at,
    api_quota,
    bq_table_id,
    has_rejected_events,
    ...rest
  } = body
  const { bigquery_table_ttl, ...changes } = rest
  return changes
}

export type Source = SourceSettings & {
  /** Never used twice, also after the source is deleted. */
  id: number
  account_id: number
  token: string
  /** The backend in which its events live; null: the embedded warehouse. */
  home_id: number | null
  inserted_at: string
  updated_at: string
}

export const SourceMetrics = z.object({
  rate: z.number(),
  avg: z.number(),
  max: z.number(),
  total: z.number(),
  rejected: z.number(),
  fields: z.number(),
  bytes: z.number(),
})
export type SourceMetrics = z.infer<typeof SourceMetrics>

export const SourceRecord = z.object({
  id: z.int(),
  token: z.uuid(),
  ...SourceSettings.omit({ enable_spooling: true }).shape,
  /** Where its events live: the token of a backend, or null for the embedded warehouse; and what that is. */
  home: z.uuid().nullable(),
  home_type: z.string(),
  backends: z.array(z.record(z.string(), z.unknown())),
  metrics: SourceMetrics,
  inserted_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type SourceRecord = z.infer<typeof SourceRecord>

/** What the service tells of itself, where that is on. Nobody else writes to them, so their names are taken in every account. */
export const SYSTEM_METRICS = 'system.metrics'
export const SYSTEM_LOGS = 'system.logs'

export const isSystemSource = ({ name }: { name: string }): boolean => name === SYSTEM_METRICS || name === SYSTEM_LOGS
