import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeMessage, encodeMessage } from '../../../ingest/formats/otlp/testing.ts'
import { NOW_MS, NOW_US } from '../../../ingest/testing.ts'
import { startLane } from '../testing.ts'

let lane: Awaited<ReturnType<typeof startLane>>
beforeEach(async () => {
  lane = await startLane()
})
afterEach(() => lane.stop())

const NOW_NS = `${NOW_US}000`
const basic = (password: string) => `Basic ${Buffer.from(`user:${password}`).toString('base64')}`
const json = { 'content-type': 'application/json' }

describe('loki', () => {
  const push = (streams: object[], headers: Record<string, string> = {}) =>
    lane.call('POST', '/loki/api/v1/push', JSON.stringify({ streams }), {
      authorization: basic(lane.token),
      ...json,
      ...headers,
    })

  test('a label names the source of each stream', async () => {
    const answer = await push([
      { stream: { job: 'app', level: 'info' }, values: [[NOW_NS, 'one', { trace: 't' }]] },
      { stream: { service_name: 'web', job: 'app' }, values: [[NOW_NS, 'two']] },
    ])
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(lane.stored()).toMatchObject([
      { event_message: 'one', timestamp: NOW_US, labels: { job: 'app', level: 'info' }, metadata: { trace: 't' } },
    ])
    expect(lane.stored(lane.other)).toMatchObject([{ event_message: 'two', labels: { service_name: 'web' } }])
  })

  test('the tenant goes before labels', async () => {
    const stream = { stream: { job: 'nobody' }, values: [[NOW_NS, 'm']] }
    expect(await push([stream], { 'x-scope-orgid': 'web' })).toMatchObject({ status: 204 })
    expect(lane.stored(lane.other)).toHaveLength(1)
  })

  test('a stream without a source refuses all, and nothing is stored', async () => {
    const good = { stream: { job: 'app' }, values: [[NOW_NS, 'm']] }
    expect(await push([good, { stream: { job: 'nobody' }, values: [] }])).toMatchObject({ status: 404 })
    expect(await push([good, { stream: {}, values: [] }])).toMatchObject({ status: 400 })
    expect(lane.stored()).toEqual([])
  })

  test('refusals are plain text', async () => {
    expect(await push([], { authorization: basic('wrong') })).toMatchObject({ status: 401, text: 'Unauthorized\n' })
    expect(await push([{ stream: { job: 'app' }, values: ['no entry'] }])).toMatchObject({ status: 400 })
    expect(await push([], { 'content-type': 'application/x-protobuf', 'x-scope-orgid': 'app' })).toMatchObject({
      status: 400,
      text: expect.stringMatching(/^The body is not valid snappy: .* at byte \d+\.\n$/),
    })
    expect(await push([], { 'content-type': 'text/plain', 'x-scope-orgid': 'app' })).toMatchObject({ status: 415 })
    expect(lane.errors).toEqual([])
  })

  test.each([undefined, 'snappy'])('protobuf is packed with snappy, with the header %s', async (encoding) => {
    // One stream {job="app"} with one line without a time, as one literal.
    const push = Buffer.from('0a140a0b7b6a6f623d22617070227d120512036f6e65', 'hex')
    const headers = { authorization: basic(lane.token), 'content-type': 'application/x-protobuf' }
    const block = Buffer.concat([Buffer.from([push.length, (push.length - 1) << 2]), push])
    const packed = encoding === undefined ? headers : { ...headers, 'content-encoding': encoding }
    expect(await lane.call('POST', '/loki/api/v1/push', block, packed)).toMatchObject({ status: 204, text: '' })
    expect(lane.stored()).toMatchObject([{ event_message: 'one', labels: { job: 'app' } }])
  })
})

