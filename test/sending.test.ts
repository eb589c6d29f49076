/** Senders of every kind against the running service: what they sent is read back as stored events. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService, until } from './support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(() => service?.remove())

const isSource = (json: unknown): json is { token: string } =>
  typeof json === 'object' && json !== null && 'token' in json && typeof json.token === 'string'

async function newSource(name: string): Promise<string> {
  const answer = await service.fetch('/api/sources', {
    method: 'POST',
    body: JSON.stringify({ name }),
    headers: { 'content-type': 'application/json' },
  })
  const json: unknown = await answer.json()
  if (!isSource(json)) throw new Error(`no source: ${JSON.stringify(json)}`)
  return json.token
}

async function messages(source: string, count: number): Promise<unknown[]> {
  let found: unknown[] = []
  await until(async () => {
    const json: unknown = await (await service.fetch(`/api/sources/${source}/recent`)).json()
    found = Array.isArray(json) ? json.map(({ event_message }) => event_message) : []
    return found.length >= count
  }, 20_000)
  return found.sort((a, b) => String(a ?? '').localeCompare(String(b ?? '')))
}

const now = new Date().toISOString()
const nowNs = `${Date.now()}000000`

const SENDERS: [string, string, string, Record<string, string>, number][] = [
  [
    '/api/logs/cloud-event?source_name=NAME',
    JSON.stringify({ specversion: '1.0', id: '1', source: '/s', type: 't', time: now, data: { message: 'sent' } }),
    'a structured cloud event',
    { 'content-type': 'application/cloudevents+json' },
    200,
  ],
  [
    '/logs/logplex?source_name=NAME',
    `<14>1 ${now} h a p - - sent`,
    'syslog',
    { 'content-type': 'application/logplex-1' },
    200,
  ],
  ['/loki/api/v1/push', `{"streams":[{"stream":{"job":"NAME"},"values":[["${nowNs}","sent"]]}]}`, 'loki', {}, 204],
  [
    '/_bulk',
    '{"create":{"_index":"NAME"}}\n{"message":"sent"}\n',
    'elastic',
    { 'content-type': 'application/x-ndjson' },
    200,
  ],
  ['/services/collector', '{"index":"NAME","event":"sent"}', 'splunk', {}, 200],
  ['/api/v2/logs', '[{"service":"NAME","message":"sent"}]', 'datadog', {}, 202],
  [
    '/v1/logs',
    '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"NAME"}}]},"scopeLogs":[{"logRecords":[{"body":{"stringValue":"sent"}}]}]}]}',
    'otlp',
    {},
    200,
  ],
]

test.each(SENDERS)('what is sent to %s is stored', async (path, body, title, headers, status) => {
  const name = `sent by ${title}`.replaceAll(' ', '-')
  const source = await newSource(name)
  const answer = await service.fetch(path.replace('NAME', name), {
    method: 'POST',
    body: body.replace('NAME', name),
    headers: { 'content-type': 'application/json', ...headers },
  })
  expect([answer.status, await answer.text()]).toEqual([status, expect.any(String)])
  expect(await messages(source, 1)).toEqual(['sent'])
})
