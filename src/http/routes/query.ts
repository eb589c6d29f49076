/** The management query: SQL over the account's sources and published queries, and the log of what ran. */
import { z } from 'zod'
import { callerName, type Identity } from '../../access/access.ts'
import type { Stores } from '../../backends/stores.ts'
import { Fault } from '../../base/faults.ts'
import { type LoggedQuery, QUERY_KINDS, type QueryLog } from '../../catalog/query-log.ts'
import type { Answer, Rows } from '../../query/answer.ts'
import { typed } from '../../query/compose.ts'
import { chooseFormat, type Encode, MEDIA_TYPES } from '../../query/formats/formats.ts'
import type { AnswerNative } from '../../query/native.ts'
import type { ParseQuery } from '../../query/parse.ts'
import type { QueryRecorder } from '../../query/recorder.ts'
import { type Call, FinishedBody, FinishedJson, nothing, type Routes } from '../route.ts'

const MAX_ROWS = 1000
const LOG_LINES = 100
const LOG_LINES_MAX = 1000

export type QueryParts = {
  answer: Answer
  parse: ParseQuery
  encode: Encode
  recorder: QueryRecorder
  queryLog: Pick<QueryLog, 'list'>
  native: AnswerNative
  stores: Pick<Stores, 'first' | 'dialectOf'>
  timeoutMs: number
}

const text = z.string().optional()
const texts = { sql: text, bq_sql: text, ch_sql: text, pg_sql: text }
/** Anything else in the query string is the value of a parameter. */
const InQuery = z.looseObject({ ...texts, backend_id: text, format: text })
const InBody = z.strictObject({
  ...texts,
  backend_id: z.union([z.string(), z.number()]).nullish(),
  format: text,
  parameters: z.record(z.string(), z.unknown()).optional(),
})
type Asked = Partial<Record<keyof typeof texts, string | undefined>>

const RowsAnswer = z.object({
  result: z.array(z.record(z.string(), z.unknown())),
  rows: z.int(),
  bytes_scanned: z.int(),
  ms: z.int(),
})

const LogLine = z.object({
  at: z.iso.datetime(),
  kind: z.enum(QUERY_KINDS),
  endpoint: z.string().nullable(),
  version: z.int().nullable(),
  labels: z.record(z.string(), z.string()),
  rows: z.int(),
  bytes_scanned: z.int(),
  ms: z.int(),
  cached: z.boolean(),
  error: z.string().nullable(),
  token: z.string().nullable(),
  count: z.int(),
})

const area = 'query'
const summary = `Run one read-only SQL statement; every source must be filtered on timestamp; at most ${MAX_ROWS} rows`

