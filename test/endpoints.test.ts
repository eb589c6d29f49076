/** Endpoints as their users meet them: over HTTP, on a running service. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService, until } from './support/service.ts'

/** Answers of every shape; looking into them is what the tests are for. */
type Json = ReturnType<typeof JSON.parse>

let service: Service
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(() => service.remove())

type Sent = { method?: string; body?: unknown; headers?: Record<string, string>; token?: string | null }

async function call(path: string, { method, body, headers = {}, token }: Sent = {}) {
  const auth: Record<string, string> = token === null ? {} : { 'x-api-key': token ?? service.managementToken }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(service.url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...auth, ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const text = bytes.toString('utf8')
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  const json: Json = isJson && text ? JSON.parse(text) : null
  return { status: answer.status, json, text, bytes, headers: answer.headers }
}

let made = 0
const fresh = (word: string): string => `${word}_${++made}`

async function endpoint(fields: object): Promise<{ token: string; name: string; at: string }> {
  const { status, json, text } = await call('/api/endpoints', {
    body: { name: fresh('ep'), cache_duration_seconds: 0, ...fields },
  })
  expect(status, text).toBe(201)
  return { ...json, at: `/api/endpoints/query/${json.token}` }
}

async function source(events: object[] = []): Promise<{ name: string; token: string }> {
  const { json } = await call('/api/sources', { body: { name: fresh('src'), retention_days: 3650 } })
  if (events.length > 0) await send(json.token, events)
  return json
}

async function send(token: string, events: object[]): Promise<void> {
  const { status, text } = await call(`/api/logs?source=${token}`, { body: events })
  expect(status, text).toBe(200)
}

const at = '2025-03-02T00:00:00Z'

describe('querying', () => {
  test('older addresses lead to the endpoint, by UUID and by name', async () => {
    const { token, name } = await endpoint({ query: 'select 7 as n', enable_auth: true })
    for (const path of [`/endpoints/query/${token}`, `/endpoints/query/${name}`, `/api/endpoints/query/name/${name}`])
      expect((await call(path)).json).toEqual({ result: [{ n: 7 }] })
  })

  test('a preflight needs no token and names the headers', async () => {
    const { at: path } = await endpoint({ query: 'select 1 as a', enable_auth: true })
    const { status, headers } = await call(path, { method: 'OPTIONS', token: null })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-methods')).toBe('GET,POST,OPTIONS')
    for (const name of ['svc-endpoint-version', 'lf-endpoint-labels'])
      expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain(name)
    expect((await call(path, { token: null })).headers.get('access-control-allow-origin')).toBe('*')
  })

  test('what belongs to another account does not exist for its tokens', async () => {
    const { token, name } = await endpoint({ query: 'select 1 as a', enable_auth: true })
    const other = (await call('/api/accounts', { body: { name: fresh('account') } })).json.management_token
    for (const path of [token, name])
      expect((await call(`/api/endpoints/query/${path}`, { token: other })).status).toBe(404)
    for (const path of ['', '/versions', '/versions/1'])
      expect((await call(`/api/endpoints/${token}${path}`, { token: other })).status).toBe(404)
    for (const method of ['PATCH', 'PUT'])
      expect((await call(`/api/endpoints/${token}`, { method, body: { max_limit: 1 }, token: other })).status).toBe(404)
    expect((await call(`/api/endpoints/${token}`, { method: 'DELETE', token: other })).status).toBe(404)
    expect((await call('/api/endpoints', { token: other })).json).toEqual([])
  })

  test('lists are parameters too', async () => {
    const { at: path } = await endpoint({
      query: 'select n from unnest([1, 2, 3, 4]) as n where n in unnest(@ids) order by n',
    })
    const rows = { result: [{ n: 2 }, { n: 4 }] }
    expect((await call(`${path}?ids=2&ids=4`)).json).toEqual(rows)
    expect((await call(path, { body: { ids: [2, 4, 9] } })).json).toEqual(rows)
    expect((await call(path, { body: {} })).json).toEqual({ result: [] })
  })

  test.each([
    ['a value that is no number', 'select @n + 1 as n', { n: 'x' }],
    ['a number out of range', 'select @n as n', { n: 1e300 }],
    ['a text with the character 0', 'select @n as n', { n: 'a\0b' }],
    ['a body that is no object', 'select @n as n', [1]],
  ])('%s is the caller’s fault or a value, never ours', async (_, query, body) => {
    const { at: path } = await endpoint({ query })
    const { status, text } = await call(path, { body })
    expect([200, 400], text).toContain(status)
  })

  test('a query stops when its caller goes away', async () => {
    const { token, at: path } = await endpoint({
      query:
        'select count(*) as n from unnest(generate_array(1, 100000)) as a cross join unnest(generate_array(1, 100000)) as b where mod(a * b, 7919) = 1',
    })
    const controller = new AbortController()
    const asked = fetch(service.url + path, { signal: controller.signal }).catch((error: Error) => error.name)
    await new Promise((resolve) => setTimeout(resolve, 300))
    controller.abort()
    expect(await asked).toBe('AbortError')
    const log = async () => (await call(`/api/queries?endpoint=${token}`)).json
    await until(async () => (await log())[0]?.error?.includes('cancelled'))
  })
})

describe('definitions', () => {
  test('renaming a source keeps endpoints and their old versions working', async () => {
    const { name, token } = await source([{ id: 'a', timestamp: at, event_message: 'm', v: 1 }])
    const ep = await endpoint({ query: `select v, \`${name}\`.id from \`${name}\`` })
    await call(`/api/endpoints/${ep.token}`, { method: 'PATCH', body: { query: `select v from ${name}` } })
    const renamed = fresh('renamed')
    expect((await call(`/api/sources/${token}`, { method: 'PATCH', body: { name: renamed } })).status).toBe(204)
    await call('/api/sources', { body: { name } })
    expect((await call(ep.at)).json).toEqual({ result: [{ v: 1 }] })
    expect((await call(ep.at, { headers: { 'svc-endpoint-version': '1' } })).json).toEqual({
      result: [{ v: 1, id: 'a' }],
    })
    expect((await call(`/api/endpoints/${ep.token}`, { method: 'PATCH', body: { max_limit: 9 } })).status).toBe(204)
    expect((await call(ep.at)).json).toEqual({ result: [{ v: 1 }] })
    const over = await endpoint({ query: `select sum(v) as s from ${ep.name}` })
    expect((await call(over.at)).json).toEqual({ result: [{ s: 1 }] })
  })

  test('an endpoint may be written in LQL, and goes on after its source was renamed', async () => {
    const { json: made } = await call('/api/sources', { body: { name: 'lql shop.api', retention_days: 3650 } })
    const events = [503, 200, 500].map((code) => ({ timestamp: at, message: `m${code}`, metadata: { code } }))
    await send(made.token, events)
    const query = 'f:"lql shop.api" m.code:>=500 s:m.code@code s:event_message'
    const { at: address, token } = await endpoint({ query, language: 'lql' })
    const codes = async (): Promise<number[]> =>
      (await call(address)).json.result.map(({ code }: { code: number }) => code).sort()
    expect(await codes()).toEqual([500, 503])
    await call(`/api/sources/${made.token}`, { method: 'PATCH', body: { name: 'lql renamed' } })
    expect(await codes()).toEqual([500, 503])
    await call(`/api/endpoints/${token}`, { method: 'PATCH', body: { description: 'still the same source' } })
    expect(await codes()).toEqual([500, 503])
    for (const [fields, at, words] of [
      [{ query: 'm.code:1' }, 'query', 'say what to read with f:name'],
      [{ query: 'f:nothing_here m.code:1' }, 'query', "can't find source"],
      [{ query, sandboxable: true }, 'sandboxable', 'not offered for LQL'],
    ] as const) {
      const { status, json } = await call('/api/endpoints', { body: { name: fresh('ep'), language: 'lql', ...fields } })
      expect([status, json.errors[at][0]]).toEqual([422, expect.stringContaining(words)])
    }
  })

  test('a field that no event has brought yet does not keep a query from being saved', async () => {
    const { name, token } = await source()
    const ep = await endpoint({ query: `select level from ${name} where level = @level` })
    expect((await call(`${ep.at}?level=warn`)).status).toBe(400)
    await send(token, [{ timestamp: at, event_message: 'm', level: 'warn' }])
    await until(async () => (await call(`${ep.at}?level=warn`)).json.result?.length === 1)
  })

  test('a circle is refused, however it is closed', async () => {
    const a = await endpoint({ query: 'select 1 as n' })
    const b = await endpoint({ query: `select n from ${a.name}` })
    for (const query of [
      `select n from ${b.name}`,
      `select n from ${a.name}`,
      `with x as (select * from ${b.name}) select n from x`,
    ]) {
      const { status, json } = await call(`/api/endpoints/${a.token}`, { method: 'PATCH', body: { query } })
      expect([status, json.errors.query[0]]).toEqual([422, expect.stringContaining('circle')])
    }
    const c = await endpoint({ query: `select n from ${b.name}` })
    const renaming = await call(`/api/endpoints/${c.token}`, { method: 'PATCH', body: { name: a.name } })
    expect(renaming.status).toBe(422)
  })

  test('queries that multiply themselves are refused', async () => {
    let name = (await endpoint({ query: 'select 1 as n' })).name
    let refused = false
    for (let level = 0; level < 15 && !refused; level++) {
      const { status, json } = await call('/api/endpoints', {
        body: { name: fresh('twice'), query: `select a.n from ${name} a join ${name} b on a.n = b.n` },
      })
      refused = status === 422
      name = json.name
    }
    expect(refused).toBe(true)
  })

  test.each([
    [{ language: 'pg_sql' }, 'language'],
    [{ backend_id: 4 }, 'backend_id'],
    [{ cache_duration_seconds: -1 }, 'cache_duration_seconds'],
    [{ colour: 'red' }, 'colour'],
    [{ query: '  ' }, 'query'],
    [{ name: '' }, 'name'],
  ])('422: %j', async (fields, field) => {
    const { status, json } = await call('/api/endpoints', {
      body: { name: fresh('x'), query: 'select 1 as a', ...fields },
    })
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]])
  })

  test('a record that was read can be sent back as it is, and is no new version', async () => {
    const { token } = await endpoint({ query: 'select @p as p', labels: 'a=b' })
    const { json } = await call(`/api/endpoints/${token}`)
    expect(json).toMatchObject({ version: 1, parameters: ['p'], language: 'bq_sql', proactive_requerying_seconds: 0 })
    expect((await call(`/api/endpoints/${token}`, { method: 'PUT', body: json })).json).toEqual(json)
  })

  test('versions tell who, when and what; a deleted endpoint is gone', async () => {
    const { token, at: path } = await endpoint({ query: 'select 1 as a' })
    const robot = await call('/api/access-tokens', { body: { scopes: 'management', description: 'robot' } })
    await call(`/api/endpoints/${token}`, {
      method: 'PATCH',
      body: { query: 'select 2 as a' },
      token: robot.json.token,
    })
    const { json } = await call(`/api/endpoints/${token}/versions`)
    expect(json).toMatchObject([{ version: 2, author: 'robot', changes: ['query'] }, { version: 1 }])
    expect(Math.abs(Date.parse(json[0].at) - Date.now())).toBeLessThan(60_000)
    expect((await call(`/api/endpoints/${token}`, { method: 'DELETE' })).status).toBe(204)
    expect((await call(path)).status).toBe(404)
  })
})

