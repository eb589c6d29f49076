/**
 * In the place of a self-hosted Supabase's `analytics` container: started with that container's environment, it takes
 * what Vector sends for the stack's services, and answers what the dashboard asks, row by row.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json, type Row } from './support/dialogue.ts'
import { type Service, startService } from './support/service.ts'

const PUBLIC = 'public-0123456789abcdef'
const PRIVATE = 'private-0123456789abcdef'
const CONTAINER = {
  LOGFLARE_NODE_HOST: '127.0.0.1',
  DB_HOSTNAME: 'db',
  DB_PASSWORD: 'a-secret-of-the-database',
  POSTGRES_BACKEND_URL: 'postgresql://supabase_admin:a-secret-of-the-database@db:5432/_supabase',
  LOGFLARE_PUBLIC_ACCESS_TOKEN: PUBLIC,
  LOGFLARE_PRIVATE_ACCESS_TOKEN: PRIVATE,
  LOGFLARE_SINGLE_TENANT: 'true',
  LOGFLARE_SUPABASE_MODE: 'true',
}

/** Whole minutes, a few minutes ago: within retention, and the same minute for all that should share one. */
const startMs = Math.floor(Date.now() / 60_000) * 60_000 - 10 * 60_000
const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString()
const us = (seconds: number): number => (startMs + seconds * 1000) * 1000

let service: Service
beforeAll(async () => {
  service = await startService({ env: CONTAINER, readyWithinMs: 60_000 })
}, 90_000)
afterAll(() => service?.remove())

