import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('a source is made, read, changed, listed and deleted', async () => {
  const made = await server.call('POST', '/api/sources', { name: ' web ', labels: 'a = b', service_name: '' })
  expect(made).toMatchObject({
    status: 201,
    json: { name: 'web', labels: 'a=b', service_name: null, retention_days: 7, lock_schema: false, backends: [] },
  })
  expect(made.json).not.toHaveProperty('account_id')
  expect(server.world.changed.at(-1)).toMatchObject({ name: 'web' })
  const url = `/api/sources/${made.json.token}`
  expect(await server.call('GET', url)).toMatchObject({ status: 200, json: made.json })
  expect(await server.call('PUT', url, { description: 'site' })).toMatchObject({
    status: 200,
    json: { description: 'site', name: 'web' },
  })
  expect(await server.call('PATCH', url, { favorite: true })).toMatchObject({ status: 204, json: null })
  expect((await server.call('GET', '/api/sources')).json[0]).toMatchObject({ name: 'web', favorite: true })
  expect(await server.call('DELETE', url)).toMatchObject({ status: 204, json: null })
  expect(server.world.deleted.at(-1)).toMatchObject({ name: 'web' })
  for (const method of ['GET', 'DELETE'] as const) expect((await server.call(method, url)).status).toBe(404)
  expect((await server.call('PUT', url, { favorite: true })).status).toBe(404)
})

test('a record that was read can be sent back as it is', async () => {
  const source = await server.newSource({ slack_hook_url: 'https://hooks.example.test/x', notifications_every: 60_000 })
  const { updated_at, ...same } = source
  expect(await server.call('PUT', `/api/sources/${source.token}`, source)).toMatchObject({ status: 200, json: same })
})

test('a source may choose its token', async () => {
  const token = '0B8A3F52-6A8E-4F0E-9A57-3F1F5D1F7C11'
  const made = await server.newSource({ token })
  expect(made.token).toBe(token.toLowerCase())
  expect((await server.call('GET', `/api/sources/${token}`)).status).toBe(200)
  expect((await server.call('POST', '/api/sources', { name: 'again', token })).json).toEqual({
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
  [{ name: 'x', drop_lql_string: '"open' }, { drop_lql_string: [expect.stringContaining('position 0')] }],
  [{ name: 'x', token: 'no uuid' }, { token: ['is invalid'] }],
])('422: %j', async (body, errors) => {
  expect(await server.call('POST', '/api/sources', body)).toMatchObject({ status: 422, json: { errors } })
})

test('a bad rule line is refused by number and leaves the source as it was', async () => {
  const { token } = await server.newSource()
  const answer = await server.call('PUT', `/api/sources/${token}`, { transform_copy_fields: 'x:y\nx:new-name' })
  expect(answer.status).toBe(422)
  expect(answer.json.errors.transform_copy_fields).toEqual([expect.stringContaining('line 2: "x:new-name"')])
  expect((await server.call('GET', `/api/sources/${token}`)).json.transform_copy_fields).toBeNull()
})

test('a duplicate name is refused', async () => {
  const { name } = await server.newSource()
  expect(await server.call('POST', '/api/sources', { name })).toMatchObject({
    status: 422,
    json: { errors: { name: ['has already been taken'] } },
  })
})

test('the schema has the standard fields, nests objects and hides what the service adds', async () => {
  const { token, name } = await server.newSource()
  const dot = `/api/sources/${token}/schema?variant=dot`
  const standard = { id: 'string', timestamp: 'datetime', event_message: 'string' }
  expect((await server.call('GET', dot)).json).toEqual(standard)
  server.world.fields = {
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
  expect((await server.call('GET', dot)).json).toEqual({
    ...standard,
    qty: 'integer',
    tags: 'string[]',
    'metadata.ok': 'boolean',
    'items.w': 'float',
  })
  expect((await server.call('GET', `/api/sources/${token}/schema`)).json).toEqual({
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
  const { token, id } = await server.newSource()
  const recent = await server.call('GET', `/api/sources/${token}/recent`)
  expect(recent).toMatchObject({ status: 200, json: [{ id: '1' }] })
  expect(recent.headers['content-type']).toBe('application/json; charset=utf-8')
  const rejected = { at: '2026-11-15T00:00:00.000Z', reason: 'too deep', event: { a: 1 } }
  await server.catalog.rejected.add(id, [rejected])
  expect((await server.call('GET', `/api/sources/${token}/rejected`)).json).toEqual([rejected])
})

test.each([
  [{ colour: 'red' }, { 'notifications.colour': ['is not a known field'] }],
  [{ emails: ['nobody'] }, { 'notifications.emails.0': ['is not an e-mail address'] }],
  [{ webhook_url: 'ftp://x' }, { 'notifications.webhook_url': ['must be an http or https address'] }],
  [{ every_minutes: 0 }, { 'notifications.every_minutes': ['must be at least 1'] }],
  [{ patterns: [{ name: 'a', lql: '(' }] }, { 'notifications.patterns.0.lql': [expect.any(String)] }],
  [{ patterns: [{ lql: 'x' }] }, { 'notifications.patterns.0.name': ["can't be blank"] }],
  [
    { patterns: [{ name: 'a', lql: 'x', threshold: 0, window_minutes: 61 }] },
    {
      'notifications.patterns.0.threshold': ['must be at least 1'],
      'notifications.patterns.0.window_minutes': ['must be at most 60'],
    },
  ],
  [{ patterns: Array(2).fill({ name: 'a', lql: 'x' }) }, { 'notifications.patterns': ['have the same name'] }],
])('notifications %j are refused with 422', async (notifications, errors) => {
  const { token } = await server.newSource()
  expect(await server.call('PATCH', `/api/sources/${token}`, { notifications })).toMatchObject({
    status: 422,
    json: { errors },
  })
})

test('notifications are read back with their defaults, and so are the fields of tools for earlier services', async () => {
  const earlier = { team_user_ids_for_email: ['3'], other_email_notifications: null, user_email_notifications: true }
  const { token } = await server.newSource()
  const sent = { notifications: { errors: true, patterns: [{ name: 'a', lql: 'x' }], ...earlier } }
  expect((await server.call('PUT', `/api/sources/${token}`, sent)).json.notifications).toEqual({
    ...{ emails: [], webhook_url: null, slack_hook_url: null, schema_changes: false, errors: true, every_minutes: 10 },
    patterns: [{ name: 'a', lql: 'x', threshold: 1, window_minutes: 10 }],
    ...earlier,
  })
})
