/**
 * What routing costs: how often a rule can be asked of an event, and what a hundred rules do to the rate of ingest. The
 * rate without rules is taken before and after, because the speed of a shared machine drifts.
 */
import { createMatcher, parse } from '../../src/lql/lql.ts'
import type { Service } from '../../test/support/service.ts'
import { eventFile } from '../data/files.ts'
import { eventJson } from '../data/generate.ts'
import { prepareLoad } from '../load/client.ts'
import { cpuSeconds, untilQuiet } from '../machine.ts'
import { judge, type Line, thousands, times } from '../table.ts'
import { createSource, loadJob, type Scenario, SOURCE, startMeasured } from './scenario.ts'

const CHECKS_PER_SECOND = 2_000_000
const RATE_RATIO = 0.7
const RULES = 100
const TARGETS = 10

export const rules: Scenario = {
  name: 'rules',
  run: async ({ ingestEvents }) => [measureMatcher(), await measureIngest(Math.ceil(ingestEvents / 4))],
}

/** One rule of two clauses, on events as they are at hand in the live tail: plain objects. */
function measureMatcher(): Line {
  const matches = createMatcher(parse('service:checkout m.request.status:>=500'))
  const events: object[] = Array.from({ length: 1000 }, (_, i) => JSON.parse(eventJson(i)))
  const round = (): number => events.filter(matches).length
  for (let i = 0; i < 200; i++) round()
  const startedAt = performance.now()
  let checks = 0
  while (performance.now() - startedAt < 1000) {
    round()
    checks += events.length
  }
  const perSecond = checks / ((performance.now() - startedAt) / 1000)
  return {
    scenario: 'rules, one of two clauses',
    ours: `${thousands(perSecond)} checks/s`,
    target: `≥ ${thousands(CHECKS_PER_SECOND)}/s`,
    verdict: judge(perSecond >= CHECKS_PER_SECOND),
    scale: '',
    figures: { perSecond },
  }
}

async function measureIngest(events: number): Promise<Line> {
  const service = await startMeasured()
  try {
    await createSource(service)
    const file = await eventFile(0, events)
    await measureRate(service, file)
    const before = await measureRate(service, file)
    const made = await addRules(service)
    const ruled = await measureRate(service, file)
    for (const token of made) await call(service, 'DELETE', `/api/rules/${token}`)
    const after = await measureRate(service, file)
    const ratio = ruled.perSecond / ((before.perSecond + after.perSecond) / 2)
    const cpuRatio = ruled.cpuPerMillion / ((before.cpuPerMillion + after.cpuPerMillion) / 2)
    return {
      scenario: `ingest with ${RULES} rules`,
      ours: `${thousands(ruled.perSecond)}/s = ${times(ratio)}, CPU ${times(cpuRatio)}`,
      target: `≥ ${times(RATE_RATIO)} without rules`,
      verdict: judge(ratio >= RATE_RATIO),
      scale: `without rules here ${thousands(before.perSecond)}/s before, ${thousands(after.perSecond)}/s after`,
      figures: { before: before.perSecond, ruled: ruled.perSecond, after: after.perSecond, ratio, cpuRatio },
    }
  } finally {
    await service.remove()
  }
}

async function measureRate(service: Service, file: string): Promise<{ perSecond: number; cpuPerMillion: number }> {
  await untilQuiet(service.pid)
  const load = await prepareLoad(loadJob(service, file))
  const cpuBefore = cpuSeconds(service.pid)
  const { events, seconds, refused, refusal } = await load.go()
  if (refused > 0) throw new Error(`${refused} requests were refused: ${refusal}`)
  await untilQuiet(service.pid)
  return { perSecond: events / seconds, cpuPerMillion: ((cpuSeconds(service.pid) - cpuBefore) / events) * 1e6 }
}

/** Rules of the usual kinds that no event meets: copies cost what their storage costs, which `ingest` measures. */
function ruleText(n: number): string {
  switch (n % 4) {
    case 0:
      return `m.user.id:guest_${n} m.request.status:>=400`
    case 1:
      return `m.request.status:>=5${String(n).padStart(2, '0')} m.region:"eu-west-1" m.user.plan:trial`
    case 2:
      return `level:error m.host:"checkout-1${n}"`
    default:
      return `"kraken ${n}" service:payments`
  }
}

async function addRules(service: Service): Promise<string[]> {
  const targets: string[] = []
  for (let i = 0; i < TARGETS; i++) {
    targets.push(
      tokenOf(await call(service, 'POST', '/api/sources', { name: `${SOURCE} target ${i}`, retention_days: 3650 })),
    )
  }
  const sources = await call(service, 'GET', '/api/sources')
  const source = Array.isArray(sources) ? tokenOf(sources.find(({ name }) => name === SOURCE)) : ''
  const made: string[] = []
  for (let n = 0; n < RULES; n++) {
    const rule = { source, sink: targets[n % TARGETS], lql_string: ruleText(n) }
    made.push(tokenOf(await call(service, 'POST', '/api/rules', rule)))
  }
  return made
}

async function call(service: Service, method: string, path: string, body?: object): Promise<unknown> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await service.fetch(path, { method, ...sent })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

function tokenOf(record: unknown): string {
  if (typeof record !== 'object' || record === null || !('token' in record)) throw new Error('an answer has no token')
  return String(record.token)
}
