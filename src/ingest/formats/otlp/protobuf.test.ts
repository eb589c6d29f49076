import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asStored, createTrial, NOW_US } from '../../testing.ts'
import type { formats } from '../formats.ts'
import { encodeMessage } from './testing.ts'

type Format = keyof typeof formats
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const NOW_NS = `${NOW_US}000`
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] }
const scope = { name: 'lib', version: '1', attributes: [{ key: 'a.b', value: { doubleValue: 2 } }] }
const ids = { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174' }

const logs = (...logRecords: object[]) => ({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] })

/** Without ids, which each request makes anew. Sent twice: the second time the fields are known, and the scan has its say. */
async function stored(format: Format, body: Buffer | string, headers: object) {
  const trial = createTrial()
  const first = await trial.send(body, { format, headers: { ...headers } })
  await trial.send(body, { format, headers: { ...headers } })
  return {
    events: trial
      .rows()
      .map(asStored)
      .map(({ id: _, ...event }) => event),
    refused: first.refused,
  }
}

async function expectAlike(format: Format, type: string, request: object): Promise<void> {
  const json = await stored(format, JSON.stringify(request), {})
  const protobuf = await stored(format, encodeMessage(type, request), PROTOBUF)
  expect(protobuf).toEqual(json)
}

const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'value' },
    fc.record({ stringValue: fc.oneof(fc.string(), fc.string({ unit: 'binary' })) }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) }),
    fc.record({ doubleValue: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0)) }),
    fc.record({ bytesValue: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')) }),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 3 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('pair'), { maxLength: 3 }) }) }),
  ),
  pair: fc.record({ key: fc.oneof(fc.constantFrom('a', 'a.b', 'A', '_a_b', ''), fc.string()), value: tie('value') }),
}))

const record = fc.record(
  {
    timeUnixNano: fc.constantFrom(NOW_NS, `${NOW_US - 1}999`, '1700000000123456789'),
    observedTimeUnixNano: fc.constantFrom(NOW_NS, '1'),
    severityNumber: fc.integer({ min: 1, max: 24 }),
    severityText: fc.string(),
    body: fc.oneof(fc.record({ stringValue: fc.string({ unit: 'binary' }) }), anyValue.value),
    attributes: fc.array(anyValue.pair, { maxLength: 5 }),
    traceId: fc.constantFrom(ids.traceId, '00000000000000000000000000000000'),
    spanId: fc.constant(ids.spanId),
    eventName: fc.constantFrom('checkout', ''),
  },
  { requiredKeys: [] },
)

describe('the same data is the same event in both forms', () => {
  test('any log records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), (records) =>
        expectAlike('otlp-logs', 'LogsRequest', logs(...records)),
      ),
      { numRuns: 300 },
    )
  })

  test('spans with their events', () =>
    expectAlike('otlp-traces', 'TracesRequest', {
      resourceSpans: [
        {
          resource,
          scopeSpans: [
            {
              scope,
              spans: [
                {
                  ...{ ...ids, name: 'GET /', kind: 2, startTimeUnixNano: NOW_NS, endTimeUnixNano: `${NOW_US + 5}000` },
                  parentSpanId: '0000000000000001',
                  attributes: [{ key: 'http.status', value: { intValue: '200' } }],
                  events: [{ name: 'retry', timeUnixNano: NOW_NS, attributes: scope.attributes }, { name: 'end' }],
                  links: [ids],
                  status: { code: 2, message: 'no' },
                },
                { ...ids, name: 'child', status: {} },
              ],
            },
          ],
        },
      ],
    }))

  test('every kind of metric', () => {
    const times = { timeUnixNano: NOW_NS, startTimeUnixNano: NOW_NS, attributes: scope.attributes }
    const counts = { bucketCounts: ['1', '2', '18446744073709551615'] }
    const buckets = { offset: -3, ...counts }
    const metrics = [
      { name: 'hits', unit: '1', sum: { dataPoints: [{ ...times, asInt: '-7' }], aggregationTemporality: 2 } },
      { name: 'load', gauge: { dataPoints: [{ ...times, asDouble: 2 }, { asDouble: 0.25 }] } },
      {
        name: 'took',
        histogram: {
          dataPoints: [{ ...times, ...counts, count: '6', sum: 3, min: 0, max: 2, explicitBounds: [0, 1] }],
        },
      },
      {
        name: 'exp',
        exponentialHistogram: {
          dataPoints: [{ ...times, count: '3', sum: 1.5, scale: -2, positive: buckets, negative: { offset: 1 } }],
          aggregationTemporality: 1,
        },
      },
      {
        name: 'sum',
        summary: { dataPoints: [{ ...times, sum: 4, quantileValues: [{ quantile: 0.5, value: 3 }, {}] }] },
      },
    ]
    return expectAlike('otlp-metrics', 'MetricsRequest', {
      resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }],
    })
  })
})

function nested(tag: number, inner: Buffer): Buffer {
  const length = inner.length < 0x80 ? [inner.length] : [(inner.length & 0x7f) | 0x80, inner.length >> 7]
  return Buffer.concat([Buffer.from([tag, ...length]), inner])
}

