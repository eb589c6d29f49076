/** What the service tells of itself: metrics as described, a dashboard that names real ones, its log as events. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json, newSource, post, type Row } from './support/dialogue.ts'
import { freePort, type Service, startService, until } from './support/service.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

let service: Service
beforeAll(async () => {
  service = await startService({
    env: {
      // Everything that has metrics is on.
      MILLRACE_SYSLOG_PORT: String(await freePort()),
      MILLRACE_FORWARD_PORT: String(await freePort()),
      MILLRACE_FORWARD_TOKEN: 'none',
      MILLRACE_SYSTEM_MONITORING: 'on',
      MILLRACE_LOG_LEVEL: 'info',
    },
  })
}, 60_000)
afterAll(() => service.remove())

const metrics = async () => (await service.fetch('/metrics')).text()
const described = () =>
  new Map(
    [...read('docs/reference/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => [name, type]),
  )

test('the page of metrics lists every one with its type, and no other', async () => {
  const printed = [...(await metrics()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type])
  expect(Object.fromEntries(printed)).toEqual(Object.fromEntries(described()))
})

test('names follow the conventions, and each has a sentence', async () => {
  const text = await metrics()
  for (const [name = '', type] of described()) {
    expect(name).toMatch(/^(millrace|process)_[a-z_]+$/)
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
    expect(text).toMatch(new RegExp(`^# HELP ${name} \\S+`, 'm'))
  }
})

test('every metric that the dashboard names is there', () => {
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(read('docs/grafana/millrace.json'))
  const named = dashboard.panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:millrace|process)_\w+/g) ?? []),
  )
  const known = new Set(described().keys())
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((name) => !known.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual([])
})

test('requests, queries and failures are counted', async () => {
  const value = async (series: string): Promise<number> => {
    const line = (await metrics()).split('\n').find((one) => one.startsWith(`${series} `))
    return Number(line?.split(' ').at(-1))
  }
  const ok = 'millrace_queries_total{kind="query",outcome="ok"}'
  const failed = 'millrace_queries_total{kind="query",outcome="failed"}'
  const before = [await value(ok), await value(failed), await value('millrace_http_requests_total{status="4xx"}')]
  await service.fetch(`/api/query?sql=${encodeURIComponent('select 1 as n')}`)
  await service.fetch(`/api/query?sql=${encodeURIComponent('select nothing from nowhere')}`)
  await until(async () => (await value(ok)) === before[0]! + 1 && (await value(failed)) === before[1]! + 1)
  await until(async () => (await value('millrace_http_requests_total{status="4xx"}')) > before[2]!)
})

const systemLogs = async (): Promise<Row> =>
  (await json(await service.fetch('/api/sources'))).find(({ name }: Row) => name === 'system.logs')

test('with monitoring on, the lines of the log are events', { timeout: 60_000 }, async () => {
  const recent = async (): Promise<{ event_message: string; level: string }[]> => {
    const logs = await systemLogs()
    return logs ? json(await service.fetch(`/api/sources/${logs.token}/recent`)) : []
  }
  await until(
    async () => (await recent()).some(({ event_message }) => event_message === 'syslog listener is ready'),
    45_000,
  )
  expect((await recent())[0]).toMatchObject({ level: 'info' })
})

describe('nobody but the service writes to its sources', { timeout: 60_000 }, () => {
  const nowNs = `${Date.now()}000000`
  beforeAll(() => until(async () => (await systemLogs()) !== undefined, 45_000), 50_000)

  test.each<[string, string, string, Record<string, string>, number]>([
    ['by name', '/api/logs?source_name=system.logs', '{"message":"sent"}', {}, 403],
    ['in an array', '/api/logs?source_name=system.logs', '[{"message":"sent"}]', {}, 403],
    ['by edge push', '/api/logs/edge?source_name=system.logs', '{"message":"sent"}', {}, 403],
    ['by Datadog', '/api/v2/logs', '[{"message":"sent","service":"system.logs"}]', { 'x-source': 'system.logs' }, 403],
    [
      'by Loki',
      '/loki/api/v1/push?source_name=system.logs',
      `{"streams":[{"stream":{},"values":[["${nowNs}","sent"]]}]}`,
      {},
      403,
    ],
    ['by Splunk', '/services/collector?index=system.logs', '{"event":"sent"}', {}, 400],
    [
      'by OTLP',
      '/v1/logs?source_name=system.logs',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"sent"}}]}]}]}',
      {},
      403,
    ],
  ])('%s', async (_, path, body, headers, status) => {
    const answer = await service.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    expect([answer.status, await answer.text()]).toEqual([
      status,
      expect.stringContaining('written by the service alone'),
    ])
  })

  test('in a bulk request, where the others are stored', async () => {
    await newSource(service, 'bulk')
    const body =
      '{"index":{"_index":"bulk"}}\n{"message":"sent"}\n{"index":{"_index":"system.logs"}}\n{"message":"sent"}\n'
    const headers = { 'content-type': 'application/x-ndjson' }
    const { errors, items } = await json(await service.fetch('/_bulk', { method: 'POST', headers, body }))
    expect([errors, items.map(({ index }: Row) => index.status)]).toEqual([true, [201, 403]])
  })

  test('by a rule, or under their names', async () => {
    const { token } = await newSource(service, 'routed')
    const logs = await systemLogs()
    const rule = await post(service, '/api/rules', { source: token, lql_string: 'x', sink: logs.token })
    expect([rule.status, await json(rule)]).toEqual([422, { errors: { sink: ['is written by the service alone'] } }])
    const taken = { errors: { name: ['is kept for what the service tells of itself'] } }
    const other = await post(service, '/api/sources', { name: 'system.metrics' })
    expect([other.status, await json(other)]).toEqual([422, taken])
    const rename = async (one: string, name: string) => {
      const headers = { 'content-type': 'application/json' }
      return json(
        await service.fetch(`/api/sources/${one}`, { method: 'PUT', headers, body: JSON.stringify({ name }) }),
      )
    }
    expect(await rename(token, 'system.metrics')).toEqual(taken)
    expect((await rename(logs.token, 'mine')).errors.name).toHaveLength(1)
    expect(await rename(logs.token, 'system.logs')).toMatchObject({ name: 'system.logs' })
  })
})
