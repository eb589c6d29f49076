/**
 * Endpoints: how many requests a kept answer serves, how many queries run when nothing is kept, and what translating a
 * query costs the first time and afterwards (measured in this process, on the code the service uses).
 */

import { createSql } from '../../src/sql/sql.ts'
import type { Service } from '../../test/support/service.ts'
import { sendLoad } from '../load/client.ts'
import { cpuSeconds } from '../machine.ts'
import { judge, type Line, median, thousands } from '../table.ts'
import { createSource, fill, loadJob, type Scenario, SOURCE, startMeasured } from './scenario.ts'

const EVENTS = 20_000
const CACHED = { connections: 32, perSecond: 15_000, p99Ms: 10 }
const UNCACHED = { connections: 8, perSecond: 300, requests: 2_000 }
const TRANSLATION = { coldMs: 5, keptMs: 0.05, runs: 50 }
const WARM_UPS = 3_000

const QUERY = `with recent as (
  select t.timestamp, t.level, t.metadata.request.status as status, t.event_message
  from \`${SOURCE}\` as t cross join unnest(t.metadata) as m
  where t.timestamp > timestamp '2020-01-01' and (@level is null or t.level = @level)
)
select timestamp_trunc(timestamp, hour) as hour, level, count(*) as n, countif(status >= 500) as errors
from recent group by hour, level order by hour desc, level limit 24`

export const endpoint: Scenario = {
  name: 'endpoint',
  async run({ cachedRequests }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      await fill(service, 0, EVENTS)
      return [await cached(service, cachedRequests), await uncached(service), ...translation()]
    } finally {
      await service.remove()
    }
  },
}

async function cached(service: Service, requests: number): Promise<Line> {
  const path = await create(service, { name: 'kept', query: QUERY, cache_duration_seconds: 3600 })
  const ask = (gets: number) =>
    sendLoad(loadJob(service, '', { path: `${path}?level=error`, gets, connections: CACHED.connections }))
  await ask(WARM_UPS)
  const cpuBefore = cpuSeconds(service.pid)
  const { seconds, refused, refusal, p50Ms, p99Ms } = await ask(requests)
  const perSecond = (requests - refused) / seconds
  const cpuUs = ((cpuSeconds(service.pid) - cpuBefore) / requests) * 1e6
  return {
    scenario: `endpoint, kept answer, ${CACHED.connections} connections`,
    ours: `${thousands(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${cpuUs.toFixed(0)} µs CPU each${said(refused, refusal)}`,
    target: `≥ ${thousands(CACHED.perSecond)}/s, p99 < ${CACHED.p99Ms} ms`,
    verdict: judge(perSecond >= CACHED.perSecond && p99Ms < CACHED.p99Ms && refused === 0),
    scale: '',
    figures: { perSecond, p50Ms, p99Ms, cpuUs, refused },
  }
}

async function uncached(service: Service): Promise<Line> {
  const path = await create(service, { name: 'asked anew', query: 'select @n as n', cache_duration_seconds: 0 })
  const ask = (gets: number) =>
    sendLoad(loadJob(service, '', { path: `${path}?n=7`, gets, connections: UNCACHED.connections }))
  await ask(UNCACHED.requests / 10)
  const { seconds, refused, refusal, p50Ms, p99Ms } = await ask(UNCACHED.requests)
  const perSecond = (UNCACHED.requests - refused) / seconds
  return {
    scenario: 'endpoint, trivial query, nothing kept',
    ours: `${thousands(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${said(refused, refusal)}`,
    target: `≥ ${UNCACHED.perSecond}/s`,
    verdict: judge(perSecond >= UNCACHED.perSecond && refused === 0),
    scale: '',
    figures: { perSecond, p50Ms, p99Ms, refused },
  }
}

const said = (refused: number, refusal: string | null): string =>
  refused > 0 ? `, ${refused} REFUSED (${refusal})` : ''

async function create(service: Service, fields: object): Promise<string> {
  const answer = await service.fetch('/api/endpoints', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  if (answer.status !== 201) throw new Error(`the endpoint was not created: ${await answer.text()}`)
  const { token } = JSON.parse(await answer.text())
  return `/api/endpoints/query/${token}`
}

function translation(): Line[] {
  const fields = {
    level: 'string',
    metadata: 'object',
    'metadata.request': 'object',
    'metadata.request.status': 'integer',
  } as const
  const prepare = (sql: ReturnType<typeof createSql>): number => {
    const startedAt = performance.now()
    sql.prepare({ sql: QUERY, resolve: () => 's', fields: () => fields, requireTimestamp: false, nowUs: 0 })
    return performance.now() - startedAt
  }
  const cold = median(Array.from({ length: TRANSLATION.runs }, () => prepare(createSql())))
  const sql = createSql()
  prepare(sql)
  const kept = median(Array.from({ length: TRANSLATION.runs }, () => prepare(sql)))
  const line = (name: string, ms: number, most: number): Line => ({
    scenario: `translation, ${name}`,
    ours: `${ms.toFixed(3)} ms`,
    target: `≤ ${most} ms`,
    verdict: judge(ms <= most),
    scale: '',
    figures: { ms },
  })
  return [line('first time', cold, TRANSLATION.coldMs), line('kept', kept, TRANSLATION.keptMs)]
}