describe('elastic', () => {
  const bulk = (lines: (object | string)[], { path = '/_bulk', authorization = `ApiKey ${lane.token}` } = {}) =>
    lane.call(
      'POST',
      path,
      `${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`,
      {
        'content-type': 'application/vnd.elasticsearch+x-ndjson; compatible-with=9',
        authorization,
      },
    )

  test('each action has its answer, in order, and a bad one harms no other', async () => {
    const answer = await bulk([
      { index: { _index: 'app', _id: 'i1' } },
      { '@timestamp': '2026-11-15T11:00:00Z', message: 'one' },
      { create: { _index: 'nobody' } },
      { message: 'lost' },
      { delete: { _index: 'app', _id: 'i1' } },
      { create: { _index: 'app' } },
      '{"broken":',
      { create: { _index: 'web' } },
      { message: 'two' },
    ])
    expect(answer).toMatchObject({
      status: 200,
      json: {
        errors: true,
        items: [
          { index: { _index: 'app', _id: 'i1', status: 201 } },
          { create: { _index: 'nobody', status: 404, error: { type: 'index_not_found_exception' } } },
          { delete: { status: 400 } },
          { create: { _index: 'app', status: 400, error: { reason: 'the JSON ends too early' } } },
          { create: { _index: 'web', status: 201 } },
        ],
      },
    })
    expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch')
    expect(lane.stored()).toMatchObject([{ id: 'i1', event_message: 'one', timestamp: NOW_US - 3_600_000_000 }])
    expect(lane.stored(lane.other)).toMatchObject([{ event_message: 'two' }])
  })

  test('the path may name the index, and a key may come with an id', async () => {
    const authorization = `ApiKey ${Buffer.from(`id:${lane.token}`).toString('base64')}`
    const answer = await bulk([{ index: {} }, { n: 1 }], { path: '/app/_bulk', authorization })
    expect(answer).toMatchObject({ status: 200, json: { errors: false, items: [{ index: { _index: 'app' } }] } })
    expect(lane.stored()).toMatchObject([{ n: 1 }])
  })

  test('refusals have the shape its clients read', async () => {
    expect(await bulk([{ index: {} }, {}], { authorization: 'ApiKey wrong' })).toMatchObject({
      status: 401,
      json: { status: 401, error: { type: 'security_exception', reason: 'Unauthorized' } },
    })
    expect(await bulk(['nonsense'])).toMatchObject({
      status: 400,
      json: { error: { type: 'illegal_argument_exception' } },
    })
  })

  test('the banner is only for those who ask for it', async () => {
    const banner = await lane.call('GET', '/', null, { 'user-agent': 'elastic-transport-js/9' })
    expect(banner).toMatchObject({ status: 200, json: { version: { number: expect.any(String) } } })
    expect(banner.headers.get('x-elastic-product')).toBe('Elasticsearch')
    expect(await lane.call('GET', '/', null, { 'user-agent': 'Mozilla/5.0' })).toMatchObject({ status: 404 })
  })
})

describe('splunk', () => {
  const collect = (body: string, path = '/services/collector/event/1.0', authorization = `Splunk ${lane.token}`) =>
    lane.call('POST', path, body, { 'content-type': 'application/x-www-form-urlencoded', authorization })

  test('events one after the other, each to its index', async () => {
    const time = String(NOW_MS / 1000 - 1.5)
    const first = { time, host: 'h', index: 'app', event: { message: 'one', n: 1, timestamp: 5 } }
    const answer = await collect(JSON.stringify(first) + JSON.stringify({ index: 'web', event: 'two' }))
    expect(answer).toMatchObject({ status: 200, json: { text: 'Success', code: 0 } })
    expect(lane.stored()).toMatchObject([
      { event_message: 'one', n: 1, timestamp: NOW_US - 1_500_000, _timestamp: 5, splunk: { host: 'h', index: 'app' } },
    ])
    expect(lane.stored(lane.other)).toMatchObject([{ event_message: 'two' }])
  })

  test('raw lines are messages, and source means what it means there', async () => {
    expect(await collect('a b\nc\r\n', '/services/collector/raw?index=app&source=/var/log/x')).toMatchObject({
      status: 200,
    })
    expect(lane.stored().map(({ event_message }) => event_message)).toEqual(['a b', 'c'])
  })

  test.each([
    ['no data', '', '/services/collector?index=app', undefined, 400, 5],
    ['a broken event', '{"event":1}{"event', '/services/collector?index=app', undefined, 400, 6],
    ['an event without content', '{"event":""}', '/services/collector?index=app', undefined, 400, 6],
    ['an unknown index', '{"event":1,"index":"nobody"}', '/services/collector', undefined, 400, 7],
    ['an unknown token', '{"event":1}', '/services/collector?index=app', 'Splunk wrong', 403, 4],
  ])('%s has its number', async (_, body, path, authorization, status, code) => {
    expect(await collect(body, path, authorization)).toMatchObject({ status, json: { code } })
    expect(lane.stored()).toEqual([])
  })

  test('no token has its number, and health needs none', async () => {
    expect(await lane.call('POST', '/services/collector', '{}')).toMatchObject({ status: 401, json: { code: 2 } })
    expect(await lane.call('GET', '/services/collector/health')).toMatchObject({ status: 200, json: { code: 17 } })
  })
})

