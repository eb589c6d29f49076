/**
 * An alert: a query with a schedule and the places that are to hear of its rows. One schema serves checking, types and
 * the API description. Read-only fields may be sent back and are ignored.
 */
import { z } from 'zod'
import { parseCron } from './cron.ts'
import { QUERY_TEXT_MAX, type QueryFacts } from './endpoint.ts'
import { plainText } from './text.ts'

/** An alert that finds more than this is not read to the end. */
export const ALERT_ROWS_MAX = 1_000
const BACKENDS_MAX = 100

/** Blank text and null both mean "not set". */
const text = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .refine((value) => !value.includes('\0'), 'is invalid')
    .nullable()
    .transform((value) => value || null)

const hook = text(2_000).refine(
  (value) => value === null || (/^https?:\/\//i.test(value) && URL.canParse(value)),
  'must be an http or https address',
)

const cron = z
  .string()
  .trim()
  .pipe(plainText(200))
  .superRefine((value, context) => {
    if (value === '') return
    const read = parseCron(value)
    if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem })
  })

export const AlertSettings = z.strictObject({
  name: z.string().trim().pipe(plainText(255)),
  description: text(4_000),
  query: plainText(QUERY_TEXT_MAX).refine((value) => value.trim() !== '', "can't be blank"),
  /** `bq_sql` is warehouse SQL. */
  language: z.enum(['bq_sql', 'pg_sql', 'ch_sql', 'lql']),
  cron,
  enabled: z
    .boolean()
    .nullable()
    .transform((value) => value ?? true),
  /** The two hook addresses work like passwords and are encrypted at rest. */
  webhook_notification_url: hook,
  slack_hook_url: hook,
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
  enabled: true,
  webhook_notification_url: null,
  slack_hook_url: null,
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
  const { id, backends, parameters, source_mapping, inserted_at, updated_at, ...changes } = body
  return changes
}

export type AlertDefinition = AlertSettings & QueryFacts

export type Alert = AlertDefinition & {
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
  inserted_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type AlertRecord = z.infer<typeof AlertRecord>
