import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Access, createAccess } from '../access/access.ts'
import { systemClock } from '../base/clock.ts'
import { Fault, type FaultCode } from '../base/faults.ts'
import { createMetrics } from '../base/metrics.ts'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Source } from '../model/source.ts'
import { serviceHeader } from './aliases.ts'
import { allowBrowsers } from './cors.ts'
import { STATUS } from './errors.ts'
import { createServer } from './server.ts'

let catalog: Catalog
let access: Access
let app: FastifyInstance
let management: string
let state: 'starting' | 'ready' | 'draining' = 'ready'
let flat: FlatFields = {}
const changed: Source[] = []
const deleted: Source[] = []

beforeAll(async () => {
  catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  access = createAccess({ catalog, clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  management = (await catalog.tokens.create(account.id, { scopes: 'management' })).value
  const metrics = createMetrics()
  metrics.counter('events_total', 'Events').value = 4
  app = createServer({
    access,
    catalog,
    metrics,
    sourceMetrics: { of: () => ({ rate: 0, avg: 0, max: 0, total: 0, rejected: 0, fields: 0, bytes: 0 }) },
    backends: { of: async () => [] },
    schemas: { flat: () => flat },
    warehouse: { recent: async () => '[{"id":"1"}]' },
    lql: { problem: (text) => (text.startsWith('"') ? 'the quote is never closed' : null) },
    health: () => ({ state, details: { version: '0' } }),
    onSourceChanged: (source) => void changed.push(source),
    onSourceDeleted: (source) => void deleted.push(source),
    areas: [
      (scope) => {
        allowBrowsers(scope, { paths: ['/api/logs'], methods: ['POST'] })
        scope.post('/api/logs/edge', async () => ({ at: 'edge' }))
        scope.get('/throw/:code', async (request) => {
          const { code } = request.params as { code: FaultCode | 'bug' }
          if (code === 'bug') throw new Error('secret inside /var/data')
          throw new Fault(code, 'a reason', 'notes')
        })
      },
    ],
  })
  await app.ready()
})
afterAll(async () => {
  await app.close()
  await access.stop()
  await catalog.stop()
})
afterEach(() => {
  state = 'ready'
  flat = {}
})

type Body = NonNullable<InjectOptions['payload']>

async function call(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: Body, token = management) {
  const headers = token === '' ? {} : { 'x-api-key': token }
  const response = await app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) })
  return { status: response.statusCode, json: response.body ? response.json() : null, headers: response.headers }
}

const newSource = async (fields: object = {}) =>
  (await call('POST', '/api/sources', { name: `source ${Math.random()}`, ...fields })).json

test('a source is made, read, changed, listed and deleted', async () => {
  const made = await call('POST', '/api/sources', { name: ' web ', labels: 'a = b', service_name: '' })
  expect(made).toMatchObject({
    status: 201,
    json: { name: 'web', labels: 'a=b', service_name: null, retention_days: 7, lock_schema: false, backends: [] },
  })
  expect(made.json).not.toHaveProperty('account_id')
  expect(changed.at(-1)).toMatchObject({ name: 'web' })
  const url = `/api/sources/${made.json.token}`
  expect(await call('GET', url)).toMatchObject({ status: 200, json: made.json })
  expect(await call('PUT', url, { description: 'site' })).toMatchObject({
    status: 200,
    json: { description: 'site', name: 'web' },
  })
  expect(await call('PATCH', url, { favorite: true })).toMatchObject({ status: 204, json: null })
  expect((await call('GET', '/api/sources')).json[0]).toMatchObject({ name: 'web', favorite: true })
  expect(await call('DELETE', url)).toMatchObject({ status: 204, json: null })
  expect(deleted.at(-1)).toMatchObject({ name: 'web' })
  for (const method of ['GET', 'DELETE'] as const) expect((await call(method, url)).status).toBe(404)
  expect((await call('PUT', url, { favorite: true })).status).toBe(404)
})

