/** Queries and endpoints on BigQuery, from outside: the built service, and the stand-in of `test/bigquery` beside it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StandIn, startStandIn } from './bigquery/stand-in.ts'
import { type Service, startService, until } from './support/service.ts'

type Json = ReturnType<typeof JSON.parse>

let standIn: StandIn
let service: Service
let backend: Json
let source: Json

async function call(
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<{ status: number; json: Json }> {
  const headers = { ...(body ? { 'content-type': 'application/json' } : {}), ...more }
  const answer = await service.fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const text = await answer.text()
  return { status: answer.status, json: text ? JSON.parse(text) : null }
}
const ask = (sql: string, more: object = {}) => call('POST', '/api/query', { sql, backend_id: backend.id, ...more })
const endpoint = (fields: object) =>
  call('POST', '/api/endpoints', { cache_duration_seconds: 0, backend_id: backend.id, ...fields })
const run = (token: string, query = '', headers: Record<string, string> = {}) =>
  call('GET', `/api/endpoints/query/${token}${query}`, undefined, headers)

const TABLE = '`Web.App "1"`'
const RECENT = 'timestamp > timestamp_sub(current_timestamp(), interval 1 hour)'

beforeAll(async () => {
  standIn = await startStandIn()
  service = await startService()
  backend = (await call('POST', '/api/backends', { name: 'store', type: 'bigquery', config: standIn.config })).json
  source = (await call('POST', '/api/sources', { name: 'Web.App "1"', retention_days: 3 })).json
  await call('POST', '/api/sources', { name: 'elsewhere' })
  await call('POST', `/api/sources/${source.token}/backends/${backend.token}`)
  const batch = Array.from({ length: 50 }, (_, i) => ({
    ...{ id: `e${i}`, message: `number ${i}`, big: '9007199254740993', tags: ['a', `t${i}`] },
    metadata: { status: i % 2 ? 200 : 500, request: { path: `/p${i}` }, lines: [{ sku: `s${i}` }] },
  }))
  await call('POST', `/api/logs?source=${source.token}`, { batch })
  await until(async () => (await call('GET', `/api/backends/${backend.token}/status`)).json.delivered === 50)
}, 120_000)
afterAll(async () => {
  await service?.remove()
  await standIn?.stop()
})

test('its key is never shown, and its connection can be tested', async () => {
  expect(backend.config).toMatchObject({ credentials: 'REDACTED', dataset_id: 'millrace_logs', location: 'US' })
  expect((await call('POST', `/api/backends/${backend.token}/test`)).json).toEqual({ 'connected?': true })
  const nowhere = { ...standIn.config, project_id: 'nobodys-project' }
  const { json } = await call('POST', '/api/backends', { name: 'wrong', type: 'bigquery', config: nowhere })
  expect((await call('POST', `/api/backends/${json.token}/test`)).json).toMatchObject({
    ...{ 'connected?': false, reason: 'project_not_found' },
  })
  const broken = await call('POST', '/api/backends', {
    ...{ name: 'broken', type: 'bigquery', config: { project_id: 'some-project', credentials: '{' } },
  })
  expect(broken).toMatchObject({ status: 422, json: { errors: { 'config.credentials': [expect.any(String)] } } })
})

test('warehouse SQL reads what was delivered, with values bound by their type', async () => {
  const found = await ask(
    `select t.metadata.request.path, id, timestamp, m.lines, tags from ${TABLE} t cross join unnest(metadata) m
     where ${RECENT} and id = @id and metadata.status > @least`,
    { parameters: { id: 'e8', least: '499' } },
  )
  expect(found).toMatchObject({
    status: 200,
    json: {
      result: [{ path: '/p8', id: 'e8', timestamp: expect.any(Number), lines: [{ sku: 's8' }], tags: ['a', 't8'] }],
      rows: 1,
      bytes_scanned: 1000,
    },
  })
  expect(standIn.jobs.at(-1)?.query.queryParameters.map(({ parameterType }) => parameterType.type)).toEqual([
    'STRING',
    'INT64',
  ])
  const counted = await ask(
    `select metadata.status as s, count(*) as n from ${TABLE} where ${RECENT} group by 1 order by 1`,
  )
  expect(counted.json.result).toEqual([
    { s: 200, n: 25 },
    { s: 500, n: 25 },
  ])
  const listed = await ask(`select id from ${TABLE} where ${RECENT} and id in unnest(@ids) order by id`, {
    parameters: { ids: ['e1', 'e2'] },
  })
  const digits = await ask(`select id from ${TABLE} where ${RECENT} and id in unnest(@ids)`, {
    parameters: { ids: '1' },
  })
  expect([digits.status, standIn.jobs.at(-1)?.query.queryParameters[0]?.parameterType]).toEqual([
    200,
    { type: 'ARRAY', arrayType: { type: 'STRING' } },
  ])
  expect(listed.json.result).toEqual([{ id: 'e1' }, { id: 'e2' }])
  const injected = await ask(`select count(*) as n from ${TABLE} where ${RECENT} and id = @id`, {
    parameters: { id: "' or '1'='1" },
  })
  expect(injected.json.result).toEqual([{ n: 0 }])
})

test('the older name runs there when the backend is named, and in the warehouse when not', async () => {
  const sql = encodeURIComponent(`select count(*) as n from ${TABLE} where ${RECENT}`)
  const before = standIn.jobs.length
  expect((await call('GET', `/api/query?bq_sql=${sql}`)).json).toMatchObject({ result: [{ n: 50 }] })
  expect(standIn.jobs.length).toBe(before)
  expect((await call('GET', `/api/query?bq_sql=${sql}&backend_id=${backend.id}`)).json).toMatchObject({
    result: [{ n: 50 }],
  })
  expect(standIn.jobs.length).toBe(before + 1)
  const wrong = await call('GET', `/api/query?pg_sql=${sql}&backend_id=${backend.id}`)
  expect(wrong).toMatchObject({ status: 400, json: { error: 'This backend speaks BigQuery.' } })
})

test.each([
  [`select id from ${TABLE}`, /filtered on timestamp/],
  [`select 1 from nothing where ${RECENT}`, /can't find source nothing/],
  [`delete from ${TABLE} where true`, /./],
  ['select * from `stand-in-project.millrace_logs.INFORMATION_SCHEMA.TABLES`', /can't find source/],
  ["select * from external_query('a', 'b')", /./],
  [`select nothing_such from ${TABLE} where ${RECENT}`, /nothing_such/],
  [`select id from elsewhere where ${RECENT}`, /holds no events of the source yet/],
  [`select id from ${TABLE} where ${RECENT} limit 'x'`, /./],
])('a refusal says what to do: %s', async (sql, message) => {
  const { status, json } = await ask(sql)
  expect(status).toBe(400)
  expect(json.error).toMatch(message)
  expect(json.error).not.toMatch(/log_events_|stand-in-project:/)
})

test('a query is refused above the bytes that are allowed, with both numbers', async () => {
  standIn.claim(2_000_000_000_000)
  const { status, json } = await ask(`select id from ${TABLE} where ${RECENT}`)
  standIn.claim(null)
  expect(status).toBe(400)
  expect(json.error).toMatch(/2000000000000 bytes .* 1000000000000 bytes/)
})

test('an endpoint runs there, with a sandbox, LQL, other endpoints, labels and after its source was renamed', async () => {
  const query = `with recent as (select id, metadata.request.path as path from ${TABLE} where ${RECENT}) select path from recent where id = @id`
  const made = await endpoint({ name: 'paths', query, sandboxable: true, labels: 'Team=@team,kind=Web Site' })
  expect(made).toMatchObject({ status: 201, json: { language: 'bq_sql', parameters: ['id'] } })
  const { token } = made.json
  expect((await run(token, '?id=e3&team=Shop')).json).toMatchObject({ result: [{ path: '/p3' }] })
  expect(standIn.jobs.at(-1)?.labels).toEqual({ team: 'shop', kind: 'web_site', managed_by: 'millrace' })

  const own = encodeURIComponent('select count(*) as n from recent')
  expect((await run(token, `?sql=${own}`)).json).toMatchObject({ result: [{ n: 50 }] })
  const outside = encodeURIComponent(`select * from ${TABLE}`)
  expect((await run(token, `?sql=${outside}`)).status).toBe(400)
  expect((await run(token, `?lql=${encodeURIComponent('path:/p7')}`)).json.result).toHaveLength(1)

  const outer = await endpoint({ name: 'outer', query: 'select path from paths' })
  expect(outer).toMatchObject({ status: 201, json: { parameters: ['id'] } })
  expect((await run(outer.json.token, '?id=e4')).json).toMatchObject({ result: [{ path: '/p4' }] })

  await call('PATCH', `/api/sources/${source.token}`, { name: 'renamed' })
  expect((await run(token, '?id=e3')).json).toMatchObject({ result: [{ path: '/p3' }] })
  await call('PATCH', `/api/sources/${source.token}`, { name: 'Web.App "1"' })
})

test('the reservation header counts where the endpoint allows it and runs on BigQuery', async () => {
  const query = `select count(*) as n from ${TABLE} where ${RECENT}`
  const reservation = `projects/${standIn.project}/locations/US/reservations/night`
  const open = (await endpoint({ name: 'open', query, enable_dynamic_reservation: true })).json.token
  const closed = (await endpoint({ name: 'closed', query })).json.token
  const own = (await endpoint({ name: 'own', query, enable_dynamic_reservation: true, backend_id: null })).json.token
  for (const header of ['svc-endpoint-warehouse-reservation', 'lf-endpoint-bigquery-reservation']) {
    expect((await run(open, '', { [header]: reservation })).json.result).toEqual([{ n: 50 }])
    expect(standIn.jobs.at(-1)).toMatchObject({ reservation, jobTimeoutMs: '60000' })
  }
  const svc = 'svc-endpoint-warehouse-reservation'
  expect((await run(closed, '', { [svc]: reservation })).status).toBe(200)
  expect(standIn.jobs.at(-1)).toMatchObject({ jobTimeoutMs: '25000' })
  expect(standIn.jobs.at(-1)).not.toHaveProperty('reservation')
  expect((await run(own, '', { [svc]: 'nonsense' })).status).toBe(200)
  for (const wrong of ['nonsense', 'projects/other-project/locations/US/reservations/night'])
    expect(await run(open, '', { [svc]: wrong })).toMatchObject({ status: 400, json: { error: expect.any(String) } })
})

test('an endpoint that cannot run there is refused', async () => {
  expect((await endpoint({ name: 'bad', query: 'select * from nothing' })).status).toBe(422)
  expect((await endpoint({ name: 'bad', query: 'select 1', language: 'pg_sql' })).status).toBe(422)
})

test('the expiry of partitions follows the retention of the source', async () => {
  const name = `millrace_logs.log_events_${source.token.replaceAll('-', '_')}`
  expect(standIn.tables.get(name)?.timePartitioning.expirationMs).toBe(String(3 * 86_400_000))
  await call('PATCH', `/api/sources/${source.token}`, { retention_days: 9 })
  await call('POST', `/api/logs?source=${source.token}`, { batch: [{ message: 'later' }] })
  await until(() => standIn.tables.get(name)?.timePartitioning.expirationMs === String(9 * 86_400_000))
})
