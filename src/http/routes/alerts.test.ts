import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'
import { createCheck } from '../../alerts/check.ts'
import { alertTables } from '../../alerts/tables.ts'
import { systemClock as clock } from '../../base/clock.ts'
import { createNames } from '../../query/names.ts'
import { createSql } from '../../sql/sql.ts'
import { addAlertRoutes } from './alerts.ts'

const BACKENDS = [3, 4]
const POSTGRES = 5
const NOWHERE = '00000000-0000-4000-8000-000000000000'

let server: ManagementServer
let web: { name: string; token: string }
const ran: object[] = []
beforeAll(async () => {
  server = await startManagement([], (catalog) => {
    const { sources, endpoints, alerts, changes } = catalog
    const published = [endpoints, alertTables(alerts)]
    const names = createNames({ sources, published, changes, clock, isShared: false })
    const schemas = { journaled: () => ({}) }
    const hasBackend = async (_account: number, id: number) => BACKENDS.includes(id)
    const stores = {
      first: async (_account: number, dialect: string) => (dialect === 'postgres' ? POSTGRES : null),
      dialectOf: async (_account: number, id: number) => (id === POSTGRES ? ('postgres' as const) : null),
    }
    const check = createCheck({ names, sql: createSql(), schemas, clock, stores, hasBackend })
    return [
      (routes) =>
        addAlertRoutes(routes, {
          catalog,
          check,
          async run(alert, { token }) {
            ran.push({ alert: alert.token, token })
            return {
              json: Buffer.from('[{"n":1}]'),
              cost: { rows: 1, bytesScanned: 0, ms: 1, columns: [], truncated: false },
              sources: [],
            }
          },
          async fire() {
            return { rows: [{ n: 1 }], fired: true, run: 7 }
          },
          clock,
          backendsOf: async (_account, ids) => ids.map((id) => ({ id, type: 'webhook' })),
        }),
    ]
  })
  web = await server.newSource({ name: 'web' })
})
afterAll(() => server.stop())

let made = 0
const fields = (more: object = {}) => ({
  name: `alert ${++made}`,
  query: 'select status from web where status >= 500',
  cron: '*/5 * * * *',
  ...more,
})

async function alert(more: object = {}) {
  const { status, json } = await server.call('POST', '/api/alerts', fields(more))
  expect({ status, json }).toMatchObject({ status: 201 })
  return json
}

test('an alert is made, read, listed, changed and deleted', async () => {
  const sent = fields({ webhook_notification_url: 'https://hooks.test/a', description: ' errors ' })
  const { status, json: record } = await server.call('POST', '/api/alerts', sent)
  expect({ status, record }).toEqual({
    status: 201,
    record: {
      ...sent,
      id: expect.any(Number),
      token: expect.any(String),
      description: 'errors',
      language: 'bq_sql',
      backend_id: null,
      enabled: true,
      slack_hook_url: null,
      emails: [],
      backend_ids: [],
      backends: [],
      timezone: 'UTC',
      condition: { type: 'rows' },
      repeat_minutes: 0,
      notify_resolved: false,
      muted_until: null,
      state: 'waiting',
      state_since: null,
      last_run_at: null,
      next_run_at: expect.any(String),
      last_error: null,
      source_mapping: { web: web.token },
      parameters: [],
      inserted_at: expect.any(String),
      updated_at: expect.any(String),
    },
  })
  const path = `/api/alerts/${record.token}`
  expect((await server.call('GET', path)).json).toEqual(record)
  expect((await server.call('GET', '/api/alerts')).json).toContainEqual(record)

  const changed = { ...record, cron: '@daily', enabled: false, next_run_at: null, updated_at: expect.any(String) }
  const sentBack = { ...record, cron: '@daily', enabled: false }
  expect(await server.call('PUT', path, sentBack)).toMatchObject({ status: 200, json: changed })
  expect((await server.call('PATCH', path, { enabled: null })).status).toBe(204)
  expect((await server.call('GET', path)).json).toEqual({
    ...changed,
    enabled: true,
    next_run_at: expect.stringMatching(/T00:00:00.000Z$/),
  })

  expect((await server.call('DELETE', path)).status).toBe(204)
  for (const method of ['GET', 'DELETE'] as const) expect((await server.call(method, path)).status).toBe(404)
})