test('a record that was read can be sent back as it is', async () => {
  const source = await newSource({ slack_hook_url: 'https://hooks.example.test/x', notifications_every: 60_000 })
  const { updated_at, ...same } = source
  expect(await call('PUT', `/api/sources/${source.token}`, source)).toMatchObject({ status: 200, json: same })
})

test('a source may choose its token', async () => {
  const token = '0B8A3F52-6A8E-4F0E-9A57-3F1F5D1F7C11'
  const made = await newSource({ token })
  expect(made.token).toBe(token.toLowerCase())
  expect((await call('GET', `/api/sources/${token}`)).status).toBe(200)
  expect((await call('POST', '/api/sources', { name: 'again', token })).json).toEqual({
    errors: { token: ['has already been taken'] },
  })
})

test.each([
  [{}, { name: ["can't be blank"] }],
  [{ name: '  ' }, { name: ["can't be blank"] }],
  [{ name: 7 }, { name: ['is invalid'] }],
  [{ name: 'a\0b' }, { name: ['is invalid'] }],
  [
    { name: 'x', colour: 'red', size: 1 },
    { colour: ['is not a known field'], size: ['is not a known field'] },
  ],
  [{ name: 'x', retention_days: 0 }, { retention_days: ['must be at least 1'] }],
  [{ name: 'x', retention_days: 3651 }, { retention_days: ['must be at most 3650'] }],
  [{ name: 'x', retention_days: 1.5 }, { retention_days: ['is invalid'] }],
  [{ name: 'x', lock_schema: 'yes' }, { lock_schema: ['is invalid'] }],
  [{ name: 'x', labels: 'a' }, { labels: ['each label must be in key=value format'] }],
  [{ name: 'x', labels: 'a=b=c' }, { labels: ["each label must have exactly one '=' sign"] }],
  [{ name: 'x', labels: '=b' }, { labels: ['each label must have a non-empty key'] }],
  [{ name: 'x', labels: 'a=' }, { labels: ['each label must have a non-empty value'] }],
  [{ name: 'x', transform_drop_fields: 'id' }, { transform_drop_fields: ['cannot drop reserved fields: id'] }],
  [{ name: 'x', drop_lql_string: '"open' }, { drop_lql_string: ['the quote is never closed'] }],
  [{ name: 'x', token: 'no uuid' }, { token: ['is invalid'] }],
])('422: %j', async (body, errors) => {
  expect(await call('POST', '/api/sources', body)).toMatchObject({ status: 422, json: { errors } })
})

test('a bad rule line is refused by number and leaves the source as it was', async () => {
  const { token } = await newSource()
  const answer = await call('PUT', `/api/sources/${token}`, { transform_copy_fields: 'x:y\nx:new-name' })
  expect(answer.status).toBe(422)
  expect(answer.json.errors.transform_copy_fields).toEqual([expect.stringContaining('line 2: "x:new-name"')])
  expect((await call('GET', `/api/sources/${token}`)).json.transform_copy_fields).toBeNull()
})

test('a duplicate name is refused', async () => {
  const { name } = await newSource()
  expect(await call('POST', '/api/sources', { name })).toMatchObject({
    status: 422,
    json: { errors: { name: ['has already been taken'] } },
  })
})

test('the schema has the standard fields, nests objects and hides what the service adds', async () => {
  const { token, name } = await newSource()
  const dot = `/api/sources/${token}/schema?variant=dot`
  const standard = { id: 'string', timestamp: 'datetime', event_message: 'string' }
  expect((await call('GET', dot)).json).toEqual(standard)
  flat = {
    qty: 'integer',
    tags: 'string[]',
    metadata: 'object',
    'metadata.ok': 'boolean',
    items: 'object[]',
    'items.w': 'float',
    _unfit: 'object',
    '_unfit.qty': 'string',
    _unlisted: 'string',
  }
  expect((await call('GET', dot)).json).toEqual({
    ...standard,
    qty: 'integer',
    tags: 'string[]',
    'metadata.ok': 'boolean',
    'items.w': 'float',
  })
  expect((await call('GET', `/api/sources/${token}/schema`)).json).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `/api/sources/${token}/schema`,
    title: name,
    type: 'object',
    properties: {
      id: { type: 'string' },
      timestamp: { type: 'number' },
      event_message: { type: 'string' },
      qty: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      metadata: { type: 'object', properties: { ok: { type: 'boolean' } } },
      items: { type: 'array', items: { type: 'object', properties: { w: { type: 'number' } } } },
    },
  })
})

