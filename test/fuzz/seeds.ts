/** Real bodies by format, from which wrong ones are made. A format without any gets those of plain JSON. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { ExtData, encode } from '@msgpack/msgpack'
import { atom, bert, map, packedBert, tuple } from '../../src/ingest/formats/bert/testing.ts'
import { snappy, snappyBomb } from './snappy.ts'

const json = (...values: unknown[]): Buffer[] => values.map((value) => Buffer.from(JSON.stringify(value)))

const event = {
  id: 'a1',
  timestamp: '2026-11-15T11:00:00.123456Z',
  message: 'user logged in',
  metadata: { level: 'info', user: { id: 42, tags: ['a', 'b'], 'odd-name': null }, ms: 1.5, ok: true },
}
const lines = Buffer.from([event, { ...event, n: 1 }].map((each) => JSON.stringify(each)).join('\n'))
const attributes = [
  { key: 'service.name', value: { stringValue: 'shop' } },
  { key: 'n', value: { intValue: '7' } },
  { key: 'l', value: { arrayValue: { values: [{ doubleValue: 1.5 }] } } },
]
const trace = { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174' }
const otlp = (group: string, scope: string, name: string, records: unknown[]): unknown => ({
  [group]: [{ resource: { attributes }, [scope]: [{ scope: { name: 's' }, [name]: records }] }],
})

export const PLAIN = [...json({ batch: [event, event] }, [event], event, { source: 'x', batch: [event] }), lines]

export const SYSLOG = [
  '<134>1 2026-11-15T11:00:00.000001Z host app 7 ID1 [x@1 a="b \\"c\\""][y] paid {"id":1,"n":{"o":[1]}}',
  '<13>Nov 15 10:00:00 host sshd[42]: Accepted key for root',
  '<13>2026-11-15T11:00:00+01:00 host su: in\n<14>bare',
  '<190>1 - - - - - - \u001b[32mhello\u001b[0m\r\n<11>1 - h a p m [millrace@32473 token="t" source="s"] x\n',
].flatMap((text) => [Buffer.from(text), Buffer.from(`${Buffer.byteLength(text)} ${text}`)])

export const BERT = [bert, bert, packedBert].map((write) =>
  write(
    map({
      batch: [map({ message: 'm', level: atom('info'), n: 2n ** 70n, f: 0.5, t: tuple(1, atom('nil')) })],
      words: tuple(atom('bert'), atom('dict'), [tuple('a', tuple(atom('bert'), atom('true')))]),
      keywords: [tuple(atom('a'), [1, 2, -5]), tuple(atom('b'), [])],
    }),
  ),
)

const time = new ExtData(0, Buffer.from([0x69, 0x18, 0x60, 0x00, 0, 0, 0, 9]))
const entries = [1, 2].map((n) => [time, { log: `line ${n}`, n, deep: { a: [1, 'x', null, true, 1.5] } }])
const packed = Buffer.concat(entries.map((entry) => encode(entry)))
export const FORWARD = [
  ['app.web', 1_763_200_000, { message: 'm', n: -1 }, { chunk: 'c1' }],
  ['app.web', entries, { chunk: 'c2', size: 2 }],
  ['app.web', packed, { size: 2 }],
  ['app.web', gzipSync(packed), { compressed: 'gzip' }],
  ['app.web', [[[time, {}], { message: 'm' }]]],
  ['PING', 'host', 'salt', 'digest', '', ''],
].map((message) => Buffer.from(encode(message)))

/** By the name of the encoding. */
export const PACKED: Record<string, Buffer[]> = {
  gzip: [gzipSync(lines)],
  deflate: [deflateRawSync(lines), deflateSync(lines)],
  br: [brotliCompressSync(lines)],
  zstd: [zstdCompressSync(lines)],
  snappy: [snappy(lines), snappy(Buffer.alloc(0)), snappyBomb(200_000)],
}

const BY_FORMAT: Record<string, Buffer[]> = {
  'cloud-event': json({ specversion: '1.0', id: '1', source: '/s', type: 't', time: event.timestamp, data: event }),
  edge: [lines, Buffer.from('{"EdgeStartTimestamp":1763200000000000000,"ClientIP":"1.2.3.4"}\n{"a":1}')],
  vercel: json([
    {
      id: '1',
      source: 'lambda',
      timestamp: 1_763_200_000_000,
      message: 'START RequestId: 1\nEND RequestId: 1\n',
      proxy: { statusCode: 200, userAgent: ['a'] },
    },
  ]),
  netlify: json([{ log_type: 'traffic', timestamp: event.timestamp, method: 'GET', status_code: 200, url: '/' }]),
  github: json({ action: 'opened', repository: { full_name: 'a/b', html_url: 'x' }, sender: { login: 'c' } }),
  typecasts: json({ batch: [{ body: { a: '1.5' }, typecasts: [{ path: ['a'], from: 'string', to: 'float' }] }] }),
  syslog: SYSLOG,
  loki: json({ streams: [{ stream: { app: 'x' }, values: [['1763200000000000000', 'line', { a: 'b' }]] }] }),
  elastic: [
    Buffer.from(
      '{"index":{"_index":"x","_id":"1"}}\n{"@timestamp":"2026-11-15T11:00:00Z","message":"m"}\n{"create":{}}\n{"a":1}\n',
    ),
  ],
  splunk: [Buffer.from('{"index":"x","time":1763200000.5,"event":{"message":"m"}}{"event":"e","fields":{"a":1}}')],
  'splunk-raw': [Buffer.from('one\ntwo\n')],
  datadog: json([{ message: 'm', ddtags: 'a:b,source_name:x', service: 's', hostname: 'h' }]),
  'otlp-logs': json(
    otlp('resourceLogs', 'scopeLogs', 'logRecords', [
      { timeUnixNano: '1763200000000000000', severityNumber: 9, body: { stringValue: 'b' }, attributes, ...trace },
    ]),
  ),
  'otlp-traces': json(
    otlp('resourceSpans', 'scopeSpans', 'spans', [
      {
        name: 's',
        kind: 2,
        startTimeUnixNano: '1763200000000000000',
        endTimeUnixNano: '1763200000000000001',
        events: [{ name: 'e', timeUnixNano: 1 }],
        ...trace,
      },
    ]),
  ),
  'otlp-metrics': json(
    otlp('resourceMetrics', 'scopeMetrics', 'metrics', [
      {
        name: 'm',
        unit: '1',
        gauge: { dataPoints: [{ asInt: '1', timeUnixNano: '1' }] },
        histogram: { dataPoints: [{ count: '2', bucketCounts: ['1', '1'], explicitBounds: [1] }] },
      },
    ]),
  ),
}

export const seedsOf = (format: string): Buffer[] => BY_FORMAT[format] ?? PLAIN