test('nobody without a token, and what is not there or belongs to another account is not found', async () => {
  const { token } = await alert()
  expect((await server.call('GET', '/api/alerts', undefined, '')).status).toBe(401)
  const { json } = await server.call('POST', '/api/accounts', { name: 'stranger' })
  for (const [place, as] of [
    [token, json.management_token],
    [NOWHERE, server.token],
    ['x', server.token],
  ]) {
    const path = `/api/alerts/${place}`
    const asked = [
      server.call('GET', path, undefined, as),
      server.call('PUT', path, { enabled: true }, as),
      server.call('PATCH', path, { enabled: true }, as),
      server.call('DELETE', path, undefined, as),
      server.call('POST', `${path}/run`, undefined, as),
    ]
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  }
  expect((await server.call('GET', '/api/alerts', undefined, json.management_token)).json).toEqual([])
})

test.each([
  [{ name: '' }, { name: ["can't be blank"] }],
  [{ name: undefined }, { name: ["can't be blank"] }],
  [{ query: undefined }, { query: ["can't be blank"] }],
  [{ query: ' ' }, { query: ["can't be blank"] }],
  [{ query: 'select id from' }, { query: [expect.any(String)] }],
  [{ query: 'select 1 as a; select 2 as b' }, { query: [expect.any(String)] }],
  [{ query: 'delete from web where true' }, { query: [expect.any(String)] }],
  [{ query: "select * from read_csv('/etc/passwd')" }, { query: [expect.any(String)] }],
  [{ query: 'select id from nowhere' }, { query: ["can't find source nowhere"] }],
  [{ name: 'self', query: 'select id from self' }, { query: [expect.stringContaining('circle')] }],
  [{ cron: undefined }, { cron: ["can't be blank"] }],
  [{ cron: ' ' }, { cron: ["can't be blank"] }],
  [{ cron: '0 0 * * * *' }, { cron: [expect.stringContaining('five fields')] }],
  [{ cron: '0 25 * * *' }, { cron: [expect.stringContaining('hour')] }],
  [{ cron: '0 0 31 2 *' }, { cron: ['names a day that never comes'] }],
  [{ timezone: 'Mars/Olympus' }, { timezone: ['is not a time zone'] }],
  [{ condition: { type: 'none' } }, { 'condition.type': ['is invalid'] }],
  [{ condition: { type: 'rows', least: 3 } }, { 'condition.least': ['is not a known field'] }],
  [
    { condition: { type: 'value', operator: '~', threshold: 'x' } },
    {
      'condition.column': ["can't be blank"],
      'condition.operator': ['is invalid'],
      'condition.threshold': ['is invalid'],
    },
  ],
  [{ repeat_minutes: -1 }, { repeat_minutes: ['must be at least 0'] }],
  [{ muted_until: 'tomorrow' }, { muted_until: ['is invalid'] }],
  [{ emails: ['nobody'] }, { 'emails.0': ['is not an e-mail address'] }],
  [{ language: 'ch_sql' }, { language: ['needs a backend that speaks it'] }],
  [{ language: 'ch_sql', backend_id: 5 }, { language: ['is not the one that the backend speaks'] }],
  [{ backend_id: 3 }, { backend_id: ['names no backend that can be queried'] }],
  [{ backend_id: 5, query: 'select * from nowhere' }, { query: [expect.stringContaining('nowhere')] }],
  [{ backend_id: 5, query: 'delete from web' }, { query: [expect.any(String)] }],
  [{ language: 'pg_sql', query: 'select pg_sleep(9)' }, { query: [expect.stringContaining('pg_sleep')] }],
  [
    { language: 'lql', query: 'f:web x', backend_id: 5 },
    { backend_id: ['is not offered for LQL: it reads the warehouse'] },
  ],
  [{ language: 'cobol' }, { language: ['is invalid'] }],
  [{ language: 'lql', query: 'status:>=500' }, { query: [expect.stringContaining('f:name')] }],
  [{ language: 'lql', query: 'f:nowhere x' }, { query: ["can't find source nowhere"] }],
  [{ language: 'lql', query: 'f:web (' }, { query: [expect.any(String)] }],
  [{ slack_hook_url: 'ftp://hooks.test' }, { slack_hook_url: ['must be an http or https address'] }],
  [{ webhook_notification_url: 'hooks' }, { webhook_notification_url: ['must be an http or https address'] }],
  [{ backend_ids: 3 }, { backend_ids: ['is invalid'] }],
  [{ backend_ids: [0] }, { 'backend_ids.0': ['must be at least 1'] }],
  [{ backend_ids: [3, 9] }, { backend_ids: ['9 is no backend of this account'] }],
  [{ colour: 'red' }, { colour: ['is not a known field'] }],
])('%j is refused with 422', async (more, errors) => {
  expect(await server.call('POST', '/api/alerts', fields(more))).toMatchObject({ status: 422, json: { errors } })
})

