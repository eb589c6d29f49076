import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('a token is shown once, used, and refused after it was revoked', async () => {
  const made = await server.call('POST', '/api/access-tokens', { description: 'ci', scopes: 'private', token: 'mine' })
  expect(made).toMatchObject({ status: 201, json: { description: 'ci', scopes: 'management', last_used_at: null } })
  const { token, ...record } = made.json
  expect(token).toMatch(/^mr_/)
  expect((await server.call('GET', '/api/account', undefined, token)).status).toBe(200)
  expect((await server.call('GET', '/api/access-tokens')).json).toContainEqual(record)
  expect((await server.call('DELETE', `/api/access-tokens/${record.id}`)).status).toBe(204)
  expect(await server.call('GET', '/api/account', undefined, token)).toMatchObject({
    status: 401,
    json: { error: 'Unauthorized' },
  })
  expect((await server.call('DELETE', `/api/access-tokens/${token}`)).status).toBe(204)
  expect((await server.call('DELETE', '/api/access-tokens/999999')).status).toBe(404)
  expect((await server.call('POST', '/api/access-tokens')).json).toMatchObject({ scopes: 'ingest', description: null })
  expect(await server.call('POST', '/api/access-tokens', { scopes: 'ingest root' })).toMatchObject({
    status: 422,
    json: { errors: { scopes: ['contains unrecognized scope'] } },
  })
})

test('no or a wrong token is 401 before the body is read, a narrow one 403 naming the scope', async () => {
  expect(await server.call('GET', '/api/sources', undefined, '')).toMatchObject({
    status: 401,
    json: { error: 'Unauthorized' },
  })
  expect((await server.call('POST', '/api/sources', '{broken', 'wrong')).status).toBe(401)
  const { json } = await server.call('POST', '/api/access-tokens', { scopes: 'ingest query' })
  for (const url of ['/api/sources', '/api/key-values', '/api/accounts', '/api/account']) {
    expect(await server.call('GET', url, undefined, json.token)).toMatchObject({
      status: 403,
      json: { error: expect.stringContaining('management') },
    })
  }
})
