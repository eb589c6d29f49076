import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../test/support/management.ts'
import { serviceHeader } from './aliases.ts'
import type { Area } from './server.ts'

const edge: Area = (app) => {
  app.post('/api/logs/edge', async () => ({ at: 'edge' }))
}

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement([edge])
})
afterAll(() => server.stop())

test('older addresses and headers lead to the present ones', async () => {
  for (const url of ['/logs/cloudflare?source=x', '/api/events/edge', '/api/logs/cloudflare']) {
    expect((await server.app.inject({ method: 'POST', url })).json()).toEqual({ at: 'edge' })
  }
  expect((await server.app.inject('/api/openapi')).json()).toHaveProperty('openapi')
  const redirect = await server.app.inject('/swaggerui')
  expect([redirect.statusCode, redirect.headers.location]).toEqual([302, '/docs'])
  expect(serviceHeader({ 'lf-endpoint-version': '2' }, 'endpoint-version')).toBe('2')
  expect(serviceHeader({ 'svc-endpoint-version': '3', 'lf-endpoint-version': '2' }, 'endpoint-version')).toBe('3')
  expect(serviceHeader({ 'lf-endpoint-bigquery-reservation': 'r' }, 'endpoint-warehouse-reservation')).toBe('r')
})
