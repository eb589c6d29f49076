import { createServer } from 'node:net'
import * as grpc from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAccess } from '../../access/access.ts'
import { systemClock } from '../../base/clock.ts'
import { Fault } from '../../base/faults.ts'
import { openCatalog } from '../../catalog/catalog.ts'
import { createStoring } from '../../http/ingest/storing.ts'
import { decodeMessage, encodeMessage } from '../../ingest/formats/otlp/testing.ts'
import { createQuotas } from '../../ingest/quotas.ts'
import { asStored, createTrial, NOW_US } from '../../ingest/testing.ts'
import { createOtlpGrpcListener, type OtlpGrpcSettings } from './listener.ts'

const LOGS = 'opentelemetry.proto.collector.logs.v1.LogsService'
const resource = (service: string) => ({ attributes: [{ key: 'service.name', value: { stringValue: service } }] })
const logs = (service: string, ...logRecords: object[]) =>
  encodeMessage('LogsRequest', { resourceLogs: [{ resource: resource(service), scopeLogs: [{ logRecords }] }] })
const record = { timeUnixNano: `${NOW_US}000`, body: { stringValue: 'hi' } }

let stage: Awaited<ReturnType<typeof createStage>>
beforeEach(async () => {
  stage = await createStage()
})
afterEach(() => stage.stop())

async function createStage() {
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  const access = createAccess({ catalog, clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  const { value: token } = await catalog.tokens.create(account.id, { scopes: 'ingest' })
  const { value: reader } = await catalog.tokens.create(account.id, { scopes: 'query' })
  const app = await catalog.sources.create(account, { name: 'app' })
  const web = await catalog.sources.create(account, { name: 'web' })
  const trial = createTrial()
  for (const source of [app, web]) trial.schemas.of(source.token, {})
  const errors: unknown[] = []
  const door: { fault: Fault | null } = { fault: null }
  const onError = (error: unknown): void => void errors.push(error)
  const storing = createStoring({ access, accept: trial.accept, quotas: createQuotas({ rates: trial.rates }), onError })
  const assertOpen = (): void => {
    if (door.fault) throw door.fault
  }
  const create = (settings: OtlpGrpcSettings) =>
    createOtlpGrpcListener({ settings, access, storing, assertOpen, onError })
  const listener = create({ host: '127.0.0.1', port: 0, tls: null })
  const address = await listener.start()
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
    'grpc.default_compression_algorithm': 2,
    'grpc.max_send_message_length': -1,
  })
  const asIs = (bytes: Buffer): Buffer => bytes
  return {
    ...{ token, reader, app, web, door, errors, create, listener, trial },
    export: (body: Buffer, headers: Record<string, string> = {}, service = LOGS) =>
      new Promise<{ code: number; details: string; answer: Buffer | undefined; metadata: grpc.Metadata | null }>(
        (resolve) => {
          const metadata = new grpc.Metadata()
          for (const [name, value] of Object.entries({ 'x-api-key': token, ...headers })) metadata.set(name, value)
          client.makeUnaryRequest<Buffer, Buffer>(`/${service}/Export`, asIs, asIs, body, metadata, (error, answer) =>
            resolve({
              code: error?.code ?? 0,
              details: error?.details ?? '',
              answer,
              metadata: error?.metadata ?? null,
            }),
          )
        },
      ),
    stored: (source: { token: string }) => trial.rows(source.token).map(asStored),
    async stop() {
      client.close()
      await listener.stop()
      await access.stop()
      await catalog.stop()
    },
  }
}

