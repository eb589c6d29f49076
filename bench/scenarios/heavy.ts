/**
 * Queries that want more than the machine has, beside ingest: how much of its rate is left, and that each of them ends, by
 * a result or by a limit that says its name. The rate without them is taken before and after, because the speed of a
 * shared machine drifts.
 */
import type { Service } from '../../test/support/service.ts'
import { eventFile } from '../data/files.ts'
import { prepareLoad } from '../load/client.ts'
import { untilQuiet } from '../machine.ts'
import { judge, type Line, thousands, times } from '../table.ts'
import { createSource, fill, loadJob, type Scenario, SOURCE, startMeasured, whole } from './scenario.ts'

const QUERIES = 50
const RATE_RATIO = 0.6
/** Long after the time-out of a query. */
const LAST_END_MS = 120_000

export const heavy: Scenario = {
  name: 'heavy',
  async run({ ingestEvents }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      const stored = Math.ceil(ingestEvents / 2)
      await fill(service, 0, stored)
      const file = await eventFile(0, Math.ceil(ingestEvents / 2))
      const before = await measureRate(service, file)
      const { rate: beside, ends } = await measureBeside(service, file, stored)
      const after = await measureRate(service, file)
      return [line({ before, beside, after, ends })]
    } finally {
      await service.remove()
    }
  },
}

/** Sorting, joining and grouping everything; no two alike, so that none is answered from another's answer. */
function heavyQuery(n: number, stored: number): string {
  const where = whole(stored)
  switch (n % 3) {
    case 0:
      return `select event_message, count(*) as n, approx_count_distinct(id) as ids, ${n} as q from \`${SOURCE}\` where ${where} group by event_message order by n desc, event_message limit 100`
    case 1:
      return `select a.level, count(*) as n, ${n} as q from \`${SOURCE}\` a join \`${SOURCE}\` b on a.level = b.level where a.${where.replace(' and timestamp', ' and a.timestamp')} and b.${where.replace(' and timestamp', ' and b.timestamp')} group by a.level`
    default:
      return `select string_agg(event_message order by id) as everything, ${n} as q from \`${SOURCE}\` where ${where}`
  }
}

type End = 'result' | 'limit' | 'other'

async function ask(service: Service, sql: string): Promise<End> {
  try {
    const answer = await service.fetch(`/api/query?sql=${encodeURIComponent(sql)}`, {
      signal: AbortSignal.timeout(LAST_END_MS),
    })
    const text = await answer.text()
    if (answer.ok) return 'result'
    // A limit is a refusal in words; whatever else it may be, it is not one of the ends promised.
    return (answer.status === 400 || answer.status === 429) && text.startsWith('{"error":"') ? 'limit' : 'other'
  } catch {
    return 'other'
  }
}

async function measureBeside(service: Service, file: string, stored: number): Promise<{ rate: number; ends: End[] }> {
  await untilQuiet(service.pid)
  const load = await prepareLoad(loadJob(service, file))
  const asked = Array.from({ length: QUERIES }, (_, n) => ask(service, heavyQuery(n, stored)))
  const rate = rateOf(await load.go())
  return { rate, ends: await Promise.all(asked) }
}

async function measureRate(service: Service, file: string): Promise<number> {
  await untilQuiet(service.pid)
  const load = await prepareLoad(loadJob(service, file))
  return rateOf(await load.go())
}

function rateOf({
  events,
  seconds,
  refused,
  refusal,
}: {
  events: number
  seconds: number
  refused: number
  refusal: string | null
}): number {
  if (refused > 0) throw new Error(`${refused} requests were refused: ${refusal}`)
  return events / seconds
}

function line({ before, beside, after, ends }: { before: number; beside: number; after: number; ends: End[] }): Line {
  const ratio = beside / ((before + after) / 2)
  const count = (end: End): number => ends.filter((each) => each === end).length
  return {
    scenario: `ingest beside ${QUERIES} heavy queries`,
    ours: `${thousands(beside)}/s = ${times(ratio)}; ${count('result')} results, ${count('limit')} by a limit, ${count('other')} otherwise`,
    target: `≥ ${times(RATE_RATIO)} without them, each ends by result or limit`,
    verdict: judge(ratio >= RATE_RATIO && count('other') === 0),
    scale: `without them here ${thousands(before)}/s before, ${thousands(after)}/s after`,
    figures: { before, beside, after, ratio, results: count('result'), limits: count('limit'), other: count('other') },
  }
}
