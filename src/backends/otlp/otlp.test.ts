import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { uuid7 } from '../../base/ids.ts'
import { decodeMessage, encodeMessage } from '../../ingest/formats/otlp/testing.ts'
import type { StoredEvent } from '../../model/event-of-row.ts'
import { kindOf, settleConfig } from '../backends.ts'
import { portOf, startHttpReceiver, startWorld, until } from '../testing.ts'
import { encode } from './encode.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const source = {
  token: '00000000-0000-4000-8000-000000000001',
  name: 'web',
  serviceName: 'shop',
  retentionDays: 7,
  fields: () => ({}),
}
const event: StoredEvent = {
  id: uuid7(1_712_345_679_000),
  timestamp: 1_712_345_678_901_234,
  event_message: 'disk full',
  metadata: { level: 'Warn', tags: ['a', 'b'], size: 9_007_199_254_740_993n, free: 0.5, ok: false, none: null },
  attributes: { path: '/x', n: -3 },
  severity_text: 'WARN',
  trace_id: '5B8EFFF798038103D269B633813FC60C',
  span_id: 'not hex',
}

const recordOf = (given: StoredEvent, isFlat = false) =>
  decodeMessage('LogsRequest', encode({ source, events: [given] }, { isFlat })).resourceLogs[0].scopeLogs[0]
    .logRecords[0]

const pair = (key: string, value: object) => ({ key, value })
const texts = { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } }

test('a batch is one resource named after the source, and one scope', () => {
  const { resourceLogs } = decodeMessage('LogsRequest', encode({ source, events: [event, event] }, { isFlat: false }))
  expect(resourceLogs).toMatchObject([
    {
      resource: { attributes: [pair('service.name', { stringValue: 'shop' })] },
      scopeLogs: [{ scope: { name: 'millrace' }, logRecords: [{}, {}] }],
      schemaUrl: 'https://opentelemetry.io/schemas/1.26.0',
    },
  ])
})

test('an event is a record: the message its name, the other fields its body', () => {
  expect(recordOf(event)).toEqual({
    timeUnixNano: '1712345678901234000',
    observedTimeUnixNano: '1712345679000000000',
    severityNumber: 13,
    severityText: 'WARN',
    eventName: 'disk full',
    attributes: [pair('path', { stringValue: '/x' }), pair('n', { intValue: '-3' })],
    traceId: Buffer.from('5b8efff798038103d269b633813fc60c', 'hex'),
    spanId: Buffer.from('not hex'),
    body: {
      kvlistValue: {
        values: [
          pair('id', { stringValue: event.id }),
          pair('metadata', {
            kvlistValue: {
              values: [
                pair('level', { stringValue: 'Warn' }),
                pair('tags', texts),
                pair('size', { intValue: '9007199254740993' }),
                pair('free', { doubleValue: 0.5 }),
                pair('ok', { boolValue: false }),
              ],
            },
          }),
        ],
      },
    },
  })
})

test('flattened: the message is the body, the other fields are attributes', () => {
  const { body, attributes, eventName } = recordOf(event, true)
  expect({ body, eventName }).toEqual({ body: { stringValue: 'disk full' }, eventName: undefined })
  expect(attributes.map(({ key }: { key: string }) => key)).toEqual([
    ...['path', 'n', 'id', 'metadata.level', 'metadata.tags', 'metadata.size', 'metadata.free', 'metadata.ok'],
  ])
})

test.each([
  [{ severity_number: 18, metadata: { level: 'info' } }, 18],
  [{ metadata: { level: 'error', parsed: { error_severity: 'DEBUG3' } } }, 5],
  [{ metadata: { level: 'critical' } }, 21],
  [{ metadata: { response: { status_code: 404 } } }, 13],
  [{ metadata: { level: '__proto__', response: { status_code: 200 } } }, 9],
  [{}, undefined],
])('the level of %j is %s', (fields, number) => {
  const plain: StoredEvent = { id: 'x', timestamp: 1, event_message: null, ...fields }
  expect(recordOf(plain).severityNumber).toBe(number)
})