describe('datadog', () => {
  const send = (events: unknown, path = '/api/v2/logs', key = lane.token) =>
    lane.call('POST', path, JSON.stringify(events), { ...json, 'dd-api-key': key })

  test('a tag or the service names the source', async () => {
    const answer = await send([
      { message: 'one', service: 'app', ddtags: 'env:x', date: NOW_MS - 1000 },
      { message: 'two', service: 'app', ddtags: 'env:x, source_name:web' },
    ])
    expect(answer).toMatchObject({ status: 202, json: {} })
    expect(lane.stored()).toMatchObject([{ event_message: 'one', service: 'app', timestamp: NOW_US - 1_000_000 }])
    expect(lane.stored(lane.other)).toMatchObject([{ event_message: 'two', ddtags: 'env:x, source_name:web' }])
  })

  test('the query goes before both, and the older path holds the key', async () => {
    const path = `/v1/input/${lane.token}?source_name=web`
    expect(await lane.call('POST', path, '{"message":"m","service":"app"}', json)).toMatchObject({ status: 202 })
    expect(lane.stored(lane.other)).toHaveLength(1)
  })

  test('refusals have the shape its senders read', async () => {
    expect(await send([{}], '/api/v2/logs?source_name=app', 'wrong')).toMatchObject({
      status: 403,
      json: { errors: [{ status: '403', title: 'Forbidden' }] },
    })
    expect(await send([1], '/api/v2/logs?source_name=app')).toMatchObject({
      status: 400,
      json: { errors: [{ detail: 'event 0: is not an object' }] },
    })
  })
})

describe('otlp', () => {
  const request = (service: string, ...logRecords: unknown[]) => {
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: service } }] }
    return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })
  }
  const send = (body: string, headers: Record<string, string> = {}) =>
    lane.call('POST', '/v1/logs', body, { 'x-api-key': lane.token, ...json, ...headers })
  const record = { body: { stringValue: 'm' } }

  test('a header names the source, or else the service', async () => {
    expect(await send(request('web', record), { 'x-source': lane.source.token })).toMatchObject({
      status: 200,
      json: {},
    })
    expect(await send(request('web', record))).toMatchObject({ status: 200, json: {} })
    expect([lane.stored().length, lane.stored(lane.other).length]).toEqual([1, 1])
  })

  test('refused records are counted', async () => {
    expect(await send(request('app', record, 1, 2))).toMatchObject({
      status: 200,
      json: { partialSuccess: { rejectedLogRecords: '2', errorMessage: expect.stringContaining('is not an object') } },
    })
    expect(lane.stored()).toHaveLength(1)
  })

  test.each([
    ['an unknown token', { 'x-api-key': 'wrong' }, 401, 16],
    ['another content type', { 'content-type': 'text/plain', 'x-source': 'app' }, 415, 3],
    ['another content type without a source', { 'content-type': 'text/plain' }, 415, 3],
    ['an unknown source', { 'x-source': 'nobody' }, 404, 5],
  ])('%s is a status its exporters read', async (_, headers: Record<string, string>, status, code) => {
    expect(await send(request('app', record), headers)).toMatchObject({
      status,
      json: { code, message: expect.any(String) },
    })
  })
  const PROTOBUF = { 'content-type': 'application/x-protobuf' }
  const sendProtobuf = async (body: Buffer, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${lane.url}/v1/logs`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'x-api-key': lane.token, ...PROTOBUF, ...headers },
    })
    return { status: answer.status, type: answer.headers.get('content-type'), bytes: Buffer.from(await answer.bytes()) }
  }

  test('protobuf is answered with protobuf, packed or not', async () => {
    const body = encodeMessage('LogsRequest', JSON.parse(request('app', record, record)))
    const stored = { status: 200, type: 'application/x-protobuf', bytes: Buffer.alloc(0) }
    expect(await sendProtobuf(body)).toEqual(stored)
    expect(await sendProtobuf(gzipSync(body), { 'content-encoding': 'gzip' })).toEqual(stored)
    expect(await sendProtobuf(Buffer.alloc(0), { 'x-source': 'app' })).toEqual(stored)
    expect(lane.stored()).toHaveLength(4)
  })

  test('protobuf: refused records are counted, and faults are a status', async () => {
    const mixed = { arrayValue: { values: [{ arrayValue: { values: [{ intValue: 1 }] } }] } }
    const body = encodeMessage('LogsRequest', JSON.parse(request('app', record, { body: mixed })))
    const { status, bytes } = await sendProtobuf(body)
    expect({ status, ...decodeMessage('LogsResponse', bytes) }).toEqual({
      status: 200,
      partialSuccess: { rejected: '1', errorMessage: expect.stringContaining('event 1: ') },
    })
    for (const [sent, headers, expected] of [
      [body.subarray(0, -3), {}, { status: 400, code: 3, message: expect.stringMatching(/at byte \d+\.$/) }],
      [body, { 'x-api-key': 'wrong' }, { status: 401, code: 16, message: 'Unauthorized' }],
      [body, { 'x-source': 'nobody' }, { status: 404, code: 5, message: 'There is no source nobody.' }],
    ] as const) {
      const { status, bytes } = await sendProtobuf(sent, headers)
      expect({ status, ...decodeMessage('Status3', bytes) }).toEqual(expected)
    }
  })
})
