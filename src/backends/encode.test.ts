import { expect, test } from 'vitest'
import type { StoredEvent } from '../model/event-of-row.ts'
import { encode as datadog } from './datadog/encode.ts'
import { encodePipeline } from './elastic/encode.ts'
import { retryAfterMs } from './http.ts'
import { encode as loki } from './loki/encode.ts'
import { encode as feed } from './security-analytics/encode.ts'
import { feedHeaders, feedUrl } from './security-analytics/options.ts'
import { encode as webhook } from './webhook/encode.ts'

const id = '5b6f7c1e-2f0a-4a53-9a44-0d7f4a1c9e10'
const event: StoredEvent = {
  id,
  timestamp: 1_712_345_678_901_234,
  event_message: 'disk full',
  metadata: { level: 'warn', tags: ['a', 'b'], size: 9_007_199_254_740_993n },
}
const source = {
  token: '00000000-0000-4000-8000-000000000001',
  name: 'web',
  serviceName: null,
  retentionDays: 7,
  fields: () => ({}),
}
const batch = { source, events: [event] }
const metadata = { level: 'warn', tags: ['a', 'b'], size: '9007199254740993' }

test('webhook: an array of events as stored, long integers exact as text', () => {
  expect(JSON.parse(webhook(batch))).toEqual([{ ...event, metadata }])
})

test('pipeline_http: documents with @timestamp and message, and what the service knows beside them', () => {
  expect(JSON.parse(encodePipeline(batch))).toEqual([
    {
      '@timestamp': '2024-04-05T19:34:38.901234Z',
      message: 'disk full',
      metadata,
      logflare: { id, source: 'web', source_uuid: source.token, event_type: 'log' },
    },
  ])
})

test('loki: one stream a source, nanoseconds, every other field flat as text', () => {
  const flat = { id, metadata_level: 'warn', metadata_tags_0: 'a', metadata_tags_1: 'b' }
  expect(JSON.parse(loki(batch))).toEqual({
    streams: [
      {
        stream: { source: 'web', service: 'web' },
        values: [['1712345678901234000', 'disk full', { ...flat, metadata_size: '9007199254740993' }]],
      },
    ],
  })
})

test('datadog: message with its time, service, and the event as data', () => {
  const service = { ...batch, source: { ...source, serviceName: 'shop' } }
  expect(JSON.parse(datadog(service))).toEqual([
    {
      message: '2024-04-05T19:34:38.901234Z disk full',
      ddsource: 'millrace',
      service: 'shop',
      data: { ...event, metadata },
    },
  ])
})

test('security analytics: one event a line, to the feed of the region, with the key under both names', () => {
  const text = feed({ events: [event, { ...event, event_message: 'two\nlines' }] })
  expect(text.split('\n').map((line) => JSON.parse(line).event_message)).toEqual(['disk full', 'two\nlines'])
  const config = { region: 'us', project_number: '7', instance_id: id, feed_id: id, api_key: 'k', secret: 's' }
  const url = feedUrl(config)
  expect(url).toBe(
    `https://us-chronicle.googleapis.com/v1alpha/projects/7/locations/us/instances/${id}/feeds/${id}:importPushLogs`,
  )
  const own = { 'x-cloud-api-key': 'k', 'x-webhook-access-key': 's' }
  expect(feedHeaders(config, url)).toEqual({ ...own, 'x-goog-api-key': 'k' })
  expect(feedHeaders(config, 'https://feeds.example.com/x')).toEqual(own)
})

test.each([
  ['2', 2_000],
  ['Sun, 15 Nov 2026 17:00:05 GMT', 5_000],
  ['86400', 600_000],
  ['soon', null],
  [undefined, null],
])('Retry-After %s means %s ms', (header, ms) => {
  expect(retryAfterMs(header, Date.parse('2026-11-15T17:00:00Z'))).toBe(ms)
})