test('it goes out gzipped as protobuf, with the headers of the backend', async () => {
  const receiver = await startHttpReceiver()
  stops.push(receiver.stop)
  const config = settleConfig('otlp', {
    endpoint: `${receiver.url}/in`,
    headers: { 'X-Key': 'k', 'content-type': 'x/y' },
  })
  const sender = kindOf('otlp').connect(config, { timeoutMs: 2_000 })
  stops.push(sender.stop)
  expect(await sender.send({ source, events: [event] })).toEqual({ kind: 'accepted' })
  expect(await sender.probe()).toEqual({ ok: true })
  expect(receiver.taken[0]).toMatchObject({
    path: '/in',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', 'x-key': 'k' },
    ids: [event.id],
  })
})

/** A receiver that does not take records whose message is `bad`. */
async function startPicky(answer: (rejected: number) => { type: string; body: Buffer | string }) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { resourceLogs } = decodeMessage('LogsRequest', gunzipSync(Buffer.concat(chunks)))
    const records: { eventName: string }[] = resourceLogs[0].scopeLogs[0].logRecords ?? []
    const { type, body } = answer(records.filter(({ eventName }) => eventName === 'bad').length)
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  )
  return `http://127.0.0.1:${portOf(server)}/v1/logs`
}

test.each([
  [
    'protobuf',
    (rejected: number) => ({
      type: 'application/x-protobuf',
      body: encodeMessage('LogsResponse', rejected === 0 ? {} : { partialSuccess: { rejected, errorMessage: 'no' } }),
    }),
  ],
  [
    'JSON',
    (rejected: number) => ({
      type: 'application/json',
      body: JSON.stringify({ partialSuccess: { rejectedLogRecords: String(rejected), errorMessage: 'no' } }),
    }),
  ],
])(
  'a partial success in %s is not sent again, but counted and told; a record that is refused alone is a dead letter',
  async (_, answer) => {
    const endpoint = await startPicky(answer)
    const world = await startWorld()
    stops.push(world.stop)
    const from = await world.newSource()
    const backend = await world.newBackend('otlp', { endpoint })
    await world.attach(from, backend)
    const good = Array.from({ length: 3 }, (_, i) => ({
      id: `id-${i}`,
      ts: 1_712_345_678_901_234,
      e: { event_message: 'good' },
    }))
    const bad = { id: 'id-9', ts: 1_712_345_678_901_234, e: { event_message: 'bad' } }
    const append = (rows: object[]) =>
      world.journal.append([
        {
          ...{
            kind: 'events',
            source: from.token,
            count: rows.length,
            minUs: 1_712_345_678_901_234,
            maxUs: 1_712_345_678_901_234,
          },
          body: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
        },
      ])
    await append([...good, bad])
    await until(async () => (await world.delivery.status(backend)).delivered === 3)
    expect(await world.delivery.status(backend)).toMatchObject({
      ...{ state: 'ok', lag_events: 0, dead_letters: 0 },
      last_error: 'the receiver rejected 1 of 4 records: no',
    })
    await append([bad])
    await until(async () => (await world.delivery.status(backend)).dead_letters === 1)
  },
)

test.each([
  ['otlp', {}, { 'config.endpoint': expect.anything() }],
  ['otlp', { endpoint: 'ftp://x' }, { 'config.endpoint': ['has invalid format'] }],
  ['otlp', { endpoint: 'http://a', protocol: 'grpc' }, { 'config.protocol': expect.anything() }],
  ['elastic', { transport: 'otlp', url: 'http://a' }, { 'config.endpoint': expect.anything() }],
])('%s with %j is refused', (type, config, errors) => {
  expect(() => settleConfig(type, config)).toThrow(expect.objectContaining({ errors: expect.objectContaining(errors) }))
})
