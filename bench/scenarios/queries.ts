/**
 * Eight questions people ask of their logs, through the management query route, warm. A fast wrong answer counts as a
 * miss: where the right answer follows from the data, it is checked. Afterwards the service is started again on the
 * data, and once more without its filters, to show what those are worth.
 */
import type { Service } from '../../test/support/service.ts'
import { planted, RARE_PIECE, RARE_WORD, TRACE_ID } from '../data/generate.ts'
import { cpuSeconds, untilQuiet } from '../machine.ts'
import { judge, type Line, median, thousands } from '../table.ts'
import { createSource, fill, query, type Row, type Scenario, SOURCE, startMeasured, timed, whole } from './scenario.ts'
import { readyLine } from './start.ts'

const WARM_UPS = 5
const RUNS = 15
const READY_WITHIN_MS = 5000
/** The targets hold for this many events. */
const TARGET_EVENTS = 2_000_000

type Question = {
  name: string
  sql(where: string): string
  targetMs: number
  scale: string
  isRight(rows: Row[], events: number): boolean
  /** Asked again without filters. */
  isNeedle?: true
}

const from = `from \`${SOURCE}\` where`
const total = (rows: Row[]): number => rows.reduce((sum, row) => sum + Number(row.n), 0)

const questions: Question[] = [
  {
    name: 'count by level',
    sql: (where) => `select level, count(*) as n ${from} ${where} group by level`,
    targetMs: 8,
    scale: 'ClickHouse 18, VictoriaLogs 1',
    isRight: (rows, events) => rows.length === 4 && total(rows) === events,
  },
  {
    name: 'status ≥ 500',
    sql: (where) => `select count(*) as n ${from} ${where} and metadata.request.status >= 500`,
    targetMs: 8,
    scale: 'ClickHouse 22, VictoriaLogs 1',
    isRight: (rows, events) => Math.abs(total(rows) / events - 0.02) < 0.005,
  },
  {
    name: 'rare substring',
    sql: (where) => `select count(*) as n ${from} ${where} and event_message like '%${RARE_PIECE}%'`,
    targetMs: 150,
    scale: 'ClickHouse 400, VictoriaLogs 243',
    isRight: (rows, events) => total(rows) === planted.rarePiece(events),
    isNeedle: true,
  },
  {
    name: 'rare word',
    sql: (where) => `select count(*) as n ${from} ${where} and event_message like '% ${RARE_WORD} %'`,
    targetMs: 35,
    scale: 'ClickHouse 348, VictoriaLogs 36',
    isRight: (rows, events) => total(rows) === planted.rareWord(events),
    isNeedle: true,
  },
  {
    name: 'last 100 of a service',
    sql: (where) =>
      `select timestamp, level, event_message ${from} ${where} and service = 'checkout' order by timestamp desc limit 100`,
    targetMs: 20,
    scale: 'ClickHouse 18, VictoriaLogs 29',
    isRight: (rows) => rows.length === 100,
  },
  {
    name: 'histogram per minute',
    sql: (where) =>
      `select timestamp_trunc(timestamp, minute) as minute, count(*) as n ${from} ${where} group by minute order by minute`,
    targetMs: 25,
    scale: 'ClickHouse 45, VictoriaLogs 62',
    isRight: (rows, events) => total(rows) === events,
  },
  {
    name: 'p95 by path',
    sql: (where) =>
      `select metadata.request.path as path, approx_quantiles(metadata.request.duration_ms, 100)[offset(95)] as p95 ${from} ${where} group by path`,
    targetMs: 60,
    scale: 'ClickHouse 73, VictoriaLogs 1372',
    isRight: (rows) => rows.length === 40 && rows.every((row) => Number(row.p95) > 60),
  },
  {
    name: 'one trace id',
    sql: (where) => `select timestamp, event_message ${from} ${where} and metadata.trace_id = '${TRACE_ID}'`,
    targetMs: 10,
    scale: 'ClickHouse 10, VictoriaLogs 4',
    isRight: (rows, events) => rows.length === planted.trace(events),
    isNeedle: true,
  },
]

export const queries: Scenario = {
  name: 'queries',
  async run({ queryEvents }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      await fill(service, 0, queryEvents)
      await untilQuiet(service.pid)
      const lines: Line[] = []
      for (const question of questions) lines.push(await ask(service, question, queryEvents))
      await service.restart()
      lines.push(readyLine(`start to /ready, ${thousands(queryEvents)} events`, service.readyMs, READY_WITHIN_MS))
      await service.kill('SIGTERM')
      lines.push(...(await withoutFilters(service.dataDir, queryEvents)))
      return lines
    } finally {
      await service.remove()
    }
  },
}

async function withoutFilters(dataDir: string, events: number): Promise<Line[]> {
  const service = await startMeasured({ env: { MILLRACE_FILTERS: 'off' }, dataDir })
  try {
    const lines: Line[] = []
    for (const question of questions) if (question.isNeedle) lines.push(await ask(service, question, events))
    return lines.map((line) => ({ ...line, scenario: `${line.scenario}, no filters`, verdict: 'for information' }))
  } finally {
    await service.kill('SIGTERM')
  }
}

async function ask(service: Service, question: Question, events: number): Promise<Line> {
  const scenario = `query: ${question.name}`
  const target = `≤ ${question.targetMs} ms at ${thousands(TARGET_EVENTS)}`
  const sql = question.sql(whole(events))
  try {
    let rows: Row[] = []
    for (let i = 0; i < WARM_UPS; i++) rows = await query(service, sql)
    // What is looked for the first time is marked in the background, from then on.
    if (question.isNeedle) await untilQuiet(service.pid)
    const { ms, cpuMs } = await measure(service, () => sql)
    // A condition that is always true makes a question that nobody asked before: nothing was kept of the parts for it.
    const anew = await measure(service, (run) => question.sql(`${whole(events)} and 'run ${run}' != ''`))
    const isRight = question.isRight(rows, events)
    const isComparable = events >= TARGET_EVENTS
    return {
      scenario,
      ours: `${ms.toFixed(1)} ms, CPU ${cpuMs.toFixed(0)}; new ${anew.ms.toFixed(1)} ms, CPU ${anew.cpuMs.toFixed(0)}${isRight ? '' : `, WRONG ANSWER (${JSON.stringify(rows).slice(0, 80)})`}`,
      target,
      verdict: isRight && !isComparable ? 'for information' : judge(isRight && ms <= question.targetMs),
      scale: question.scale,
      figures: { ms, cpuMs, newMs: anew.ms, newCpuMs: anew.cpuMs, isRight: Number(isRight), events },
    }
  } catch (error) {
    // One refused question should not hide the answers to the other seven.
    const words = error instanceof Error ? error.message.split('\n')[0]! : String(error)
    return { scenario, ours: words.slice(0, 120), target, verdict: 'misses', scale: question.scale, figures: {} }
  }
}

async function measure(service: Service, sql: (run: number) => string): Promise<{ ms: number; cpuMs: number }> {
  const allMs: number[] = []
  const cpuBefore = cpuSeconds(service.pid)
  for (let run = 0; run < RUNS; run++) allMs.push(await timed(() => query(service, sql(run))))
  return { ms: median(allMs), cpuMs: ((cpuSeconds(service.pid) - cpuBefore) * 1000) / RUNS }
}
