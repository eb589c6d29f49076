/**
 * Sources that live in a backend, from outside: the built service, and the real engine beside it. A twin with the same
 * events lives in the embedded warehouse: whatever is asked, both must say the same.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type StandIn, startStandIn } from './bigquery/stand-in.ts'
import { type Clickhouse, hasClickhouse, startClickhouse } from './support/clickhouse.ts'
import { millrace } from './support/millrace.ts'
import { hasPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { failToStart, type Service, startService, until } from './support/service.ts'

type Json = ReturnType<typeof JSON.parse>

const NOW = Date.now()
const LEVELS = ['info', 'error', 'WARN', 'debug', 'odd']

/** A second apart, the newest a second ago. */
const events = Array.from({ length: 120 }, (_, i) => ({
  ...{ id: `e${String(i).padStart(3, '0')}`, timestamp: (NOW - (120 - i) * 1000) * 1000 + i },
  message: `request ${i} took ${i % 7}ms ${i % 3 === 0 ? 'timeout' : ''}`,
  ...(i % 10 === 0 ? { ratio: i / 3 } : {}),
  metadata: {
    ...{ level: LEVELS[i % 5], status_code: [200, 204, 301, 404, 503][i % 5], ok: i % 2 === 0 },
    ...{ big: '9007199254740993', path: `/p/${i % 4}`, tags: [`t${i % 3}`, 'all'], empty: '' },
    ...{
      lines: [
        { sku: `s${i % 2}`, n: i },
        { sku: 'x', n: 1 },
      ],
      user: { name: `üser ${i % 6}`, 'odd-key': i },
    },
  },
}))

/** A fixed time around all of them, so that the same is asked however long it takes. */
const SPAN = `t:${new Date(NOW - 600_000).toISOString()}..${new Date(NOW + 60_000).toISOString()}`

const SEARCHES = [
  '',
  'timeout',
  '-timeout',
  '"took 3ms"',
  '~"took [45]ms"',
  'm.level:error',
  'm.level:NULL',
  'ratio:NULL',
  '-ratio:NULL',
  'ratio:>10.5',
  'm.status_code:>=400',
  'm.status_code:(200,503)',
  'm.status_code:200..301',
  'm.ok:true',
  'm.tags:@>t1',
  'm.lines.sku:s1',
  'm.user.name:~"ser [12]"',
  'm.user.name:"üser 3"',
  'm.empty:""',
  '(m.level:error OR m.path:"/p/2") -m.ok:true',
  's:m.path s:m.status_code@code m.level:info',
  's:m.lines.sku s:m.tags s:m.user',
  't:last@1hour m.level:info..error',
]

