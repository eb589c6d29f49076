/**
 * A stand-in for BigQuery, because the real one runs nowhere but at Google: a small server that speaks as much of its
 * REST interface as the backend uses. It checks requests against the published shapes and its documented limits, keeps
 * rows in memory, forgets rows whose insertId it has seen, and answers queries for real (`engine.ts`). It is no proof
 * that Google's own service behaves alike: the test that needs credentials is there for that.
 */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { QueryProblem, type Result, runQuery } from './engine.ts'
import { type Column, NewDataset, NewJob, NewTable, Rows, TableChange } from './shapes.ts'
import { changeProblem, rowProblem, schemaProblem, type Table } from './tables.ts'

const PROJECT = 'stand-in-project'
const REQUEST_BYTES = 10_000_000

type Answer = { status: number; body: unknown }
type Finished = { result: Result; bytes: number }
export type Job = NewJob['configuration'] & { id: string }

class Refusal extends Error {
  readonly status: number
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export type StandIn = Awaited<ReturnType<typeof startStandIn>>

export async function startStandIn() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const credentials = JSON.stringify({
    ...{ type: 'service_account', project_id: PROJECT, client_email: 'tester@stand-in-project.example' },
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: 'http://127.0.0.1:1/never-asked',
  })
  const datasets = new Map<string, { location: string }>()
  const tables = new Map<string, Table>()
  const jobs: Job[] = []
  const finished = new Map<string, Finished>()
  const cancelled: string[] = []
  const requests: string[] = []
  let claimed: number | null = null
  let isHeld = false
  let refuse: ((request: string) => { status: number; reason: string; message: string } | null) | null = null
  /** Columns that are not known to the streaming side yet. */
  let hidden: string[] = []
  const find = (name: string): Table | undefined => tables.get(name.replace(`${PROJECT}.`, ''))