test('recent and rejected events of a source', async () => {
  const { token, id } = await newSource()
  const recent = await call('GET', `/api/sources/${token}/recent`)
  expect(recent).toMatchObject({ status: 200, json: [{ id: '1' }] })
  expect(recent.headers['content-type']).toBe('application/json; charset=utf-8')
  const rejected = { at: '2026-11-15T00:00:00.000Z', reason: 'too deep', event: { a: 1 } }
  await catalog.rejected.add(id, [rejected])
  expect((await call('GET', `/api/sources/${token}/rejected`)).json).toEqual([rejected])
})

test('a token is shown once, used, and refused after it was revoked', async () => {
  const made = await call('POST', '/api/access-tokens', { description: 'ci', scopes: 'private', token: 'mine' })
  expect(made).toMatchObject({ status: 201, json: { description: 'ci', scopes: 'management', last_used_at: null } })
  const { token, ...record } = made.json
  expect(token).toMatch(/^mr_/)
  expect((await call('GET', '/api/account', undefined, token)).status).toBe(200)
  expect((await call('GET', '/api/access-tokens')).json).toContainEqual(record)
  expect((await call('DELETE', `/api/access-tokens/${record.id}`)).status).toBe(204)
  expect(await call('GET', '/api/account', undefined, token)).toMatchObject({
    status: 401,
    json: { error: 'Unauthorized' },
  })
  expect((await call('DELETE', `/api/access-tokens/${token}`)).status).toBe(204)
  expect((await call('DELETE', '/api/access-tokens/999999')).status).toBe(404)
  expect((await call('POST', '/api/access-tokens')).json).toMatchObject({ scopes: 'ingest', description: null })
  expect(await call('POST', '/api/access-tokens', { scopes: 'ingest root' })).toMatchObject({
    status: 422,
    json: { errors: { scopes: ['contains unrecognized scope'] } },
  })
})

test('no or a wrong token is 401 before the body is read, a narrow one 403 naming the scope', async () => {
  expect(await call('GET', '/api/sources', undefined, '')).toMatchObject({
    status: 401,
    json: { error: 'Unauthorized' },
  })
  expect((await call('POST', '/api/sources', '{broken', 'wrong')).status).toBe(401)
  const { json } = await call('POST', '/api/access-tokens', { scopes: 'ingest query' })
  for (const url of ['/api/sources', '/api/key-values', '/api/accounts', '/api/account']) {
    expect(await call('GET', url, undefined, json.token)).toMatchObject({
      status: 403,
      json: { error: expect.stringContaining('management') },
    })
  }
})

test('accounts are managed by the first one and never see each other', async () => {
  const made = await call('POST', '/api/accounts', { name: 'tenant', plan: 'metered' })
  expect(made).toMatchObject({ status: 201, json: { name: 'tenant', plan: 'metered' } })
  const tenant = made.json.management_token
  expect((await call('GET', '/api/account', undefined, tenant)).json).toEqual({
    token: made.json.token,
    name: 'tenant',
    plan: 'metered',
    inserted_at: made.json.inserted_at,
  })
  expect((await call('GET', '/api/accounts', undefined, tenant)).status).toBe(403)
  expect((await call('GET', '/api/accounts')).json.map((one: { name: string }) => one.name)).toContain('tenant')
  const mine = await newSource()
  expect((await call('GET', '/api/sources', undefined, tenant)).json).toEqual([])
  expect((await call('GET', `/api/sources/${mine.token}`, undefined, tenant)).status).toBe(404)
  expect((await call('POST', '/api/sources', { name: mine.name }, tenant)).status).toBe(201)
  expect((await call('DELETE', `/api/accounts/${made.json.token}`)).status).toBe(204)
  expect(deleted.at(-1)).toMatchObject({ name: mine.name })
  expect((await call('GET', '/api/account', undefined, tenant)).status).toBe(401)
  const owner = (await call('GET', '/api/account')).json.token
  expect((await call('DELETE', `/api/accounts/${owner}`)).status).toBe(409)
})

