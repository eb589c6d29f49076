import { expect, test } from 'vitest'
import { asStored, createTrial, NOW_US } from '../../testing.ts'
import type { formats } from '../formats.ts'

async function stored(format: keyof typeof formats, body: object) {
  const trial = createTrial()
  const receipt = await trial.send(JSON.stringify(body), { format })
  return { events: trial.rows().map(asStored), receipt, text: trial.rowsText() }
}

const NOW_NS = `${NOW_US}000`
const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] }
const scope = { name: 'lib', version: '1' }
const traceId = '5B8EFFF798038103D269B633813FC60C'

const logs = (...logRecords: unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ scope, logRecords }], resource }] })

test('a log record becomes an event, with hex ids and exact integers', async () => {
  const attributes = [
    { key: 'big', value: { intValue: '9007199254740993' } },
    { key: 'small', value: { intValue: 7 } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
    { key: 'tree', value: { kvlistValue: { values: [{ key: 'x', value: { boolValue: true } }] } } },
  ]
  const record = { timeUnixNano: NOW_NS, severityNumber: 9, severityText: 'INFO', traceId, spanId: 'EEE19B7EC3C1B174' }
  const { events, text } = await stored('otlp-logs', logs({ ...record, body: { stringValue: 'hi' }, attributes }))
  expect(events).toMatchObject([
    {
      event_message: 'hi',
      body: 'hi',
      timestamp: NOW_US,
      severity_number: 9,
      severity_text: 'INFO',
      trace_id: traceId.toLowerCase(),
      span_id: 'eee19b7ec3c1b174',
      attributes: { small: 7, list: ['a', 'b'], tree: { x: true } },
      scope,
      resource: { _service_name: 'shop' },
      metadata: { type: 'otel_log' },
    },
  ])
  expect(text).toContain('"big":9007199254740993')
})

test('a body that is no text is kept, and the time it was seen counts when there is no other', async () => {
  const body = { kvlistValue: { values: [{ key: 'a', value: { intValue: 1 } }] } }
  const { events } = await stored('otlp-logs', logs({ timeUnixNano: '0', observedTimeUnixNano: NOW_NS, body }))
  expect(events).toMatchObject([{ event_message: '{"a":1}', body: { a: 1 }, timestamp: NOW_US }])
})

test('a bad record is refused alone', async () => {
  const { events, receipt } = await stored('otlp-logs', logs({ body: { stringValue: 'good' } }, 17))
  expect(events).toHaveLength(1)
  expect(receipt.refused).toMatchObject([{ index: 1 }])
})

test('an empty request is a success, one that is no JSON is not', async () => {
  expect((await stored('otlp-logs', {})).events).toEqual([])
  await expect(createTrial().send('nonsense', { format: 'otlp-logs' })).rejects.toMatchObject({ code: 'bad_request' })
})

test('a span and each of its events are events', async () => {
  const span = {
    traceId,
    spanId: 'EEE19B7EC3C1B174',
    parentSpanId: '',
    name: 'GET /',
    kind: 2,
    startTimeUnixNano: NOW_NS,
    endTimeUnixNano: NOW_NS,
    status: { code: 'STATUS_CODE_ERROR', message: 'no' },
    events: [{ name: 'retry', timeUnixNano: NOW_NS, attributes: [{ key: 'n', value: { intValue: '2' } }] }],
  }
  const { events } = await stored('otlp-traces', {
    resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }],
  })
  expect(events).toMatchObject([
    {
      event_message: 'GET /',
      kind: 'Server',
      project: 'shop',
      span_id: 'eee19b7ec3c1b174',
      status: { code: 'Error', message: 'no' },
      timestamp: NOW_US,
      metadata: { type: 'span' },
    },
    { event_message: 'retry', parent_span_id: 'eee19b7ec3c1b174', attributes: { n: 2 }, metadata: { type: 'event' } },
  ])
})

test('each data point is an event', async () => {
  const times = { timeUnixNano: NOW_NS, startTimeUnixNano: NOW_NS }
  const metrics = [
    {
      sum: { dataPoints: [{ ...times, asInt: '7' }], aggregationTemporality: 2, isMonotonic: true },
      name: 'hits',
      unit: '1',
    },
    {
      name: 'load',
      gauge: {
        dataPoints: [
          { ...times, asDouble: 0.5 },
          { ...times, asDouble: 1.5 },
        ],
      },
    },
    {
      name: 'took',
      histogram: {
        dataPoints: [{ ...times, count: '3', sum: 1.5, bucketCounts: ['1', '2'], explicitBounds: [0.5] }],
        aggregationTemporality: 'AGGREGATION_TEMPORALITY_DELTA',
      },
    },
  ]
  const { events } = await stored('otlp-metrics', {
    resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }],
  })
  expect(events).toMatchObject([
    {
      event_message: 'hits',
      unit: '1',
      metric_type: 'sum',
      value: 7,
      aggregation_temporality: 'cumulative',
      is_monotonic: true,
      timestamp: NOW_US,
      metadata: { type: 'metric' },
    },
    { event_message: 'load', metric_type: 'gauge', value: 0.5 },
    { value: 1.5 },
    {
      metric_type: 'histogram',
      count: 3,
      bucket_counts: [1, 2],
      explicit_bounds: [0.5],
      aggregation_temporality: 'delta',
    },
  ])
})