describe.each([
  ['postgres', hasPostgres()],
  ['clickhouse', hasClickhouse()],
  ['bigquery', true],
] as const)('a source that lives in %s', (type, isHere) => {
  let postgres: Postgres | null = null
  let clickhouse: Clickhouse | null = null
  let standIn: StandIn | null = null
  let service: Service
  let home: Json
  let away: Json
  let twin: Json
  vi.setConfig({ testTimeout: 300_000 })

  async function call(method: string, path: string, body?: object): Promise<{ status: number; json: Json }> {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
    const answer = await service.fetch(path, { method, ...init })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { status: answer.status, json: isJson && text ? JSON.parse(text) : text }
  }
  const get = async (path: string): Promise<Json> => (await call('GET', path)).json
  const send = (token: string, batch: object[]) => call('POST', `/api/logs?source=${token}`, { batch })
  const lag = async (): Promise<number> => (await get('/health')).homes.lag_events
  const delivered = () => until(async () => (await lag()) === 0, 240_000)
  const newSource = async (name: string, more: object = {}): Promise<Json> =>
    (await call('POST', '/api/sources', { name, home: home.token, ...more })).json
  /** What both say, side by side. */
  const both = async (path: (token: string) => string): Promise<[Json, Json]> => [
    await call('GET', path(away.token)),
    await call('GET', path(twin.token)),
  ]
  const count = async (token: string, lql = ''): Promise<number> =>
    (await get(`/api/sources/${token}/search/facets?fields=id&lql=${encodeURIComponent(lql)}`)).total

  async function startStore(): Promise<object> {
    if (type === 'postgres') {
      postgres = await startPostgres()
      return { url: await postgres.createDatabase() }
    }
    if (type === 'clickhouse') {
      clickhouse = await startClickhouse()
      return { url: clickhouse.url }
    }
    standIn = await startStandIn()
    return standIn.config
  }

  beforeAll(async () => {
    if (!isHere) return
    // An engine under an emulator takes its time.
    const env = { MILLRACE_QUERY_TIMEOUT_MS: '300000' }
    service = await startService({ readyWithinMs: 120_000, ...(type === 'clickhouse' ? { env } : {}) })
    home = (await call('POST', '/api/backends', { name: 'store', type, config: await startStore() })).json
    away = await newSource('away')
    twin = await newSource('twin', { home: null })
    for (const { token } of [away, twin])
      for (let i = 0; i < events.length; i += 40) await send(token, events.slice(i, i + 40))
    await delivered()
  }, 600_000)
  afterAll(async () => {
    await service?.remove()
    await postgres?.stop()
    await clickhouse?.stop()
    await standIn?.stop()
  })

  test.skipIf(!isHere)('says where it lives, and the embedded warehouse has none of its events', async () => {
    expect([away.home, away.home_type, twin.home, twin.home_type]).toEqual([home.token, type, null, 'warehouse'])
    await until(async () => (await get(`/api/sources/${twin.token}`)).metrics.total === 120)
    expect((await get('/health')).homes).toMatchObject({ sources: 1, lag_events: 0, last_error: null })
    expect((await call('DELETE', `/api/backends/${home.token}`)).json.errors.sources[0]).toContain('away')
  })

  test.skipIf(!isHere)(
    'gives the same pages as one in the warehouse',
    async () => {
      for (const lql of SEARCHES) {
        const path = (token: string) => `/api/sources/${token}/search?limit=50&lql=${encodeURIComponent(lql)}`
        const [here, there] = await both(path)
        expect([lql, here.status, here.json.events ?? here.json]).toEqual([lql, 200, there.json.events])
        expect([lql, here.json.next]).toEqual([lql, there.json.next])
        if (here.json.next === null) continue
        const next = (token: string) => `${path(token)}&before=${encodeURIComponent(here.json.next)}`
        const [after, before] = await both(next)
        expect(after.json.events).toEqual(before.json.events)
      }
    },
    900_000,
  )

  test.skipIf(!isHere)(
    'gives the same charts, facets, events, neighbours and suggestions',
    async () => {
      const paths = [
        ...[
          '',
          'timeout',
          'c:avg(m.status_code) c:group_by(t::minute)',
          'c:countd(m.path)',
          'c:count(ratio)',
          // BigQuery gives the nearest value instead of one between two.
          type === 'bigquery' ? 'c:max(ratio)' : 'c:p95(ratio)',
        ].map((lql) => `search/chart?lql=${encodeURIComponent(`${lql} ${SPAN}`)}`),
        'search/facets?lql=timeout',
        'search/facets?fields=m.tags,m.lines.sku,m.lines.n,m.ok,ratio,m.user.name,event_message&values=5',
        'events/e050',
        'events/e050/context',
        'events/nothing',
        `suggest?lql=${encodeURIComponent('m.level:')}`,
        `suggest?lql=${encodeURIComponent('m.tags:')}`,
        'recent',
        'schema?variant=dot',
      ]
      for (const path of paths) {
        const [here, there] = await both((token) => `/api/sources/${token}/${path}`)
        const plain = ({ range: _range, ...rest }: Json): Json => JSON.parse(JSON.stringify(rest), rounded)
        expect([path, here.status, plain(here.json)]).toEqual([path, there.status, plain(there.json)])
      }
    },
    900_000,
  )

  const SINCE = 'timestamp > timestamp_sub(current_timestamp(), interval 1 day)'
  const QUERIES = [
    `select id, timestamp, event_message from SOURCE where ${SINCE} order by timestamp desc limit 5`,
    `select count(*) as n, m.level as level from SOURCE cross join unnest(metadata) as m where ${SINCE} group by level order by level`,
    `select m.status_code as code, max(ratio) as top from SOURCE, unnest(metadata) as m where ${SINCE} and m.ok group by 1 order by 1`,
    `with e as (select id, m.path as path from SOURCE cross join unnest(metadata) as m where ${SINCE} and m.status_code >= 400) select path, count(id) as n from e group by path order by n desc, path`,
    `select id from SOURCE where ${SINCE} and regexp_contains(event_message, r'took [45]ms') order by id limit 7`,
    `select timestamp_trunc(timestamp, hour) as h, count(*) as n from SOURCE where ${SINCE} group by h order by h`,
  ]

  test.skipIf(!isHere)(
    'answers warehouse SQL like one in the warehouse: queries, endpoints, alerts and exports',
    async () => {
      for (const sql of QUERIES) {
        const [here, there] = [
          await call('POST', '/api/query', { sql: sql.replace('SOURCE', 'away') }),
          await call('POST', '/api/query', { sql: sql.replace('SOURCE', 'twin') }),
        ]
        expect([sql, here.status, here.json.result ?? here.json]).toEqual([sql, 200, there.json.result])
      }
      const mixed = `select a.id from away a join twin t on a.id = t.id where a.${SINCE} and t.${SINCE}`
      const refused = await call('POST', '/api/query', { sql: mixed })
      expect([refused.status, refused.json.error]).toEqual([400, expect.stringMatching(/away \(.*twin \(/)])

      const query = `with e as (select id, event_message from away where ${SINCE} and id = @id) select * from e`
      const endpoint = { name: 'one', query, cache_duration_seconds: 0, sandboxable: true }
      const made = (await call('POST', '/api/endpoints', endpoint)).json
      const ask = (more: string) => call('GET', `/api/endpoints/query/${made.token}?id=e007${more}`)
      expect((await ask('')).json.result).toEqual([{ id: 'e007', event_message: expect.stringContaining('request 7') }])
      const own = await ask(`&sql=${encodeURIComponent('select id from e')}`)
      expect(own.status).toBe(type === 'postgres' ? 400 : 200)

      const alert = { name: 'many', query: `select id from away where ${SINCE}`, cron: '0 0 1 1 *' }
      const watched = (await call('POST', '/api/alerts', alert)).json
      const ran = await call('POST', `/api/alerts/${watched.token}/run`)
      expect([ran.status, JSON.stringify(ran.json)]).toEqual([200, expect.stringContaining('e007')])

      const exported = (format: string) =>
        both((token) => `/api/sources/${token}/search/export?format=${format}&lql=timeout`)
      // Objects may have their fields in another order.
      const lines = ({ json }: Json): Json[] =>
        String(json)
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
          .map(({ _rest, ...event }) => event)
      const [ndjson, sameNdjson] = await exported('ndjson')
      expect(lines(ndjson)).toEqual(lines(sameNdjson))
      const [csv, sameCsv] = await exported('csv')
      expect([csv.status, csv.json.split('\n').length]).toEqual([200, sameCsv.json.split('\n').length])
    },
    900_000,
  )

  test.skipIf(!isHere)('is exported and imported, there and back, without a difference', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-homes-'))
    const run = async (...args: string[]): Promise<Json> => {
      const { code, stdout, stderr } = await millrace([...args, '--json'], { service })
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout)
    }
    const eventsOf = async (token: string): Promise<Json> => {
      const { events: found } = await get(`/api/sources/${token}/search?limit=1000&force=true`)
      return found.toSorted((a: Json, b: Json) => (a.id < b.id ? -1 : 1))
    }
    const there = await newSource('imported there')
    const back = await newSource('imported back', { home: null })
    expect(await run('export', 'twin', join(folder, 'twin'))).toMatchObject({ events: events.length })
    expect(await run('import', join(folder, 'twin'), 'imported there')).toMatchObject({
      sent: events.length,
      refused: 0,
    })
    await delivered()
    expect(await run('export', 'imported there', join(folder, 'there'))).toMatchObject({ events: events.length })
    expect(await run('import', join(folder, 'there'), 'imported back')).toMatchObject({ sent: events.length })
    const sent = await eventsOf(twin.token)
    expect(sent).toHaveLength(events.length)
    expect(await eventsOf(there.token)).toEqual(sent)
    expect(await eventsOf(back.token)).toEqual(sent)
    await rm(folder, { recursive: true })
  })

  test.skipIf(!isHere)(
    'keeps nothing of what was cleared, and goes on',
    async () => {
      const { token } = await newSource('cleared')
      await send(token, [{ message: 'old' }])
      await delivered()
      expect(await count(token)).toBe(1)
      expect((await call('DELETE', `/api/sources/${token}/events`)).status).toBe(204)
      expect(await count(token)).toBe(0)
      await send(token, [{ message: 'new' }])
      await delivered()
      expect(await count(token)).toBe(1)
      expect((await call('DELETE', `/api/sources/${token}`)).status).toBe(204)
    },
    600_000,
  )

  test.skipIf(!isHere)(
    'moves: events stay where they were stored, and later ones live in the new home',
    async () => {
      const { token } = await newSource('mover', { home: null })
      await send(token, [{ message: 'first' }])
      const moved = await call('PUT', `/api/sources/${token}`, { home: home.token })
      expect(moved.json).toMatchObject({ home: home.token, home_type: type })
      await send(token, [{ message: 'second' }])
      await delivered()
      expect(await count(token)).toBe(1)
      await service.restart('SIGKILL')
      expect((await get(`/api/sources/${token}/recent`)).map((one: Json) => one.event_message)).toEqual(['second'])
      await call('PUT', `/api/sources/${token}`, { home: null })
      await send(token, [{ message: 'third' }])
      const messages = async () => (await get(`/api/sources/${token}/recent`)).map((one: Json) => one.event_message)
      expect(await messages()).toEqual(['first', 'third'])
      await service.restart('SIGKILL')
      expect(await messages()).toEqual(['first', 'third'])
    },
    600_000,
  )

  test.skipIf(!isHere)('is made so by the default-ingest switch of its backend', async () => {
    const put = (body: object) => call('PUT', `/api/backends/${home.token}`, body)
    const { id, token } = await newSource('switched', { home: null })
    const refused = async (body: object) => (await put(body)).json.errors['default_ingest?'][0]
    expect(await refused({ 'default_ingest?': true })).toBe('Please select a source when enabling default ingest')
    expect(await refused({ 'default_ingest?': true, source_id: id })).toContain('default ingest backend support')
    expect(await refused({ 'default_ingest?': true, source_id: 99_999 })).toBe('Source not found')
    await call('PUT', `/api/sources/${token}`, { 'default_ingest_backend_enabled?': true })
    expect((await put({ 'default_ingest?': true, source_id: id })).json['default_ingest?']).toBe(true)
    expect((await get(`/api/sources/${token}`)).home).toBe(home.token)
    const webhook = { name: 'w', type: 'webhook', config: { url: 'http://127.0.0.1:1' }, 'default_ingest?': true }
    expect((await call('POST', '/api/backends', webhook)).json.errors['default_ingest?'][0]).toContain('webhook')
  })
})