test('key-values are written, listed and removed', async () => {
  const entries = [
    { key: 'c1', value: { org: { id: 1 } } },
    { key: 'c2', value: { org: { id: 2 } } },
    { key: 'c3', value: { org: { id: 2 } } },
  ]
  expect(await call('POST', '/api/key-values', entries)).toMatchObject({ status: 201, json: { inserted_count: 3 } })
  expect((await call('POST', '/api/key-values', { key: 'c0', value: { a: 1 } })).json).toEqual({ inserted_count: 1 })
  expect((await call('GET', '/api/key-values?key=c1')).json).toMatchObject([entries[0]!])
  expect((await call('GET', '/api/key-values?limit=1&after=c1')).json).toMatchObject([entries[1]!])
  const removal = { values: [2], accessor: '$.org.id' }
  expect(await call('DELETE', '/api/key-values', removal)).toMatchObject({ status: 200, json: { deleted_count: 2 } })
  expect((await call('DELETE', '/api/key-values', { keys: ['c0', 'c1', 'c9'] })).json).toEqual({ deleted_count: 2 })
  expect((await call('DELETE', '/api/key-values', {})).json).toEqual({ deleted_count: 0 })
})

test.each([
  [[{ key: '', value: { a: 1 } }], { '0.key': ["can't be blank"] }],
  [[{ key: 'k', value: 'text' }], { '0.value': ['is invalid'] }],
  [[{ key: 'k', value: {} }], { '0.value': ["can't be blank"] }],
  [{ key: 'k' }, { '0.value': ["can't be blank"] }],
])('key-values refuse %j', async (body, errors) => {
  expect(await call('POST', '/api/key-values', body)).toMatchObject({ status: 422, json: { errors } })
})

test.each([
  ['GET', '/api/no-such-thing', 404],
  ['GET', '/nothing', 404],
  ['GET', '/api/sources/not-a-uuid', 404],
  ['GET', '/api/sources/0b8a3f52-6a8e-4f0e-9a57-3f1f5d1f7c12', 404],
  ['GET', '/api/sources/%', 400],
  ['GET', '/api/key-values?limit=many', 400],
] as const)('%s %s is %i with a JSON error', async (method, url, status) => {
  const answer = await call(method, url)
  expect(answer).toMatchObject({ status, json: { error: expect.any(String) } })
  expect(answer.headers['content-type']).toContain('application/json')
})

test('bodies that cannot be read are 400, 413 and 415 in JSON', async () => {
  const send = (payload: string, type: string) =>
    app.inject({
      method: 'POST',
      url: '/api/sources',
      headers: { 'x-api-key': management, 'content-type': type },
      payload,
    })
  for (const [payload, type, status] of [
    ['{"name":', 'application/json', 400],
    ['[1]', 'application/json', 400],
    ['{"__proto__":{"name":"x"}}', 'application/json', 400],
    ['<a/>', 'application/xml', 415],
    [`{"name":"${'x'.repeat(12_000_001)}"}`, 'application/json', 413],
  ] as const) {
    const response = await send(payload, type)
    expect([response.statusCode, response.json()]).toEqual([status, { error: expect.any(String) }])
  }
})