  async function answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const parts = url.pathname.split('/').slice(1)
    assertSigned(request)
    const [service, version, word, project, ...rest] = parts
    if (service !== 'bigquery' || version !== 'v2' || word !== 'projects')
      throw new Refusal(404, 'notFound', 'Not Found')
    requests.push(`${request.method} /${rest.join('/')}`)
    const refusal = refuse?.(`${request.method} /${rest.join('/')}`)
    if (refusal) throw new Refusal(refusal.status, refusal.reason, refusal.message)
    if (project !== PROJECT) throw new Refusal(404, 'notFound', `Not found: Project ${project}`)
    return {
      status: 200,
      body: await route(`${request.method} ${rest[0]}`, rest, url.searchParams, await read(request)),
    }
  }

  async function route(what: string, rest: string[], query: URLSearchParams, body: unknown): Promise<unknown> {
    const [, name = '', third, tableId = '', action] = rest
    if (what === 'GET datasets' && third === undefined)
      return { ...datasetOf(name), datasetReference: { datasetId: name } }
    if (what === 'POST datasets' && name === '') return makeDataset(NewDataset.parse(body))
    if (third === 'tables') {
      datasetOf(name)
      const id = `${name}.${tableId}`
      if (what === 'POST datasets' && tableId === '') return makeTable(name, NewTable.parse(body))
      const table = tables.get(id)
      if (!table) throw new Refusal(404, 'notFound', `Not found: Table ${PROJECT}:${id}`)
      if (action === 'insertAll') return insert(table, Rows.parse(body))
      if (what === 'GET datasets') return described(table)
      if (what === 'PATCH datasets') return change(table, TableChange.parse(body))
    }
    if (what === 'POST jobs' && third === 'cancel') return void cancelled.push(name)
    if (what === 'POST jobs') return startJob(NewJob.parse(body))
    if (what === 'GET queries') return page(name, query)
    throw new Refusal(404, 'notFound', `Not Found: ${what}`)
  }

  function datasetOf(name: string): { location: string } {
    const found = datasets.get(name)
    if (!found) throw new Refusal(404, 'notFound', `Not found: Dataset ${PROJECT}:${name}`)
    return found
  }

  function makeDataset({ datasetReference, location }: ReturnType<typeof NewDataset.parse>): unknown {
    if (datasets.has(datasetReference.datasetId)) throw new Refusal(409, 'duplicate', 'Already Exists: Dataset')
    datasets.set(datasetReference.datasetId, { location })
    return { location, datasetReference }
  }

  function makeTable(dataset: string, made: ReturnType<typeof NewTable.parse>): unknown {
    const id = `${dataset}.${made.tableReference.tableId}`
    if (tables.has(id)) throw new Refusal(409, 'duplicate', `Already Exists: Table ${PROJECT}:${id}`)
    const columns = made.schema.fields
    const problem = schemaProblem(columns)
    if (problem) throw new Refusal(400, 'invalid', problem)
    for (const name of [made.timePartitioning.field, ...(made.clustering?.fields ?? [])])
      if (!columns.some((column) => column.name === name)) throw new Refusal(400, 'invalid', `no field ${name}`)
    const { timePartitioning, clustering } = made
    const table = { columns, timePartitioning, clustering, rows: [], seen: new Set<string>() }
    tables.set(id, table)
    return described(table)
  }

  const described = ({ columns, timePartitioning, clustering }: Table) => ({
    ...{ kind: 'bigquery#table', schema: { fields: columns }, timePartitioning, clustering },
  })

  function change(table: Table, { schema, timePartitioning }: ReturnType<typeof TableChange.parse>): unknown {
    if (schema) {
      const problem = schemaProblem(schema.fields) ?? changeProblem(table.columns, schema.fields)
      if (problem) throw new Refusal(400, 'invalid', problem)
      table.columns = schema.fields
    }
    if (timePartitioning) table.timePartitioning = timePartitioning
    return described(table)
  }

  function insert(table: Table, { rows, skipInvalidRows }: ReturnType<typeof Rows.parse>): unknown {
    const columns = table.columns.filter(({ name }) => !hidden.includes(name))
    const problems = rows.map(({ json }) => rowProblem(json, columns))
    const insertErrors = problems.flatMap((problem, index) => (problem ? [{ index, errors: [problem] }] : []))
    if (insertErrors.length > 0 && !skipInvalidRows) return { insertErrors }
    for (const [index, { insertId, json }] of rows.entries()) {
      if (problems[index] || (insertId !== undefined && table.seen.has(insertId))) continue
      if (insertId !== undefined) table.seen.add(insertId)
      table.rows.push(json)
    }
    return insertErrors.length > 0 ? { insertErrors } : {}
  }

  async function startJob({ jobReference, configuration }: NewJob): Promise<unknown> {
    const { query, dryRun } = configuration
    const altered = ALTER.exec(query.query)
    const bytes = claimed ?? 1000
    const word = /^\s*(DELETE|DROP|TRUNCATE)\b/i.exec(query.query)?.[1]
    const statementType = altered ? 'ALTER_TABLE' : (word?.toUpperCase() ?? 'SELECT')
    if (word && !dryRun) destroy(query.query)
    const result = altered || word ? alter(altered) : await runQuery(query.query, query.queryParameters, find)
    if (dryRun)
      return { status: { state: 'DONE' }, statistics: { totalBytesProcessed: String(bytes), query: { statementType } } }
    const id = jobReference.jobId ?? ''
    if (finished.has(id)) throw new Refusal(409, 'duplicate', `Already Exists: Job ${id}`)
    if (query.maximumBytesBilled !== undefined && bytes > Number(query.maximumBytesBilled))
      throw new Refusal(400, 'bytesBilledLimitExceeded', 'Query exceeded limit for bytes billed')
    finished.set(id, { result, bytes })
    jobs.push({ ...configuration, id })
    return { jobReference, status: { state: 'RUNNING' }, statistics: { creationTime: '0' } }
  }

  /** What is said of one table as the service says it happens to that; anything else shows that it went through. */
  function destroy(statement: string): void {
    const [, word, id = ''] = /^(TRUNCATE|DROP) TABLE (?:IF EXISTS )?`[^.`]+\.([^`]+)`$/.exec(statement) ?? []
    const table = tables.get(id)
    if (word === undefined) tables.clear()
    else if (word === 'DROP') tables.delete(id)
    else if (table) table.rows.length = 0
  }

  function alter(statement: RegExpExecArray | null): Result {
    if (!statement) return { columns: [], rows: [] }
    const [, name = '', column = '', type = ''] = statement
    const table = find(name)
    if (!table) throw new QueryProblem(`Not found: Table ${name}`, 'notFound')
    table.columns = table.columns.map((each) => (each.name === column ? readType(column, type) : each))
    return { columns: [], rows: [] }
  }

  function page(id: string, query: URLSearchParams): unknown {
    const job = finished.get(id)
    if (!job) throw new Refusal(404, 'notFound', `Not found: Job ${id}`)
    if (query.get('formatOptions.useInt64Timestamp') !== 'true') throw new Refusal(400, 'invalid', 'times as floats')
    if (isHeld) return { jobComplete: false, jobReference: { jobId: id } }
    const { columns, rows } = job.result
    const from = Number(query.get('pageToken') ?? 0)
    // Pages are short, so that somebody has to turn them.
    const to = Math.min(from + Math.min(Number(query.get('maxResults') ?? 1000), PAGE_ROWS), rows.length)
    return {
      ...{ jobComplete: true, schema: { fields: columns }, totalRows: String(rows.length) },
      ...{ rows: rows.slice(from, to), totalBytesProcessed: String(job.bytes), cacheHit: false },
      ...(to < rows.length ? { pageToken: String(to) } : {}),
    }
  }

  function assertSigned({ headers }: IncomingMessage): void {
    const [head, claims, signature] = (headers.authorization ?? '').replace(/^Bearer /, '').split('.')
    const isValid =
      signature !== undefined &&
      verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
        Buffer.from(signature, 'base64url'),
      )
    if (!isValid) throw new Refusal(401, 'authError', 'Request had invalid authentication credentials.')
    const { scope, exp } = JSON.parse(Buffer.from(claims ?? '', 'base64url').toString())
    if (!String(scope).includes('https://www.googleapis.com/auth/bigquery') || exp * 1000 < Date.now())
      throw new Refusal(401, 'authError', 'The token has no right scope or has expired.')
  }

  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request).catch(refused)
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the stand-in does not listen')

  return {
    project: PROJECT,
    config: { project_id: PROJECT, api_endpoint: `http://127.0.0.1:${address.port}`, credentials },
    datasets,
    tables,
    /** Those that ran. */
    jobs,
    cancelled,
    requests,
    /** What every query is said to read. */
    claim(bytes: number | null) {
      claimed = bytes
    },
    /** Queries do not come to an end. */
    hold(held: boolean) {
      isHeld = held
    },
    hide(names: string[]) {
      hidden = names
    },
    refuse(how: typeof refuse) {
      refuse = how
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const PAGE_ROWS = 20
const ALTER = /^ALTER TABLE `([^`]+)` ALTER COLUMN `(\w+)` SET DATA TYPE (.+)$/

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const sent = Buffer.concat(chunks)
  if (sent.length > REQUEST_BYTES) throw new Refusal(413, 'uploadTooLarge', 'Request payload size exceeds the limit')
  if (sent.length === 0) return undefined
  const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
  if (request.headers['content-type'] !== 'application/json') throw new Refusal(400, 'invalid', 'no JSON')
  return JSON.parse(bytes.toString('utf8'))
}

/** As the real one words it. */
function refused(error: unknown): Answer {
  const message = error instanceof Error ? error.message : String(error)
  const { status, reason } =
    error instanceof Refusal
      ? error
      : error instanceof QueryProblem
        ? { status: error.reason === 'notFound' ? 404 : 400, reason: error.reason }
        : { status: 400, reason: 'invalid' }
  return { status, body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } } }
}

const LONG_NAMES: Record<string, string> = { INT64: 'INTEGER', FLOAT64: 'FLOAT', BOOL: 'BOOLEAN' }

/** `ARRAY<STRUCT<a INT64, …>>` as a column. */
function readType(name: string, text: string): Column {
  const list = /^ARRAY<(.*)>$/.exec(text)?.[1]
  if (list !== undefined) return { ...readType(name, list), mode: 'REPEATED' }
  const inner = /^STRUCT<(.*)>$/.exec(text)?.[1]
  if (inner === undefined) return { name, type: LONG_NAMES[text] ?? text, mode: 'NULLABLE' }
  const fields = splitFields(inner).map((field) => {
    const [, inside = '', type = ''] = /^`(\w+)` (.*)$/.exec(field) ?? []
    return readType(inside, type)
  })
  return { name, type: 'RECORD', mode: 'NULLABLE', fields }
}

function splitFields(text: string): string[] {
  const fields: string[] = []
  let depth = 0
  let from = 0
  for (const [at, char] of [...text].entries()) {
    if (char === '<') depth++
    if (char === '>') depth--
    if (char !== ',' || depth > 0) continue
    fields.push(text.slice(from, at).trim())
    from = at + 1
  }
  return [...fields, text.slice(from).trim()]
}
