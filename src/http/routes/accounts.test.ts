import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('accounts are managed by the first one and never see each other', async () => {
  const made = await server.call('POST', '/api/accounts', { name: 'tenant', plan: 'metered' })
  expect(made).toMatchObject({ status: 201, json: { name: 'tenant', plan: 'metered' } })
  const tenant = made.json.management_token
  expect((await server.call('GET', '/api/account', undefined, tenant)).json).toEqual({
    token: made.json.token,
    name: 'tenant',
    plan: 'metered',
    inserted_at: made.json.inserted_at,
  })
  expect((await server.call('GET', '/api/accounts', undefined, tenant)).status).toBe(403)
  expect((await server.call('GET', '/api/accounts')).json.map((one: { name: string }) => one.name)).toContain('tenant')
  const mine = await server.newSource()
  expect((await server.call('GET', '/api/sources', undefined, tenant)).json).toEqual([])
  expect((await server.call('GET', `/api/sources/${mine.token}`, undefined, tenant)).status).toBe(404)
  expect((await server.call('POST', '/api/sources', { name: mine.name }, tenant)).status).toBe(201)
  expect((await server.call('DELETE', `/api/accounts/${made.json.token}`)).status).toBe(204)
  expect(server.world.deleted.at(-1)).toMatchObject({ name: mine.name })
  expect((await server.call('GET', '/api/account', undefined, tenant)).status).toBe(401)
  const owner = (await server.call('GET', '/api/account')).json.token
  expect((await server.call('DELETE', `/api/accounts/${owner}`)).status).toBe(409)
})