test.each(Object.entries(STATUS))('a fault %s is answered %i', async (code, status) => {
  const { json, ...answer } = await call('GET', `/throw/${code}`)
  expect(answer.status).toBe(status)
  expect(json.error).toContain(status === 500 ? 'Internal server error' : 'a reason')
  expect(answer.headers['retry-after']).toBe(status === 429 || status === 503 ? '3' : undefined)
})

test('an error of our own shows nothing of the inside and carries the request id', async () => {
  const { status, json, headers } = await call('GET', '/throw/bug')
  expect(status).toBe(500)
  expect(JSON.stringify(json)).not.toContain('secret inside')
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('health always answers, ready only while it is', async () => {
  expect(await call('GET', '/health', undefined, '')).toMatchObject({
    status: 200,
    json: { status: 'ok', version: '0' },
  })
  expect((await call('GET', '/ready', undefined, '')).status).toBe(200)
  state = 'draining'
  expect(await call('GET', '/ready', undefined, '')).toMatchObject({ status: 503, json: { state: 'draining' } })
  const metrics = await app.inject('/metrics')
  expect(metrics.body).toContain('events_total 4')
  expect(metrics.headers['content-type']).toContain('text/plain')
})

test('the API is described, and its page asks no other host', async () => {
  const { json } = await call('GET', '/api/openapi.json', undefined, '')
  expect(json.openapi).toBe('3.1.0')
  expect(Object.keys(json.paths['/api/sources/{token}'])).toEqual(['get', 'put', 'patch', 'delete'])
  const create = json.paths['/api/sources'].post.requestBody.content['application/json'].schema
  expect(create.required).toEqual(['name'])
  expect(create.properties.retention_days).toMatchObject({ minimum: 1, maximum: 3650 })
  const page = await app.inject('/docs')
  expect(page.body).not.toMatch(/https?:/)
  for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect([asset, (await app.inject(asset!)).statusCode]).toEqual([asset, 200])
  }
  expect((await app.inject('/docs/assets/package.json')).statusCode).toBe(404)
})

test('older addresses and headers lead to the present ones', async () => {
  for (const url of ['/logs/cloudflare?source=x', '/api/events/edge', '/api/logs/cloudflare']) {
    expect((await app.inject({ method: 'POST', url })).json()).toEqual({ at: 'edge' })
  }
  expect((await app.inject('/api/openapi')).json()).toHaveProperty('openapi')
  const redirect = await app.inject('/swaggerui')
  expect([redirect.statusCode, redirect.headers.location]).toEqual([302, '/docs'])
  expect(serviceHeader({ 'lf-endpoint-version': '2' }, 'endpoint-version')).toBe('2')
  expect(serviceHeader({ 'svc-endpoint-version': '3', 'lf-endpoint-version': '2' }, 'endpoint-version')).toBe('3')
  expect(serviceHeader({ 'lf-endpoint-bigquery-reservation': 'r' }, 'endpoint-warehouse-reservation')).toBe('r')
})

test('a preflight needs no token', async () => {
  for (const url of ['/api/logs', '/logs']) {
    const { statusCode, headers } = await app.inject({ method: 'OPTIONS', url, headers: { origin: 'https://a.test' } })
    expect(statusCode).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST,OPTIONS',
      'access-control-max-age': '1728000',
      'access-control-allow-headers': expect.stringContaining('X-API-KEY'),
    })
  }
})

test('what is not HTTP gets a JSON 400, and an aborted upload harms nobody', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const broken = connect(address.port, '127.0.0.1')
  broken.end('NONSENSE\r\n\r\n')
  let answer = ''
  broken.on('data', (chunk) => (answer += chunk))
  await once(broken, 'close')
  expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*\{"error":"/)
  const aborted = connect(address.port, '127.0.0.1')
  aborted.write(
    `POST /api/sources HTTP/1.1\r\nhost: x\r\nx-api-key: ${management}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"na`,
  )
  await once(aborted, 'connect')
  aborted.destroy()
  await once(aborted, 'close')
  const health = await fetch(`http://127.0.0.1:${address.port}/health`)
  expect(health.status).toBe(200)
})