test.skipIf(!hasPostgres())(
  'events that were acknowledged reach a home that was away, over a kill of the service',
  async () => {
    const postgres = await startPostgres()
    const url = await postgres.createDatabase()
    const service = await startService({
      env: { MILLRACE_DEFAULT_BACKEND: url, MILLRACE_DEFAULT_BACKEND_SCHEMA: 'logs' },
    })
    const get = async (path: string): Promise<Json> => (await service.fetch(path)).json()
    try {
      const [source] = await get('/api/sources')
      expect([source.home_type, await get('/api/backends')]).toEqual(['postgres', []])
      const send = async (from: number) => {
        const batch = Array.from({ length: 100 }, (_, i) => ({ id: `e${from + i}`, message: 'kept' }))
        const init = {
          method: 'POST',
          body: JSON.stringify({ batch }),
          headers: { 'content-type': 'application/json' },
        }
        expect((await service.fetch(`/api/logs?source=${source.token}`, init)).status).toBe(200)
      }
      await send(0)
      await service.restart('SIGKILL')
      await postgres.down()
      await send(100)
      await until(async () => (await get('/health')).homes.last_error !== null, 30_000)
      expect((await service.fetch(`/api/sources/${source.token}/search`)).status).toBe(503)
      await service.restart('SIGKILL')
      await send(200)
      await postgres.up()
      await until(async () => (await get('/health')).homes.lag_events === 0, 60_000)
      const { total } = await get(`/api/sources/${source.token}/search/facets?fields=id&lql=kept`)
      expect(total).toBe(300)
      const managed = await service.fetch(`/api/backends/${source.home}`, { method: 'DELETE' })
      expect(managed.status).toBe(409)
    } finally {
      await service.remove()
      await postgres.stop()
    }
  },
  180_000,
)

test.each([
  ['postgres://', 'must be the name of a backend, or look like'],
  ['mysql://host/db', 'must be the name of a backend, or look like'],
  ['bigquery://project', 'It has no dataset'],
  ['postgres://user@169.254.169.254/db', 'must not target a metadata address'],
])('with the default backend %s the service does not start and says why', async (address, reason) => {
  const { code, stderr } = await failToStart({ MILLRACE_DEFAULT_BACKEND: address })
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(reason)])
})

/** Engines differ in the last digit of what lies between two values. */
const rounded = (_name: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value