describe('what is no such message', () => {
  const whole = encodeMessage(
    'LogsRequest',
    logs(
      {
        ...ids,
        timeUnixNano: NOW_NS,
        body: { stringValue: 'a' },
        attributes: [{ key: 'k', value: { intValue: '1' } }],
      },
      { body: { kvlistValue: { values: [{ key: 'x', value: { arrayValue: { values: [{ boolValue: true }] } } }] } } },
    ),
  )
  const send = async (body: Buffer) => {
    const trial = createTrial()
    const result = await trial.send(body, { format: 'otlp-logs', headers: PROTOBUF }).catch((error: unknown) => error)
    return { result, fields: trial.schemas.all(trial.source.token), rows: trial.rows().length }
  }

  test('a cut at any byte is refused as a whole, with its place, and leaves no field behind', async () => {
    const nothing = (await send(Buffer.alloc(0))).fields
    for (let length = 1; length < whole.length; length++) {
      const { result, fields, rows } = await send(whole.subarray(0, length))
      expect(result).toMatchObject({ code: 'bad_request', message: expect.stringMatching(/at byte \d+\.$/) })
      expect({ fields, rows }).toEqual({ fields: nothing, rows: 0 })
    }
  })

  test('any bytes are taken or refused, and nothing else', async () => {
    const changed = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }).map((changes) => {
      const bytes = Buffer.from(whole)
      for (const [at, byte] of changes) bytes[at] = byte
      return bytes
    })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          changed,
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        async (bytes) => {
          const { result } = await send(bytes)
          if (result instanceof Error) expect(result).toMatchObject({ code: 'bad_request' })
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each([
    ['a huge length', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['a number of eleven bytes', [0x08, ...new Array(10).fill(0xff), 0x01]],
    ['a group', [0x0b, 0x0c]],
    ['field number 0', [0x02, 0x00]],
    ['wire type 7', [0x0f]],
    ['a number where a message belongs', [0x08, 0x01]],
  ])('%s is refused', async (_, bytes) => {
    expect((await send(Buffer.from(bytes))).result).toMatchObject({ code: 'bad_request' })
  })

  test('unknown fields of any type are skipped', async () => {
    const unknown = [
      0xf8, 0x7f, 0x05, 0xf9, 0x7f, 1, 2, 3, 4, 5, 6, 7, 8, 0xfa, 0x7f, 0x01, 0x00, 0xfd, 0x7f, 1, 2, 3, 4,
    ]
    expect(await send(Buffer.concat([Buffer.from(unknown), whole]))).toMatchObject({ rows: 2 })
  })

  test('text that is no UTF-8 gets replacement characters, a record nested too deep is refused alone', async () => {
    const trial = createTrial()
    const text = encodeMessage('LogsRequest', logs({ body: { stringValue: 'caf@' } }))
    text[text.lastIndexOf('@')] = 0xe9
    await trial.send(text, { format: 'otlp-logs', headers: PROTOBUF })
    let deep: object = { stringValue: 'x' }
    for (let i = 0; i < 15; i++) deep = { arrayValue: { values: [deep] } }
    const body = encodeMessage('LogsRequest', logs({ body: deep }, { body: { stringValue: 'good' } }))
    const receipt = await trial.send(body, { format: 'otlp-logs', headers: PROTOBUF })
    expect(receipt.refused).toEqual([{ index: 0, reason: 'is deeper than 32 levels' }])
    expect(trial.rows().map(({ e }) => e.event_message)).toEqual(['caf\ufffd', 'good'])
    let bottomless: Buffer = Buffer.alloc(0)
    for (let i = 0; i < 100; i++) bottomless = nested(0x2a, nested(0x0a, bottomless))
    for (const tag of [0x2a, 0x12, 0x12, 0x0a]) bottomless = nested(tag, bottomless)
    expect((await send(bottomless)).result).toMatchObject({
      message: expect.stringContaining('nested deeper than 100'),
    })
  })

  test('a refused record is shown as JSON', async () => {
    const trial = createTrial()
    const body = { arrayValue: { values: [{ arrayValue: { values: [{ intValue: '1' }] } }] } }
    const bytes = encodeMessage('LogsRequest', logs({ body }))
    await trial.send(bytes, { format: 'otlp-logs', headers: PROTOBUF })
    expect(trial.rejects).toMatchObject([{ event: { body } }])
  })

  test('refused events of spans and data points are shown as JSON too', async () => {
    const trial = createTrial()
    const lists = { arrayValue: { values: [{ arrayValue: { values: [{ intValue: '1' }] } }] } }
    const part = { timeUnixNano: NOW_NS, attributes: [{ key: 'a', value: lists }] }
    const spans = [{ ...ids, name: 's', events: [{ ...part, name: 'e' }] }]
    const metrics = [{ name: 'm', gauge: { dataPoints: [{ ...part, asInt: '1' }] } }]
    const traced = encodeMessage('TracesRequest', { resourceSpans: [{ scopeSpans: [{ spans }] }] })
    const measured = encodeMessage('MetricsRequest', { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })
    await trial.send(traced, { format: 'otlp-traces', headers: PROTOBUF })
    await trial.send(measured, { format: 'otlp-metrics', headers: PROTOBUF })
    expect(trial.rows()).toHaveLength(1)
    expect(trial.rejects).toMatchObject([{ event: { ...part, name: 'e' } }, { event: { ...part, asInt: '1' } }])
  })
})
