import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('what is not HTTP gets a JSON 400, and an aborted upload harms nobody', async () => {
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  const address = server.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const broken = connect(address.port, '127.0.0.1')
  broken.end('NONSENSE\r\n\r\n')
  let answer = ''
  broken.on('data', (chunk) => (answer += chunk))
  await once(broken, 'close')
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*\{"error":"/s)
  const aborted = connect(address.port, '127.0.0.1')
  aborted.write(
    `POST /api/sources HTTP/1.1\r\nhost: x\r\nx-api-key: ${server.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"na`,
  )
  await once(aborted, 'connect')
  aborted.destroy()
  await once(aborted, 'close')
  const health = await fetch(`http://127.0.0.1:${address.port}/health`)
  expect(health.status).toBe(200)
})

test('JSON is taken under each of its content types', async () => {
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json']) {
    const headers = { 'x-api-key': server.token, 'content-type': type }
    const payload = JSON.stringify({ name: `as ${type}` })
    const { statusCode } = await server.app.inject({ method: 'POST', url: '/api/sources', headers, payload })
    expect([type, statusCode]).toEqual([type, 201])
  }
})
