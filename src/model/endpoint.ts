/**
 * An endpoint: a query published under an address of its own, with its cache, its access and its numbered versions.
 * One schema serves checking, types and the API description. Read-only fields may be sent back and are ignored.
 */
import { z } from 'zod'
import { plainText } from './text.ts'

export const QUERY_TEXT_MAX = 200_000
export const ENDPOINT_ROWS_MAX = 10_000
const YEAR_S = 31_536_000

/** Blank text and null both mean "not set". */
const text = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .refine((value) => !value.includes('\0'), 'is invalid')
    .nullable()
    .transform((value) => value || null)

/** Off unless it says otherwise; null is how some tools say nothing. */
const flag = z
  .boolean()
  .nullable()
  .transform((value) => value ?? false)

export const EndpointSettings = z.strictObject({
  name: z.string().trim().pipe(plainText(255)),
  description: text(4_000),
  query: plainText(QUERY_TEXT_MAX).refine((value) => value.trim() !== '', "can't be blank"),
  /** `bq_sql` is warehouse SQL. */
  language: z.enum(['bq_sql', 'pg_sql', 'ch_sql', 'lql']),
  backend_id: z.int().nullable(),
  enable_auth: flag,
  sandboxable: flag,
  /** 0: no cache. */
  cache_duration_seconds: z.int().min(0).max(YEAR_S),
  /** 0: off. */
  proactive_requerying_seconds: z
    .int()
    .min(0)
    .max(YEAR_S)
    .nullable()
    .transform((value) => value ?? 0),
  max_limit: z.int().min(1).max(ENDPOINT_ROWS_MAX),
  redact_pii: flag,
  enable_dynamic_reservation: flag,
  /** Comma-separated: `key=value`, `key=@parameter`, `key`. */
  labels: text(4_000),
})
export type EndpointSettings = z.infer<typeof EndpointSettings>

export const ENDPOINT_DEFAULTS: Omit<EndpointSettings, 'name' | 'query'> = {
  description: null,
  language: 'bq_sql',
  backend_id: null,
  enable_auth: false,
  sandboxable: false,
  cache_duration_seconds: 3600,
  proactive_requerying_seconds: 0,
  max_limit: 1000,
  redact_pii: false,
  enable_dynamic_reservation: false,
  labels: null,
}

/** What saving finds out about a query. */
export type QueryFacts = {
  /** Source token by the name the query has for it, so that a renamed source is still found. */
  source_mapping: Record<string, string>
  /** Names of its parameters, those of the queries it builds on included. */
  parameters: string[]
}

const ignored = z.unknown().optional()
const readOnly = {
  id: ignored,
  version: ignored,
  parameters: ignored,
  source_mapping: ignored,
  inserted_at: ignored,
  updated_at: ignored,
}
const token = z.uuid().toLowerCase().optional()

export const EndpointChanges = z
  .strictObject({ ...EndpointSettings.partial().shape, ...readOnly, token })
  .transform(withoutReadOnly)
export type EndpointChanges = z.infer<typeof EndpointChanges>

/** The same, with a name and a query; `token` may be chosen. */
export const NewEndpoint = z
  .strictObject({
    ...EndpointSettings.partial().shape,
    ...readOnly,
    name: EndpointSettings.shape.name,
    query: EndpointSettings.shape.query,
    token,
  })
  .transform(withoutReadOnly)
export type NewEndpoint = z.infer<typeof NewEndpoint>

function withoutReadOnly<Body extends Partial<Record<keyof typeof readOnly, unknown>>>(body: Body) {
  const { id, version, parameters, source_mapping, inserted_at, updated_at, ...changes } = body
  return changes
}

/** One definition: what a version keeps. */
export type Definition = EndpointSettings & QueryFacts

export type Endpoint = Definition & {
  id: number
  account_id: number
  token: string
  /** The number of this definition; grows by one with every change. */
  version: number
  inserted_at: string
  updated_at: string
}

const definitionShape = {
  ...EndpointSettings.shape,
  source_mapping: z.record(z.string(), z.string()),
  parameters: z.array(z.string()),
}

export const Definition = z.object(definitionShape)

export const EndpointRecord = z.object({
  id: z.int(),
  token: z.uuid(),
  ...definitionShape,
  version: z.int(),
  inserted_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type EndpointRecord = z.infer<typeof EndpointRecord>

export function endpointRecord({ account_id, ...record }: Endpoint): EndpointRecord {
  return record
}

export const EndpointVersion = z.object({
  version: z.int(),
  at: z.iso.datetime(),
  /** The description of the token that made it. */
  author: z.string(),
  /** The fields that differ from the version before. */
  changes: z.array(z.string()),
})
export type EndpointVersion = z.infer<typeof EndpointVersion>

export const EndpointSnapshot = z.object({ ...EndpointVersion.shape, ...definitionShape })
export type EndpointSnapshot = z.infer<typeof EndpointSnapshot>
