import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../test/support/management.ts'
import { Fault, type FaultCode } from '../base/faults.ts'
import { STATUS } from './errors.ts'
import type { Area } from './server.ts'

const isCode = (text: string): text is FaultCode => text in STATUS

const throwing: Area = (app) => {
  for (const code of Object.keys(STATUS).filter(isCode)) {
    app.get(`/throw/${code}`, async () => {
      throw new Fault(code, 'a reason', 'notes')
    })
  }
  app.get('/throw/bug', async () => {
    throw new Error('secret inside /var/data')
  })
}

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement([throwing])
})
afterAll(() => server.stop())

test.each([
  ['GET', '/api/no-such-thing', 404],
  ['GET', '/nothing', 404],
  ['GET', '/api/sources/not-a-uuid', 404],
  ['GET', '/api/sources/0b8a3f52-6a8e-4f0e-9a57-3f1f5d1f7c12', 404],
  ['GET', '/api/sources/%', 400],
  ['GET', '/api/key-values?limit=many', 400],
] as const)('%s %s is %i with a JSON error', async (method, url, status) => {
  const answer = await server.call(method, url)
  expect(answer).toMatchObject({ status, json: { error: expect.any(String) } })
  expect(answer.headers['content-type']).toContain('application/json')
})

test('bodies that cannot be read are 400, 413 and 415 in JSON', async () => {
  const send = (payload: string, type: string) =>
    server.app.inject({
      method: 'POST',
      url: '/api/sources',
      headers: { 'x-api-key': server.token, 'content-type': type },
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
  const { json, ...answer } = await server.call('GET', `/throw/${code}`)
  expect(answer.status).toBe(status)
  expect(json.error).toContain(status === 500 ? 'Internal server error' : 'a reason')
  expect(answer.headers['retry-after']).toBe(status === 429 || status === 503 ? '3' : undefined)
})

test('an error of our own shows nothing of the inside and carries the request id', async () => {
  const { status, json, headers } = await server.call('GET', '/throw/bug')
  expect(status).toBe(500)
  expect(JSON.stringify(json)).not.toContain('secret inside')
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('the reference lists every code with its status', async () => {
  const text = await readFile(new URL('../../docs/reference/api-errors.md', import.meta.url), 'utf8')
  const listed = [...text.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, Number(status)])
  expect(Object.fromEntries(listed)).toEqual(STATUS)
})