test('the language of an alert on a backend is that of the backend, and it is no table of the warehouse', async () => {
  const native = await alert({ name: 'native', query: 'select body from web', backend_id: POSTGRES })
  expect(native).toMatchObject({ language: 'pg_sql', backend_id: POSTGRES, source_mapping: { web: web.token } })
  const on = await server.call('POST', '/api/alerts', fields({ query: 'select * from native' }))
  expect(on).toMatchObject({ status: 422, json: { errors: { query: ["can't find source native"] } } })
  const back = { language: 'bq_sql', backend_id: null, query: 'select status from web' }
  const { json } = await server.call('PUT', `/api/alerts/${native.token}`, back)
  expect(json).toMatchObject(back)
})

test('backend_ids is the whole list: left out keeps it, empty clears it, a doubled one counts once', async () => {
  const { token, backend_ids, backends } = await alert({ backend_ids: [4, 3, 4] })
  expect({ backend_ids, backends }).toEqual({
    backend_ids: [4, 3],
    backends: [
      { id: 4, type: 'webhook' },
      { id: 3, type: 'webhook' },
    ],
  })
  const change = async (body: object) => (await server.call('PUT', `/api/alerts/${token}`, body)).json.backend_ids
  expect(await change({ enabled: false })).toEqual([4, 3])
  expect(await change({ backend_ids: [3] })).toEqual([3])
  expect(await change({ backend_ids: [] })).toEqual([])
})

test('a run answers the rows and tells who asked', async () => {
  const { token } = await alert({ enabled: false })
  expect(await server.call('POST', `/api/alerts/${token}/run`)).toMatchObject({
    status: 200,
    json: { result: [{ n: 1 }] },
  })
  expect(ran.at(-1)).toMatchObject({ alert: token, token: expect.any(String) })
})

test('an alert is muted until its time has come, and anything else leaves the next run where it is', async () => {
  const { token, next_run_at } = await alert()
  const change = async (body: object) => (await server.call('PUT', `/api/alerts/${token}`, body)).json
  const muted_until = '2099-01-01T01:00:00+01:00'
  expect(await change({ muted_until })).toMatchObject({
    state: 'muted',
    muted_until: '2099-01-01T00:00:00.000Z',
    next_run_at,
  })
  expect(await change({ muted_until: '2001-01-01T00:00:00Z' })).toMatchObject({ state: 'waiting', next_run_at })
  expect(await change({ muted_until: null })).toMatchObject({ state: 'waiting', muted_until: null, next_run_at })
  const value = { type: 'value', column: 'ms', operator: '>=', threshold: 2.5 }
  expect(await change({ condition: value, cron: '0 9 * * *', timezone: 'Asia/Kolkata' })).toMatchObject({
    condition: value,
    next_run_at: expect.stringMatching(/T03:30:00.000Z$/),
  })
})

test('a name may be that of a source or an endpoint, which then comes first', async () => {
  const check = async () => ({ source_mapping: {}, parameters: [] })
  const { account_id } = (await server.catalog.sources.all())[0]!
  await server.catalog.endpoints.create(account_id, 'x', { name: 'both', query: 'select 1 as n' }, check)
  await alert({ name: 'both', query: 'select n from both' })
  await alert({ name: 'web', query: 'select id from web' })
  expect((await server.call('POST', '/api/alerts', fields({ name: 'both' }))).json.errors.name).toBeTruthy()
})
