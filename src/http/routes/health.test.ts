import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('health always answers, ready only while it is', async () => {
  expect(await server.call('GET', '/health', undefined, '')).toMatchObject({
    status: 200,
    json: { status: 'ok', version: '0' },
  })
  expect((await server.call('GET', '/ready', undefined, '')).status).toBe(200)
  server.world.state = 'draining'
  expect(await server.call('GET', '/ready', undefined, '')).toMatchObject({ status: 503, json: { state: 'draining' } })
  const metrics = await server.app.inject('/metrics')
  expect(metrics.body).toContain('events_total 4')
  expect(metrics.headers['content-type']).toContain('text/plain')
})
