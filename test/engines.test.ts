/** Queries, endpoints and alerts on backends, from outside: the built service, and the real engines beside it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clickhouse, hasClickhouse, STARTING_MS, startClickhouse } from './support/clickhouse.ts'
import { hasPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { type Service, startService, until } from './support/service.ts'

type Json = ReturnType<typeof JSON.parse>

describe.each([
  ['postgres', 'pg_sql', hasPostgres()],
  ['clickhouse', 'ch_sql', hasClickhouse()],
] as const)('%s', (type, language, isHere) => {
  let postgres: Postgres | null = null
  let clickhouse: Clickhouse | null = null
  let service: Service
  let backend: Json
  let source: Json
  const isPostgres = type === 'postgres'

  async function call(method: string, path: string, body?: object): Promise<{ status: number; json: Json }> {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
    const answer = await service.fetch(path, { method, ...init })
    const text = await answer.text()
    return { status: answer.status, json: text ? JSON.parse(text) : null }
  }
  const ask = (sql: string, more: object = {}) => call('POST', '/api/query', { sql, backend_id: backend.id, ...more })
  const endpoint = (fields: object) => call('POST', '/api/endpoints', { cache_duration_seconds: 0, ...fields })

  beforeAll(async () => {
    if (!isHere) return
    service = await startService({ readyWithinMs: 60_000 })
    if (isPostgres) postgres = await startPostgres()
    else clickhouse = await startClickhouse()
    const config = isPostgres ? { url: await postgres!.createDatabase() } : { url: clickhouse!.url }
    backend = (await call('POST', '/api/backends', { name: 'store', type, config })).json
    source = (await call('POST', '/api/sources', { name: 'Web.App "1"' })).json
    await call('POST', '/api/sources', { name: 'elsewhere' })
    await call('POST', `/api/sources/${source.token}/backends/${backend.token}`)
    const batch = Array.from({ length: 50 }, (_, i) => ({
      ...{ id: `e${i}`, message: `number ${i}` },
      metadata: { status: i % 2 ? 200 : 500, request: { path: `/p${i}` } },
    }))
    await call('POST', `/api/logs?source=${source.token}`, { batch })
    await until(async () => (await call('GET', `/api/backends/${backend.token}/status`)).json.delivered === 50)
  }, STARTING_MS)
  afterAll(async () => {
    await service?.remove()
    await postgres?.stop()
    await clickhouse?.stop()
  })

  const table = isPostgres ? '"Web.App ""1"""' : '`Web.App "1"`'
  const path = isPostgres ? "body #>> '{metadata,request,path}'" : 'metadata.request.path'
  const status = isPostgres ? "(body #>> '{metadata,status}')::int" : 'metadata.status::Int64'
  const recent = isPostgres ? "timestamp > now() - interval '1 hour'" : 'timestamp > now() - INTERVAL 1 HOUR'

  test.skipIf(!isHere)(
    'a query in the dialect of the backend reads what was delivered, with values bound',
    async () => {
      const found = await ask(`select ${path} as path, id from ${table} where ${recent} and id = @id`, {
        parameters: { id: 'e7' },
      })
      expect(found).toMatchObject({ status: 200, json: { result: [{ path: '/p7', id: 'e7' }], rows: 1 } })
      const counted = await ask(
        `select ${status} as s, count(*) as n from ${table} t where ${recent} group by 1 order by 1`,
      )
      expect(counted.json.result).toEqual([
        { s: 200, n: 25 },
        { s: 500, n: 25 },
      ])
      const injected = await ask(`select count(*) as n from ${table} where ${recent} and id = @id`, {
        parameters: { id: "' or '1'='1" },
      })
      expect(injected.json.result).toEqual([{ n: 0 }])
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'the older name of the dialect finds the first backend that speaks it',
    async () => {
      const sql = encodeURIComponent(`select count(*) as n from ${table} where ${recent}`)
      expect((await call('GET', `/api/query?${language}=${sql}`)).json).toMatchObject({ result: [{ n: 50 }] })
      const wrong = await call('GET', `/api/query?${isPostgres ? 'ch_sql' : 'pg_sql'}=${sql}&backend_id=${backend.id}`)
      expect(wrong.status).toBe(400)
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'refusals say what to do',
    async () => {
      const refusals: [string, RegExp][] = [
        [`select id from ${table}`, /filter .* on its timestamp/],
        ['select 1 from nothing where timestamp > now()', /can't find source nothing/],
        [`delete from ${table}`, /only one statement that reads/],
        [isPostgres ? 'select * from pg_shadow' : 'select * from system.users', /can't find source/],
        [`select nothing_such from ${table} where ${recent}`, /nothing_such/],
        [`select id from elsewhere where ${recent}`, /holds no events of the source yet/],
        [`select id fro ${table}`, /./],
      ]
      for (const [sql, message] of refusals) {
        const { status: code, json } = await ask(sql)
        expect([sql, code]).toEqual([sql, 400])
        expect(json.error).toMatch(message)
        expect(json.error).not.toMatch(/log_events_/)
      }
    },
    240_000,
  )

  test.skipIf(!isHere)(
    'an endpoint runs on its backend, and goes on after its source was renamed',
    async () => {
      const query = `with recent as (select id, ${path} as path from ${table} where ${recent}) select path from recent where id = @id`
      const made = await endpoint({ name: 'paths', query, backend_id: backend.id, sandboxable: !isPostgres })
      expect(made).toMatchObject({ status: 201, json: { language, parameters: ['id'] } })
      const answered = () => call('GET', `/api/endpoints/query/${made.json.token}?id=e3`)
      expect((await answered()).json).toMatchObject({ result: [{ path: '/p3' }] })
      if (!isPostgres) {
        const own = encodeURIComponent('select count(*) as n from recent')
        expect((await call('GET', `/api/endpoints/query/${made.json.token}?sql=${own}`)).json).toMatchObject({
          result: [{ n: 50 }],
        })
        const outside = encodeURIComponent(`select * from ${table}`)
        expect((await call('GET', `/api/endpoints/query/${made.json.token}?sql=${outside}`)).status).toBe(400)
      }
      await call('PATCH', `/api/sources/${source.token}`, { name: 'renamed' })
      expect((await answered()).json).toMatchObject({ result: [{ path: '/p3' }] })
    },
    240_000,
  )

  test.skipIf(!isHere)(
    'an alert runs on its backend, by hand and with its condition, and goes on after its source was renamed',
    async () => {
      const name = `alerted.${type}`
      const made = await call('POST', '/api/sources', { name })
      await call('POST', `/api/sources/${made.json.token}/backends/${backend.token}`)
      await call('POST', `/api/logs?source=${made.json.token}`, {
        batch: [
          { id: 'slow', ms: 900 },
          { id: 'fast', ms: 9 },
        ],
      })
      const ms = isPostgres ? "(body ->> 'ms')::int" : 'ms'
      const alert = await call('POST', '/api/alerts', {
        ...{ name: 'slow ones', cron: '@daily', backend_id: backend.id },
        query: `select id, ${ms} as ms from ${name} where ${recent} order by 1`,
        condition: { type: 'value', column: 'ms', operator: '>', threshold: 100 },
      })
      expect(alert).toMatchObject({ status: 201, json: { language, backend_id: backend.id } })
      const run = (more = '') => call('POST', `/api/alerts/${alert.json.token}/run${more}`)
      await until(async () => (await run()).json.result?.length === 2)
      await call('PATCH', `/api/sources/${made.json.token}`, { name: 'alerted later' })
      expect((await run('?notify=true')).json).toMatchObject({
        fired: true,
        result: [{ id: 'fast' }, { id: 'slow', ms: 900 }],
      })
      const logged = await call('GET', '/api/queries?limit=10')
      expect(logged.json).toContainEqual(
        expect.objectContaining({ kind: 'alert', labels: { alert: alert.json.token } }),
      )

      const gone = await call('DELETE', `/api/backends/${backend.token}`)
      expect(gone.status).toBe(422)
      const unknown = await call('POST', '/api/alerts', {
        name: 'x',
        cron: '@daily',
        query: 'select 1',
        language,
        backend_id: 999,
      })
      expect(unknown).toMatchObject({ status: 422, json: { errors: { backend_id: [expect.any(String)] } } })
    },
    120_000,
  )

  test.skipIf(!isHere)('what a query asks for is told without running it', async () => {
    const sql = encodeURIComponent('select id from elsewhere where id = @id')
    const parsed = await call('GET', `/api/query/parse?${language}=${sql}`)
    expect(parsed).toMatchObject({ status: 200, json: { result: { parameters: ['id'] } } })
  })

  test.skipIf(!isHere)(
    'an endpoint that cannot run there is refused',
    async () => {
      expect((await endpoint({ name: 'bad', query: 'select * from nothing', backend_id: backend.id })).status).toBe(422)
      if (!isPostgres) return
      const sandboxed = await endpoint({ name: 'bad', query: 'select 1', backend_id: backend.id, sandboxable: true })
      expect(sandboxed).toMatchObject({ status: 422, json: { errors: { sandboxable: [expect.any(String)] } } })
    },
    60_000,
  )
})