export function addQueryRoutes(routes: Routes, parts: QueryParts): void {
  const { answer, native, stores, parse, encode, recorder, queryLog, timeoutMs } = parts

  async function run(
    { identity, signal }: Pick<Call<never, never, never>, 'identity' | 'signal'>,
    { sql, backendId }: Target,
    values: Record<string, unknown>,
  ): Promise<Rows> {
    const accountId = identity.account.id
    const note = (cost: Partial<Rows['cost']>, error: string | null): void =>
      recorder.note(accountId, logLine(identity, cost, error))
    try {
      const asked = { accountId, values, requireTimestamp: true, maxRows: MAX_ROWS, timeoutMs, signal }
      const rows =
        backendId === null
          ? await answer({ ...asked, query: typed(sql) })
          : await native({ ...asked, sql, backendId, labels: {} })
      note(rows.cost, null)
      return rows
    } catch (error) {
      note({}, error instanceof Fault ? error.message : 'internal error')
      throw error
    }
  }

  /** Where a text runs. The older names say their dialect, and find the first backend of it when none is named. */
  async function targetOf(
    { account }: Identity,
    asked: Asked,
    id: string | number | null | undefined,
  ): Promise<Target> {
    const { sql, dialect } = askedSql(asked)
    if (id !== undefined && id !== null && id !== '') {
      if (!/^\d{1,9}$/.test(String(id))) throw new Fault('bad_request', 'Invalid backend_id: must be an integer')
      const spoken = await stores.dialectOf(account.id, Number(id))
      if (spoken === null) throw new Fault('bad_request', 'Backend does not support querying')
      if (dialect !== null && dialect !== (spoken === 'bigquery' ? 'warehouse' : spoken))
        throw new Fault('bad_request', `This backend speaks ${WORDS[spoken]}.`)
      return { sql, backendId: Number(id) }
    }
    if (dialect === null || dialect === 'warehouse') return { sql, backendId: null }
    const backendId = await stores.first(account.id, dialect)
    if (backendId === null) throw new Fault('bad_request', `There is no ${WORDS[dialect]} backend to run this on.`)
    return { sql, backendId }
  }

  async function reply({ json, cost }: Rows, format: unknown, accept: string | undefined) {
    const chosen = chooseFormat(format, accept)
    if (chosen !== 'json')
      return new FinishedBody(MEDIA_TYPES[chosen], await encode({ json, columns: cost.columns }, chosen))
    const { rows, bytesScanned, ms } = cost
    const tail = `,"rows":${rows},"bytes_scanned":${bytesScanned},"ms":${ms}}`
    return new FinishedJson(Buffer.concat([Buffer.from('{"result":'), json, Buffer.from(tail)]))
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/query',
    area,
    summary,
    query: InQuery,
    status: 200,
    answer: RowsAnswer,
    async run({ query, headers, ...call }) {
      const { sql, bq_sql, ch_sql, pg_sql, backend_id, format, ...values } = query
      const rows = await run(call, await targetOf(call.identity, { sql, bq_sql, ch_sql, pg_sql }, backend_id), values)
      return reply(rows, format, headers.accept)
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/query',
    area,
    summary,
    body: InBody,
    status: 200,
    answer: RowsAnswer,
    async run({ body: { format, parameters = {}, backend_id, ...asked }, headers, ...call }) {
      const rows = await run(call, await targetOf(call.identity, asked, backend_id), parameters)
      return reply(rows, format, headers.accept)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/query/parse',
    area,
    summary:
      'What a query asks for: its parameters, itself with published queries put in, and the text the engine runs',
    query: z.object(texts),
    status: 200,
    answer: z.object({
      result: z.object({ parameters: z.array(z.string()), expanded_query: z.string(), translated: z.string() }),
    }),
    async run({ identity, query }) {
      const { sql, dialect } = askedSql(query)
      return { result: await parse(identity.account.id, sql, dialect === 'warehouse' ? null : dialect) }
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/queries',
    area,
    summary: 'What was asked in the last 7 days, newest first; equal answers out of a cache are one line with a count',
    query: z.object({
      endpoint: z.uuid().toLowerCase().optional(),
      limit: z.coerce.number().pipe(z.int().min(1).max(LOG_LINES_MAX)).optional(),
    }),
    status: 200,
    answer: z.array(LogLine),
    async run({ identity, query: { endpoint = null, limit = LOG_LINES } }) {
      await recorder.flush()
      return queryLog.list(identity.account.id, { endpoint, limit })
    },
  })
}

type Target = { sql: string; backendId: number | null }

const WORDS = { warehouse: 'warehouse SQL', postgres: 'PostgreSQL', clickhouse: 'ClickHouse', bigquery: 'BigQuery' }

/** The text to run. The older, dialect-specific names win over `sql`. */
function askedSql({ sql, bq_sql, ch_sql, pg_sql }: Asked): {
  sql: string
  dialect: 'warehouse' | 'postgres' | 'clickhouse' | null
} {
  const chosen = bq_sql ?? ch_sql ?? pg_sql ?? sql
  if (!chosen?.trim())
    throw new Fault('bad_request', 'Give the query as sql= (or the older bq_sql=, ch_sql=, pg_sql=).')
  if (bq_sql !== undefined) return { sql: bq_sql, dialect: 'warehouse' }
  if (ch_sql !== undefined) return { sql: ch_sql, dialect: 'clickhouse' }
  return { sql: chosen, dialect: pg_sql !== undefined ? 'postgres' : null }
}

function logLine(
  identity: Identity,
  { rows = 0, bytesScanned = 0, ms = 0 }: Partial<Rows['cost']>,
  error: string | null,
): Omit<LoggedQuery, 'at' | 'count'> {
  const where = { kind: 'query', endpoint: null, version: null, labels: {}, cached: false } as const
  return { ...where, rows, bytes_scanned: bytesScanned, ms, error, token: callerName(identity) }
}