test('logs, spans and points of gzipped calls are stored, by header or by service', async () => {
  const none = Buffer.alloc(0)
  expect(await stage.export(logs('web', record))).toMatchObject({ code: 0, answer: none })
  expect(await stage.export(logs('nobody', record, record), { 'x-source': stage.app.token })).toMatchObject({ code: 0 })
  const spans = [{ name: 'GET /', startTimeUnixNano: `${NOW_US}000` }]
  const traces = encodeMessage('TracesRequest', { resourceSpans: [{ scopeSpans: [{ spans }] }] })
  const trace = 'opentelemetry.proto.collector.trace.v1.TraceService'
  expect(
    await stage.export(traces, { 'x-source': 'app', authorization: `Bearer ${stage.token}` }, trace),
  ).toMatchObject({ code: 0 })
  const metrics = [{ name: 'load', gauge: { dataPoints: [{ timeUnixNano: `${NOW_US}000`, asDouble: 1.5 }] } }]
  const points = encodeMessage('MetricsRequest', { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })
  const metric = 'opentelemetry.proto.collector.metrics.v1.MetricsService'
  expect(await stage.export(points, { 'x-source': 'app' }, metric)).toMatchObject({ code: 0 })
  expect(await stage.export(none, { 'x-source': 'app' })).toMatchObject({ code: 0 })
  expect(stage.stored(stage.web)).toMatchObject([{ event_message: 'hi' }])
  expect(stage.stored(stage.app).map(({ event_message }) => event_message)).toEqual(['hi', 'hi', 'GET /', 'load'])
})

test('refused records are counted', async () => {
  const body = { arrayValue: { values: [{ arrayValue: { values: [{ intValue: 1 }] } }] } }
  const { answer } = await stage.export(logs('app', record, { body }))
  expect(decodeMessage('LogsResponse', answer ?? Buffer.alloc(0))).toMatchObject({ partialSuccess: { rejected: '1' } })
  expect(stage.stored(stage.app)).toHaveLength(1)
})

test('faults have the status and the sentence of HTTP', async () => {
  const body = logs('app', record)
  const { UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND, INVALID_ARGUMENT, RESOURCE_EXHAUSTED } = grpc.status
  expect(await stage.export(body, { 'x-api-key': 'wrong' })).toMatchObject({
    code: UNAUTHENTICATED,
    details: 'Unauthorized',
  })
  expect(await stage.export(body, { 'x-api-key': stage.reader })).toMatchObject({ code: PERMISSION_DENIED })
  expect(await stage.export(body, { 'x-source': 'no' })).toMatchObject({
    code: NOT_FOUND,
    details: 'There is no source no.',
  })
  expect(await stage.export(body.subarray(0, -2))).toMatchObject({
    code: INVALID_ARGUMENT,
    details: expect.stringMatching(/at byte \d+\.$/),
  })
  const large = logs('app', { body: { stringValue: 'x'.repeat(12_000_001) } })
  expect(await stage.export(large)).toMatchObject({ code: RESOURCE_EXHAUSTED })
  expect(stage.stored(stage.app)).toEqual([])
  expect(stage.errors).toEqual([])
})

test('who should come again is told when', async () => {
  for (const [fault, code] of [
    [new Fault('busy', 'Send again.'), grpc.status.RESOURCE_EXHAUSTED],
    [new Fault('unavailable', 'Shutting down.'), grpc.status.UNAVAILABLE],
  ] as const) {
    stage.door.fault = fault
    const told = await stage.export(logs('app', record))
    expect(told).toMatchObject({ code, details: fault.message })
    expect(String(told.metadata?.get('grpc-status-details-bin')[0])).toContain('google.rpc.RetryInfo')
  }
})

test('a stop waits for the call that is under way, and takes no more', async () => {
  const { journal } = stage.trial
  const append = journal.append.bind(journal)
  let release = (): void => {}
  const reached = new Promise<void>((arrived) => {
    journal.append = async (frames) => {
      arrived()
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return append(frames)
    }
  })
  const underWay = stage.export(logs('app', record))
  await reached
  const stopped = stage.listener.stop()
  expect(await stage.export(logs('app', record))).toMatchObject({ code: grpc.status.UNAVAILABLE })
  release()
  expect(await underWay).toMatchObject({ code: 0 })
  await stopped
  expect(stage.stored(stage.app)).toHaveLength(1)
})

test('a port that is taken is a fault of the set-up', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const second = stage.create({ host: '127.0.0.1', port, tls: null })
  await expect(second.start()).rejects.toMatchObject({
    code: 'setup',
    message: expect.stringContaining('already in use'),
  })
  await second.stop()
  await new Promise((resolve) => other.close(resolve))
})

test('certificates that cannot be read are a fault of the set-up', async () => {
  const tls = { certFile: 'no such file', keyFile: 'no such file' }
  await expect(stage.create({ host: '127.0.0.1', port: 0, tls }).start()).rejects.toMatchObject({ code: 'setup' })
})
