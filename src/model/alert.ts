/**
 * An alert: a query with a schedule, a condition, and the places that are to hear when it is met. One schema serves checking, types and
 * the API description. Read-only fields may be sent back and are ignored.
 */
import { z } from 'zod'
import { emailAddresses, hook } from './addresses.ts'
import { parseCron } from './cron.ts'
import { QUERY_TEXT_MAX, type QueryFacts } from './endpoint.ts'
import { isTimeZone } from './schedule.ts'
import { plainText } from './text.ts'

/** An alert that finds more than this is not read to the end. */
export const ALERT_ROWS_MAX = 1_000
const BACKENDS_MAX = 100
const REPEAT_MINUTES_MAX = 10_080

/** Blank text and null both mean "not set". */
const text = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .refine((value) => !value.includes('\0'), 'is invalid')
    .nullable()
    .transform((value) => value || null)

const cron = z
  .string()
  .trim()
  .pipe(plainText(200))
  .superRefine((value, context) => {
    if (value === '') return
    const read = parseCron(value)
    if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem })
  })

export const OPERATORS = ['>', '>=', '<', '<=', '=', '!='] as const

/** `rows`: met when the query gives any. `value`: met by the rows whose column compares so with the threshold. */
export const AlertCondition = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('rows') }),
  z.strictObject({
    type: z.literal('value'),
    column: plainText(255),
    operator: z.enum(OPERATORS),
    threshold: z.number(),
  }),
])
export type AlertCondition = z.infer<typeof AlertCondition>

/**
 * `waiting`: it has not run yet. `failing`: its query failed the last time. `muted` stands in front of the others until
 * `muted_until`.
 */
export const ALERT_STATES = ['waiting', 'ok', 'firing', 'failing', 'muted'] as const
export type AlertState = (typeof ALERT_STATES)[number]

export const AlertSettings = z.strictObject({
  name: z.string().trim().pipe(plainText(255)),
  description: text(4_000),
  query: plainText(QUERY_TEXT_MAX).refine((value) => value.trim() !== '', "can't be blank"),
  /** `bq_sql` is warehouse SQL; that of a backend follows from it. */
  language: z.enum(['bq_sql', 'pg_sql', 'ch_sql', 'lql']),
  /** Where the query runs; null is the warehouse. Those that are told are in `backend_ids`. */
  backend_id: z.int().nullable(),
  cron,
  /** On whose clock `cron` is read. */
  timezone: z.string().trim().pipe(plainText(100)).refine(isTimeZone, 'is not a time zone'),
  condition: AlertCondition,
  /** Least minutes from one message to the next while it fires; 0 tells every run, null only the first. */
  repeat_minutes: z.int().min(0).max(REPEAT_MINUTES_MAX).nullable(),
  /** Whether to tell as well when it stops firing. */
  notify_resolved: z.boolean(),
  /** Nobody is told before; it runs all the same. */
  muted_until: z.iso
    .datetime({ offset: true })
    .transform((value) => new Date(value).toISOString())
    .nullable(),
  enabled: z
    .boolean()
    .nullable()
    .transform((value) => value ?? true),
  /** The two hook addresses work like passwords and are encrypted at rest. */
  webhook_notification_url: hook,
  slack_hook_url: hook,
  emails: emailAddresses,
  /** All of them: what is not named is taken away. */
  backend_ids: z
    .array(z.int().min(1))
    .max(BACKENDS_MAX)
    .transform((ids) => [...new Set(ids)]),
})
export type AlertSettings = z.infer<typeof AlertSettings>

export const ALERT_DEFAULTS: Omit<AlertSettings, 'name' | 'query' | 'cron'> = {
  description: null,
  language: 'bq_sql',
  backend_id: null,
  timezone: 'UTC',
  condition: { type: 'rows' },
  repeat_minutes: 0,
  notify_resolved: false,
  muted_until: null,
  enabled: true,
  webhook_notification_url: null,
  slack_hook_url: null,
  emails: [],
  backend_ids: [],
}

/** Settings that are sealed before they reach the disk. */
export const SEALED_ALERT_SETTINGS = ['webhook_notification_url', 'slack_hook_url'] as const

const ignored = z.unknown().optional()
const readOnly = {
  id: ignored,
  backends: ignored,
  parameters: ignored,
  source_mapping: ignored,
  state: ignored,
  state_since: ignored,
  last_run_at: ignored,
  next_run_at: ignored,
  last_error: ignored,
  inserted_at: ignored,
  updated_at: ignored,
}
const token = z.uuid().toLowerCase().optional()

export const AlertChanges = z
  .strictObject({ ...AlertSettings.partial().shape, ...readOnly, token })
  .transform(withoutReadOnly)
export type AlertChanges = z.infer<typeof AlertChanges>

/** The same, with a name, a query and a schedule; `token` may be chosen. */
export const NewAlert = z
  .strictObject({
    ...AlertSettings.partial().shape,
    ...readOnly,
    ...AlertSettings.pick({ name: true, query: true, cron: true }).shape,
    token,
  })
  .transform(withoutReadOnly)
export type NewAlert = z.infer<typeof NewAlert>

function withoutReadOnly<Body extends Partial<Record<keyof typeof readOnly, unknown>>>(body: Body) {
  const { id, backends, parameters, source_mapping, inserted_at, updated_at, ...rest } = body
  const { state, state_since, last_run_at, next_run_at, last_error, ...changes } = rest
  return changes
}

export type AlertDefinition = AlertSettings & QueryFacts

/** What the last run left. */
export type AlertStanding = {
  /** As the last run left it, so never `muted`. */
  state: Exclude<AlertState, 'muted'>
  state_since: string | null
  last_run_at: string | null
  /** Null when it is not enabled. */
  next_run_at: string | null
  /** When somebody was told that it fires. */
  last_told_at: string | null
  /** Of a query that failed. */
  last_error: string | null
}

export type Alert = AlertDefinition &
  AlertStanding & {
    id: number
    account_id: number
    token: string
    inserted_at: string
    updated_at: string
  }

const definitionShape = {
  ...AlertSettings.shape,
  source_mapping: z.record(z.string(), z.string()),
  parameters: z.array(z.string()),
}

export const AlertDefinition = z.object(definitionShape)

export const AlertRecord = z.object({
  id: z.int(),
  token: z.uuid(),
  ...definitionShape,
  backends: z.array(z.record(z.string(), z.unknown())),
  state: z.enum(ALERT_STATES),
  state_since: z.iso.datetime().nullable(),
  last_run_at: z.iso.datetime().nullable(),
  next_run_at: z.iso.datetime().nullable(),
  last_error: z.string().nullable(),
  inserted_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type AlertRecord = z.infer<typeof AlertRecord>

export const isMuted = ({ muted_until }: Pick<AlertSettings, 'muted_until'>, nowMs: number): boolean =>
  muted_until !== null && Date.parse(muted_until) > nowMs
