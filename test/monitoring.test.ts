/** What the service tells of itself: metrics as described, a dashboard that names real ones, its log as events. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('with monitoring on, the lines of the log are events', { timeout: 60_000 }, async () => {
  const get = async (path: string): Promise<ReturnType<typeof JSON.parse>> =>
    JSON.parse(await (await service.fetch(path)).text())
  const recent = async (): Promise<{ event_message: string; level: string }[]> => {
    const sources: { name: string; token: string }[] = await get('/api/sources')
    const logs = sources.find(({ name }) => name === 'system.logs')
    return logs ? get(`/api/sources/${logs.token}/recent`) : []
  }
  await until(
    async () => (await recent()).some(({ event_message }) => event_message === 'syslog listener is ready'),
    45_000,
  )
  expect((await recent())[0]).toMatchObject({ level: 'info' })
})