describe('kept answers', () => {
  test('one entry serves readers with and without redaction', async () => {
    const { name, token } = await source([{ timestamp: at, event_message: 'from 10.1.2.3' }])
    const ep = await endpoint({
      query: `select event_message as m, count(*) over () as n from ${name}`,
      cache_duration_seconds: 600,
    })
    expect((await call(ep.at)).json.result[0].m).toBe('from 10.1.2.3')
    await send(token, [{ timestamp: at, event_message: 'late' }])
    const redacted = await call(ep.at, { headers: { 'SVC-ENDPOINT-REDACT-PII': 'TRUE' } })
    expect(redacted.json.result).toEqual([{ m: 'from REDACTED', n: 1 }])
    await call(`/api/endpoints/${ep.token}`, { method: 'PATCH', body: { redact_pii: true } })
    expect((await call(ep.at)).text).not.toContain('10.1.2.3')
  })

  test('deleting a source takes its kept answers along', async () => {
    const { name, token } = await source([{ timestamp: at, event_message: 'secret' }])
    const ep = await endpoint({ query: `select event_message from ${name}`, cache_duration_seconds: 600 })
    expect((await call(ep.at)).text).toContain('secret')
    await call(`/api/sources/${token}`, { method: 'DELETE' })
    expect((await call(ep.at)).status).toBe(400)
  })

  test('many readers of a cold answer run one query', async () => {
    const ep = await endpoint({ query: 'select rand() as r', cache_duration_seconds: 600 })
    const answers = await Promise.all(Array.from({ length: 30 }, () => call(ep.at)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const log = (await call(`/api/queries?endpoint=${ep.token}`)).json
    expect(log.filter(({ cached }: Json) => !cached)).toHaveLength(1)
  })
})

test('a kept answer is given to nobody who would not get a fresh one, and looks the same', async () => {
  const ep = await endpoint({
    query: "select '10.0.0.1' as ip, @v as v",
    enable_auth: true,
    cache_duration_seconds: 600,
  })
  const made = (await call('/api/access-tokens', { body: { scopes: `query:endpoint:${ep.token}` } })).json
  const ingest = (await call('/api/access-tokens', { body: { scopes: 'ingest' } })).json.token
  const other = (await call('/api/accounts', { body: { name: fresh('account') } })).json.management_token
  const path = `${ep.at}?v=a%20b`
  const first = await call(path, { token: made.token })
  const kept = await call(path, { token: made.token })
  const shown = (answer: typeof kept) =>
    ['content-type', 'access-control-allow-origin', 'access-control-expose-headers', 'content-length'].map((name) =>
      answer.headers.get(name),
    )
  expect([kept.json, shown(kept)]).toEqual([first.json, shown(first)])
  expect(kept.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  const redacted = await call(path, { token: made.token, headers: { 'lf-endpoint-redact-pii': 'true' } })
  expect(redacted.json).toEqual({ result: [{ ip: 'REDACTED', v: 'a b' }] })
  expect((await call(path, { token: made.token, headers: { accept: 'text/csv' } })).text).toBe(
    'ip,v\r\n10.0.0.1,a b\r\n',
  )
  const refused = [
    [null, {}, 401],
    ['nobody', {}, 401],
    [ingest, {}, 403],
    [other, {}, 404],
    [made.token, { 'svc-endpoint-version': 'x' }, 400],
    [made.token, { 'svc-endpoint-version': '9' }, 404],
  ] as const
  for (const [token, headers, status] of refused) expect((await call(path, { token, headers })).status).toBe(status)
  expect((await call(`${path}&sql=select%201`, { token: made.token })).status).toBe(400)
  await call(`/api/access-tokens/${made.id}`, { method: 'DELETE' })
  expect((await call(path, { token: made.token })).status).toBe(401)
})

describe('formats', () => {
  const query =
    "select 1 as a, 'x,\"y\"' as b, timestamp '2025-03-02 00:00:00+00' as t, struct(1 as n, 'z' as s) as o, cast(null as string) as e"

  test('csv, ndjson and parquet, by parameter or Accept, for endpoints and the management query', async () => {
    const ep = await endpoint({ query, cache_duration_seconds: 600 })
    const sql = `/api/query?sql=${encodeURIComponent(query)}`
    for (const [path, mark] of [
      [ep.at, '?'],
      [sql, '&'],
    ] as const) {
      const csv = await call(`${path}${mark}format=csv`)
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(csv.text).toBe('a,b,t,o,e\r\n1,"x,""y""",1740873600000000,"{""n"":1,""s"":""z""}",\r\n')
      const ndjson = await call(path, { headers: { accept: 'application/x-ndjson' } })
      expect(ndjson.text).toBe('{"a":1,"b":"x,\\"y\\"","t":1740873600000000,"o":{"n":1,"s":"z"},"e":null}\n')
      const parquet = await call(`${path}${mark}format=parquet`)
      expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet')
      expect(await readParquet(parquet.bytes)).toEqual([[1n, 'x,"y"', '2025-03-02 00:00:00', '{"n":1,"s":"z"}', null]])
      expect((await call(`${path}${mark}format=xml`)).status).toBe(400)
    }
  })

  async function readParquet(bytes: Buffer): Promise<unknown[][]> {
    const file = join(mkdtempSync(join(tmpdir(), 'millrace-parquet-')), 'answer.parquet')
    writeFileSync(file, bytes)
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const sql = `select a::bigint, b, t::varchar, to_json(o)::varchar, e from read_parquet('${file}')`
    return (await connection.runAndReadAll(sql)).getRows()
  }

  test('every form is redacted and capped', async () => {
    const ep = await endpoint({
      query: "select '10.0.0.1' as ip from unnest([1, 2, 3])",
      redact_pii: true,
      max_limit: 2,
    })
    expect((await call(`${ep.at}?format=csv`)).text).toBe('ip\r\nREDACTED\r\nREDACTED\r\n')
    expect((await call(`${ep.at}?format=parquet`)).bytes.includes('10.0.0.1')).toBe(false)
  })

  test('a parameter called format is a parameter', async () => {
    const ep = await endpoint({ query: 'select @format as f' })
    expect((await call(`${ep.at}?format=xml`)).json).toEqual({ result: [{ f: 'xml' }] })
  })
})

describe('the log of queries', () => {
  test('tells of queries, hits, labels, versions, faults and who asked', async () => {
    const ep = await endpoint({
      query: 'select @team as team',
      labels: 'app=shop,squad=@team,trace',
      enable_auth: true,
      cache_duration_seconds: 60,
    })
    const headers = { 'svc-endpoint-labels': 'trace=t1,other=x', 'svc-endpoint-version': '1' }
    for (let n = 0; n < 5; n++) await call(`${ep.at}?team=blue`, { headers })
    const { json } = await call(`/api/queries?endpoint=${ep.token}&limit=10`)
    const labels = { app: 'shop', squad: 'blue', trace: 't1', endpoint_version: '1' }
    const same = { kind: 'endpoint', endpoint: ep.token, version: 1, labels, rows: 1, error: null }
    expect(json.map(({ cached }: Json) => cached).sort()).toEqual([false, ...json.slice(1).map(() => true)])
    for (const line of json) expect(line).toMatchObject(same)
    expect(json.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(5)
    expect(json[0].token).toBeTruthy()

    await call('/api/query?sql=select%20nope%20from%20nowhere')
    const [last] = (await call('/api/queries?limit=1')).json
    expect(last).toMatchObject({ kind: 'query', endpoint: null, error: expect.stringContaining('nowhere'), rows: 0 })
    expect((await call('/api/queries?limit=0')).status).toBe(400)
  })

  test('calls are summed up: how many, from the cache, failed, and how long those took that ran', async () => {
    const ep = await endpoint({ query: 'select 1 / @by as x', cache_duration_seconds: 60 })
    const caches = []
    for (const by of ['1', '1', '1', '0'])
      caches.push((await call(`${ep.at}?by=${by}`)).headers.get('x-cache') ?? 'failed')
    expect(caches).toEqual(['miss', 'hit', 'hit', 'failed'])
    const uses: Json[] = (await call('/api/endpoints/stats')).json
    const use = uses.find(({ endpoint: token }) => token === ep.token)
    expect(use).toMatchObject({ calls: 4, cached: 2, failed: 1, last_at: expect.any(String) })
    expect(use.mean_ms).toBeGreaterThanOrEqual(0)
    expect(use.max_ms).toBeGreaterThanOrEqual(use.mean_ms)
  })

  test('a query that is refused says where, to programs too', async () => {
    const body = { name: fresh('ep'), query: 'select 1 +\n   ) as x' }
    const { status, json } = await call('/api/endpoints', { body })
    expect({ status, position: json.position }).toEqual({ status: 422, position: body.query.indexOf(')') })
    expect(json.errors.query[0]).toContain('(line 2, column 4)')
    const asked = await call('/api/query', { body: { sql: 'select frm' } })
    expect(asked).toMatchObject({ status: 400, json: { position: 7 } })
  })
})

describe('the management query', () => {
  test('tells what it cost', async () => {
    const { name } = await source([{ timestamp: at, event_message: 'm' }])
    const { json } = await call(
      `/api/query?sql=${encodeURIComponent(`select id from ${name} where timestamp > '2025-01-01'`)}`,
    )
    expect(json).toMatchObject({ rows: 1, bytes_scanned: expect.any(Number), ms: expect.any(Number) })
    expect(json.bytes_scanned).toBeGreaterThan(0)
  })

  test('takes values for parameters', async () => {
    const sql = 'select @a as a, @b as b'
    expect((await call(`/api/query?a=1&sql=${encodeURIComponent(sql)}`)).json.result).toEqual([{ a: 1, b: null }])
    expect((await call('/api/query', { body: { sql, parameters: { a: 'x', b: [1, 2] } } })).json.result).toEqual([
      { a: 'x', b: [1, 2] },
    ])
  })

  test.each([
    [{ sql: 'select 1', backend_id: 'seven' }, 'Invalid backend_id: must be an integer'],
    [{ sql: 'select 1', backend_id: 99 }, 'Backend not found'],
    [{ pg_sql: 'select 1' }, 'PostgreSQL'],
    [{}, 'sql='],
  ])('%j is refused', async (body, words) => {
    const { status, json } = await call('/api/query', { body })
    expect([status, json.error]).toEqual([400, expect.stringContaining(words)])
  })

  test('an older name of the text wins over sql', async () => {
    expect((await call('/api/query?sql=select%201%20as%20a&bq_sql=select%202%20as%20a')).json.result).toEqual([
      { a: 2 },
    ])
  })

  test('parse puts published queries in and shows the engine’s text', async () => {
    const ep = await endpoint({ query: 'select @inner as n' })
    const { json } = await call(`/api/query/parse?sql=${encodeURIComponent(`select n, @outer as o from ${ep.name}`)}`)
    expect(json.result.parameters.sort()).toEqual(['inner', 'outer'])
    expect(json.result.expanded_query).toContain('@inner')
    expect(json.result.translated).toContain('$p0')
  })
})
