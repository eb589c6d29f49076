import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('the API is described, and its page asks no other host', async () => {
  const { json } = await server.call('GET', '/api/openapi.json', undefined, '')
  expect(json.openapi).toBe('3.1.0')
  expect(Object.keys(json.paths['/api/sources/{token}'])).toEqual(['get', 'put', 'patch', 'delete'])
  const create = json.paths['/api/sources'].post.requestBody.content['application/json'].schema
  expect(create.required).toEqual(['name'])
  expect(create.properties.retention_days).toMatchObject({ minimum: 1, maximum: 3650 })
  const page = await server.app.inject('/docs')
  expect(page.body).not.toMatch(/https?:/)
  for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect([asset, (await server.app.inject(asset!)).statusCode]).toEqual([asset, 200])
  }
  expect((await server.app.inject('/docs/assets/package.json')).statusCode).toBe(404)
})
