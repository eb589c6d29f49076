import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../test/support/management.ts'
import { allowBrowsers } from './cors.ts'
import type { Area } from './server.ts'

const open: Area = (app) => allowBrowsers(app, { paths: ['/api/logs'], methods: ['POST'] })

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement([open])
})
afterAll(() => server.stop())

test('a preflight needs no token', async () => {
  for (const url of ['/api/logs', '/logs']) {
    const { statusCode, headers } = await server.app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://a.test' },
    })
    expect(statusCode).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST,OPTIONS',
      'access-control-max-age': '1728000',
      'access-control-allow-headers': expect.stringContaining('X-API-KEY'),
    })
  }
})
