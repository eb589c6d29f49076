/** OTLP against the running service: protobuf over HTTP and gRPC, and out again to a receiver. */
import { createServer } from 'node:net'
import * as grpc from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { portOf, startHttpReceiver } from '../src/backends/testing.ts'
import { encodeMessage } from '../src/ingest/formats/otlp/testing.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let port: number
beforeAll(async () => {
  receiver = await startHttpReceiver()
  port = await freePort()
  service = await startService({ env: { MILLRACE_OTLP_GRPC_PORT: String(port) } })
}, 60_000)
afterAll(async () => {
  await service?.remove()
  await receiver?.stop()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const free = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return free
}

type Json = ReturnType<typeof JSON.parse>

async function call(method: string, path: string, body?: object): Promise<Json> {
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
  const text = await (await service.fetch(path, { method, ...init })).text()
  return text ? JSON.parse(text) : null
}

const request = (message: string) => {
  const logRecords = [{ timeUnixNano: `${Date.now()}000000`, severityNumber: 17, body: { stringValue: message } }]
  return encodeMessage('LogsRequest', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
}

test('records that come over HTTP and gRPC are stored, and leave over OTLP', async () => {
  const { token } = await call('POST', '/api/sources', { name: 'shop' })
  const config = { endpoint: `${receiver.url}/v1/logs` }
  const backend = await call('POST', '/api/backends', { name: 'out', type: 'otlp', config })
  expect(await call('POST', `/api/backends/${backend.token}/test`)).toEqual({ 'connected?': true })
  await call('POST', `/api/sources/${token}/backends/${backend.token}`)

  const sent = await service.fetch('/v1/logs', {
    method: 'POST',
    body: new Uint8Array(request('over http')),
    headers: { 'content-type': 'application/x-protobuf', 'x-source': 'shop' },
  })
  expect([sent.status, (await sent.bytes()).length]).toEqual([200, 0])

  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure())
  const metadata = new grpc.Metadata()
  metadata.set('x-api-key', service.managementToken)
  metadata.set('x-source', 'shop')
  const asIs = (bytes: Buffer): Buffer => bytes
  const path = '/opentelemetry.proto.collector.logs.v1.LogsService/Export'
  const failure = await new Promise((resolve) => {
    client.makeUnaryRequest<Buffer, Buffer>(path, asIs, asIs, request('over grpc'), metadata, resolve)
  })
  expect(failure).toBeNull()
  client.close()

  await until(async () => (await call('GET', `/api/sources/${token}/recent`)).length === 2)
  const recent: Json[] = await call('GET', `/api/sources/${token}/recent`)
  expect(recent.map(({ event_message }) => event_message).sort()).toEqual(['over grpc', 'over http'])
  expect(recent[0]).toMatchObject({ severity_number: 17, metadata: { type: 'otel_log' } })

  const out = (): string => receiver.taken.map(({ body }) => body).join('\n')
  await until(() => out().includes('"eventName":"over http"') && out().includes('"eventName":"over grpc"'))
}, 60_000)

test('a stop ends the listener too', async () => {
  expect(await service.kill('SIGTERM')).toBe(0)
}, 30_000)