const as = (token: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(service.url + path, { ...init, headers: { ...init.headers, 'x-api-key': token } })

/** As the dashboard does. */
function studio(name: string, query: Record<string, string>, token = PRIVATE): Promise<Response> {
  const url = new URLSearchParams({ project: 'default', ...query })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return as(token, `/api/endpoints/query/${name}?${url}`, { headers })
}

const HOUR = { iso_timestamp_start: at(-3600), iso_timestamp_end: at(3600) }

async function rows(sql: string, query: Record<string, string> = HOUR): Promise<Row[]> {
  const answer = await json(await studio('logs.all', { ...query, sql }))
  if (!answer.result) throw new Error(JSON.stringify(answer))
  return answer.result
}

/** As Vector's `http` sink does with the codec `json`: an array. */
async function vector(source: string, events: object[]): Promise<void> {
  const answer = await as(PUBLIC, `/api/logs?source_name=${source}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(events),
  })
  expect([answer.status, await answer.json()]).toEqual([200, { message: 'Logged!' }])
}

const request = (id: string, seconds: number, method: string, path: string, status: number) => ({
  id,
  project: 'default',
  appname: 'supabase-kong',
  event_message: `172.18.0.1 - - "${method} ${path} HTTP/1.1" ${status} 120 "-" "curl/8"`,
  timestamp: at(seconds),
  metadata: {
    request: { headers: { user_agent: 'curl/8', cf_connecting_ip: '172.18.0.1' }, method, path, protocol: 'HTTP/1.1' },
    response: { status_code: status },
  },
})

const database = (id: string, seconds: number, severity: string, text: string) => ({
  id,
  project: 'default',
  appname: 'supabase-db',
  event_message: text,
  timestamp: at(seconds),
  metadata: { host: 'db-default', parsed: { timestamp: at(seconds), error_severity: severity } },
})

describe('before the first event', () => {
  test('it is healthy, and has the sources and the endpoints', async () => {
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    const names = async (path: string): Promise<string[]> =>
      (await json(await as(PRIVATE, path))).map(({ name }: Row) => name).sort()
    expect(await names('/api/sources')).toEqual([
      ...[
        'cloudflare.logs.prod',
        'deno-relay-logs',
        'deno-subhosting-events',
        'gotrue.logs.prod',
        'pgbouncer.logs.prod',
      ],
      ...['postgREST.logs.prod', 'postgres.logs', 'realtime.logs.prod', 'storage.logs.prod.2'],
    ])
    expect(await names('/api/endpoints')).toEqual(['logs.all', 'usage.api-counts'])
  })

  test.each([
    'select id, timestamp, event_message, request.method, request.path, request.search, response.status_code from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response limit 100',
    'select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint from postgres_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed limit 100',
    'select id, function_edge_logs.timestamp, event_message, response.status_code, request.method, m.function_id, m.execution_time_ms, m.deployment_id, m.version from function_edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response cross join unnest(m.request) as request limit 100',
    'select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level from function_logs cross join unnest(metadata) as metadata limit 100',
    'select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error from auth_logs cross join unnest(metadata) as metadata limit 100',
    'select id, realtime_logs.timestamp, event_message, metadata.level from realtime_logs cross join unnest(metadata) as metadata limit 100',
    'select id, storage_logs.timestamp, event_message from storage_logs limit 100',
    'select id, postgrest_logs.timestamp, event_message from postgrest_logs limit 100',
    'select id, pgbouncer_logs.timestamp, event_message from pgbouncer_logs limit 100',
  ])('its lists are empty, not broken: %s', async (sql) => expect(await rows(sql)).toEqual([]))

  test('the front page has no figures yet', async () => {
    expect(await json(await studio('usage.api-counts', { interval: 'hourly' }))).toEqual({ result: [] })
  })

  test('names that are not used are in the log, without their values', () => {
    expect(service.output()).toContain('DB_HOSTNAME, DB_PASSWORD, LOGFLARE_NODE_HOST, POSTGRES_BACKEND_URL')
    expect(service.output()).not.toContain('a-secret-of-the-database')
  })
})

describe('with what Vector sends', () => {
  beforeAll(async () => {
    await vector('cloudflare.logs.prod', [
      request('e1', 5, 'GET', '/rest/v1/boats?select=name', 200),
      request('e2', 40, 'POST', '/auth/v1/token', 400),
      request('e3', 70, 'GET', '/storage/v1/object/pier.png', 200),
      request('e4', 119, 'GET', '/rest/v1/boats', 503),
      request('e5', 119, 'GET', '/realtime/v1/websocket', 101),
      { ...request('e6', 30, 'GET', '/rest/v1/other', 200), project: 'elsewhere' },
    ])
    await vector('postgres.logs', [
      database('g1', 1, 'LOG', 'checkpoint complete'),
      database('g2', 20, 'ERROR', 'relation "boatz" does not exist'),
      database('g3', 60, 'LOG', 'cron job 4 starting: vacuum'),
    ])
    await vector('gotrue.logs.prod', [
      {
        id: 'a1',
        project: 'default',
        appname: 'supabase-auth',
        event_message: '{"level":"info","msg":"request completed","path":"/token","status":200}',
        timestamp: at(0),
        metadata: { timestamp: at(0), level: 'info', msg: 'request completed', path: '/token', status: 200 },
      },
      {
        id: 'a2',
        project: 'default',
        appname: 'supabase-auth',
        event_message: '{"level":"error","msg":"database gone","path":"/signup","status":500,"error":"refused"}',
        timestamp: at(60),
        metadata: { level: 'error', msg: 'database gone', path: '/signup', status: 500, error: 'refused' },
      },
    ])
    await vector('realtime.logs.prod', [
      {
        id: 'r1',
        appname: 'realtime-dev.supabase-realtime',
        event_message: 'client joined room:9',
        timestamp: at(2),
        metadata: { project: 'default', external_id: 'default', level: 'info' },
      },
    ])
    await vector('storage.logs.prod.2', [
      {
        id: 'st1',
        appname: 'supabase-storage',
        event_message: 'GET pier.png',
        timestamp: at(71),
        metadata: { project: 'default', tenantId: 'default', level: 'info', context: [{ host: 's-1', pid: 7 }] },
      },
    ])
    await vector('postgREST.logs.prod', [
      {
        id: 'p1',
        project: 'default',
        appname: 'supabase-rest',
        event_message: 'Schema cache loaded',
        timestamp: at(3),
        metadata: { host: 'default' },
      },
    ])
    await vector('deno-relay-logs', [
      {
        id: 'f1',
        appname: 'supabase-edge-functions',
        event_message: 'main function started',
        timestamp: at(4),
        metadata: { project_ref: 'default' },
      },
    ])
  })

  test('the endpoint alone: newest requests of the project, nested objects as lists', async () => {
    const { result } = await json(await studio('logs.all', HOUR))
    expect(result.map(({ id }: Row) => id).sort()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect(result.at(-1)).toEqual({
      id: 'e1',
      timestamp: us(5),
      event_message: '172.18.0.1 - - "GET /rest/v1/boats?select=name HTTP/1.1" 200 120 "-" "curl/8"',
      metadata: [
        {
          request: [
            expect.objectContaining({
              method: 'GET',
              path: '/rest/v1/boats?select=name',
              headers: [expect.objectContaining({ user_agent: 'curl/8' })],
            }),
          ],
          response: [expect.objectContaining({ status_code: 200 })],
        },
      ],
    })
  })

  test('bounds: the start is not included, the end is, and none is no bound', async () => {
    const ids = async (query: Record<string, string>): Promise<string[]> =>
      (await rows('select id from edge_logs order by id', query)).map(({ id }) => id)
    expect(await ids({ iso_timestamp_start: at(40), iso_timestamp_end: at(70) })).toEqual(['e3'])
    expect(await ids({ iso_timestamp_start: '', iso_timestamp_end: at(40) })).toEqual(['e1', 'e2'])
    expect(await ids({})).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect(await ids({ project: 'elsewhere' })).toEqual(['e6'])
  })

  test('failed requests, two levels deep, with a comment and a semicolon', async () => {
    const sql = `
-- local dev edge_logs query
select edge_logs.timestamp, id, request.path, request.method, request.search, response.status_code
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (response.status_code between 400 and 599)
order by timestamp desc
limit 20;
`
    expect(await rows(sql)).toEqual([
      { timestamp: us(119), id: 'e4', path: '/rest/v1/boats', method: 'GET', search: null, status_code: 503 },
      { timestamp: us(40), id: 'e2', path: '/auth/v1/token', method: 'POST', search: null, status_code: 400 },
    ])
  })

  test('the chart above a list: a trailing comma before FROM, a time as text', async () => {
    const sql = `
SELECT
-- event-chart
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 400) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
FROM
  edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  where t.timestamp > '${at(-600)}'
GROUP BY
timestamp
ORDER BY
  timestamp ASC
`
    expect(await rows(sql)).toEqual([
      { timestamp: us(0), ok_count: 1, error_count: 0 },
      { timestamp: us(60), ok_count: 2, error_count: 1 },
    ])
  })

  test('the database: severities, and a cast of PostgreSQL', async () => {
    const errors = `select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed
where (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')) order by timestamp desc limit 100`
    expect(await rows(errors)).toEqual([
      {
        id: 'g2',
        timestamp: us(20),
        event_message: 'relation "boatz" does not exist',
        error_severity: 'ERROR',
        detail: null,
        hint: null,
      },
    ])
    const cron = `select id, postgres_logs.timestamp, parsed.query
from postgres_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed
where (parsed.application_name = 'pg_cron' OR event_message::text LIKE '%cron job%') order by timestamp desc limit 100`
    expect(await rows(cron)).toEqual([{ id: 'g3', timestamp: us(60), query: null }])
    const fine = `SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed where (parsed.error_severity not in ('ERROR'))`
    expect(await rows(fine)).toEqual([{ count: 2 }])
  })

  test('log-ins: the alias has the name of the column', async () => {
    const sql = `select id, auth_logs.timestamp, metadata.status, metadata.error, metadata.msg as msg, metadata.level
  from auth_logs cross join unnest(metadata) as metadata
  where (IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500) and (REGEXP_CONTAINS(metadata.path, "/signup|/reset"))
  order by timestamp desc limit 30`
    expect(await rows(sql)).toEqual([
      { id: 'a2', timestamp: us(60), status: 500, error: 'refused', msg: 'database gone', level: 'error' },
    ])
  })

  test.each([
    ['realtime_logs', 'r1', 'client joined room:9'],
    ['storage_logs', 'st1', 'GET pier.png'],
    ['postgrest_logs', 'p1', 'Schema cache loaded'],
    ['function_edge_logs', 'f1', 'main function started'],
  ])('%s', async (table, id, message) => {
    const sql = `select id, event_message from ${table} where regexp_contains(event_message, '^\\\\w+') order by timestamp desc limit 100`
    expect(await rows(sql)).toEqual([{ id, event_message: message }])
  })

  test('one event, whole', async () => {
    const [event] = await rows(
      "select timestamp, id, event_message, metadata from storage_logs where id = 'st1' limit 1",
    )
    expect(event).toMatchObject({
      timestamp: us(71),
      metadata: [{ project: 'default', level: 'info', context: [{ host: 's-1', pid: 7 }] }],
    })
  })

  test('several tables in one report', async () => {
    const sql = `select 'edge' as kind, count(*) as n from edge_logs union all select 'db' as kind, count(*) as n from postgres_logs order by kind`
    expect(await rows(sql)).toEqual([
      { kind: 'db', n: 3 },
      { kind: 'edge', n: 5 },
    ])
  })

  test('a report that packs rows into structs', async () => {
    const sql = `with shown as (
  select struct('edge' as service, countif(response.status_code >= 500) as failed, count(t.id) as total) as row
  from edge_logs t cross join unnest(metadata) as m cross join unnest(m.response) as response
  union all
  select struct('db' as service, countif(parsed.error_severity = 'ERROR') as failed, count(t.id) as total) as row
  from postgres_logs t cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed
) select row.service, row.failed, row.total from shown order by service`
    expect(await rows(sql)).toEqual([
      { service: 'db', failed: 1, total: 3 },
      { service: 'edge', failed: 1, total: 5 },
    ])
  })

  test('the figures of the front page', async () => {
    const { result } = await json(await studio('usage.api-counts', { interval: 'minutely' }))
    const none = {
      total_rest_requests: 0,
      total_storage_requests: 0,
      total_auth_requests: 0,
      total_realtime_requests: 0,
    }
    expect(result).toEqual([
      { ...none, timestamp: us(0), total_rest_requests: 1, total_auth_requests: 1 },
      { ...none, timestamp: us(60), total_rest_requests: 1, total_storage_requests: 1, total_realtime_requests: 1 },
    ])
  })

  test('an error has its words where the dashboard looks for them', async () => {
    const broken = await studio('logs.all', { ...HOUR, sql: 'select nothing_like_it from edge_logs' })
    expect(broken.status).toBe(400)
    expect(await json(broken)).toMatchObject({ error: { message: expect.stringContaining('nothing_like_it') } })
    const stranger = await studio('logs.all', HOUR, 'nobody-0123456789abcdef')
    expect([stranger.status, await json(stranger)]).toEqual([401, { error: { message: 'Unauthorized' } }])
  })

  test('elsewhere errors are what they always are', async () => {
    expect(await json(await as('nobody-0123456789abcdef', '/api/sources'))).toEqual({ error: 'Unauthorized' })
  })

  test('the key of senders cannot ask, nor can the dashboard reach beyond its tables', async () => {
    expect((await studio('logs.all', HOUR, PUBLIC)).status).toBe(403)
    expect((await studio('logs.all', { ...HOUR, sql: 'select id from `cloudflare.logs.prod`' })).status).toBe(400)
  })

  test('a log drain is made, listed and removed the way the dashboard does it', async () => {
    const headers = { authorization: `Bearer ${PRIVATE}`, 'content-type': 'application/json' }
    const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Row }> => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(service.url + path, { method, headers, ...sent })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
    }
    const drains = '/api/backends?metadata[type]=log-drain'
    expect(await call('GET', drains)).toEqual({ status: 200, body: [] })
    const config = { url: 'http://127.0.0.1:9/', headers: {} }
    const drain = { name: 'mine', type: 'webhook', config, metadata: { type: 'log-drain' } }
    const { body: made } = await call('POST', '/api/backends', drain)
    for (const { id } of (await call('GET', '/api/sources')).body) {
      const rule = { backend_id: made.id, source_id: id, lql_string: '~".*?"' }
      expect((await call('POST', '/api/rules', rule)).status).toBe(201)
    }
    expect((await call('GET', drains)).body).toMatchObject([{ id: made.id, name: 'mine' }])
    expect((await call('DELETE', `/api/backends/${made.token}`)).status).toBe(204)
    expect((await call('GET', drains)).body).toEqual([])
  })

  test('a restart keeps events, and what was changed by hand', async () => {
    const all = await json(await as(PRIVATE, '/api/endpoints'))
    const change = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"max_limit":77}' }
    expect((await as(PRIVATE, `/api/endpoints/${all[0].token}`, change)).status).toBe(200)
    await service.restart()
    const after = await json(await as(PRIVATE, '/api/endpoints'))
    expect(after.map(({ token, version }: Row) => [token, version])).toEqual([
      [all[0].token, 2],
      [all[1].token, 1],
    ])
    expect((await json(await as(PRIVATE, '/api/sources'))).length).toBe(9)
    expect(await rows('select id from edge_logs order by id')).toHaveLength(5)
    expect(await rows('select id, metadata.level from function_logs cross join unnest(metadata) as metadata')).toEqual(
      [],
    )
  })
})
