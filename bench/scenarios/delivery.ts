/**
 * Sending on: how fast one receiver is brought up to date over a backlog, by syslog and by gzipped HTTP, with the
 * memory that takes; and what ten attached backends that are all down cost ingest, in turns, because the speed of a
 * shared machine drifts. The receivers' process shares the cores too.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Service } from '../../test/support/service.ts'
import { eventFile } from '../data/files.ts'
import { sendLoad } from '../load/client.ts'
import { openReceivers } from '../load/open-receivers.ts'
import { cpuSeconds, untilQuiet, watchMemory } from '../machine.ts'
import { judge, type Line, median, megabytes, thousands, times } from '../table.ts'
import { createSource, loadJob, type Scenario, startMeasured } from './scenario.ts'

const SYSLOG_PER_SECOND = 40_000
const HTTP_PER_SECOND = 60_000
const MEMORY_BYTES = 700e6
const DOWN = 10
const PAIRS = 3
const SPEED_RATIO = 0.95
/** Nobody listens there. */
const NOWHERE = 9
const LOOK_EVERY_MS = 20

type CaughtUp = { perSecond: number; cpuPerMillion: number; memoryBytes: number }

export const delivery: Scenario = {
  name: 'delivery',
  async run({ ingestEvents }) {
    const receivers = await openReceivers()
    try {
      const { httpPort, syslogPort } = receivers
      const file = await eventFile(0, ingestEvents)
      const syslog = await catchUp(file, ingestEvents, 'syslog', (isUp) => ({
        ...{ host: '127.0.0.1', port: isUp ? syslogPort : NOWHERE },
      }))
      const webhook = await catchUp(file, ingestEvents, 'webhook', (isUp) => ({
        ...{ url: `http://127.0.0.1:${isUp ? httpPort : NOWHERE}/`, gzip: true },
      }))
      return [
        caughtUpLine('backlog to one syslog receiver', syslog, SYSLOG_PER_SECOND),
        caughtUpLine('backlog to one webhook, gzip', webhook, HTTP_PER_SECOND),
        memoryLine([syslog, webhook]),
        await measureDown(file),
      ]
    } finally {
      receivers.close()
    }
  },
}

/** Fills the journal while the receiver is away, then lets it come back. */
async function catchUp(
  file: string,
  events: number,
  type: string,
  config: (isUp: boolean) => object,
): Promise<CaughtUp> {
  const service = await startMeasured()
  try {
    const source = await createSource(service)
    const backend = await attach(service, source, type, config(false))
    const { refused, refusal } = await sendLoad(loadJob(service, file))
    if (refused > 0) throw new Error(`${refused} requests were refused: ${refusal}`)
    await untilQuiet(service.pid)
    const cpuBefore = cpuSeconds(service.pid)
    const stopWatching = watchMemory(service.pid)
    const startedAt = performance.now()
    await call(service, 'PATCH', `/api/backends/${backend}`, { config: config(true) })
    let status = await statusOf(service, backend)
    while (status.delivered < events) {
      await wait(LOOK_EVERY_MS)
      status = await statusOf(service, backend)
    }
    const seconds = (performance.now() - startedAt) / 1000
    const cpu = cpuSeconds(service.pid) - cpuBefore
    return { perSecond: events / seconds, cpuPerMillion: (cpu / events) * 1e6, memoryBytes: stopWatching() }
  } finally {
    await service.remove()
  }
}

async function measureDown(file: string): Promise<Line> {
  const service = await startMeasured()
  try {
    const source = await createSource(service)
    await load(service, file)
    const alone: Round[] = []
    const burdened: Round[] = []
    for (let i = 0; i < PAIRS; i++) {
      alone.push(await load(service, file))
      const backends: string[] = []
      for (let n = 0; n < DOWN; n++)
        backends.push(await attach(service, source, 'webhook', { url: `http://127.0.0.1:${NOWHERE}/${n}` }))
      burdened.push(await load(service, file))
      for (const token of backends) await call(service, 'DELETE', `/api/sources/${source}/backends/${token}`)
    }
    const perSecond = (rounds: Round[]): number => median(rounds.map((round) => round.perSecond))
    const cpu = (rounds: Round[]): number => median(rounds.map((round) => round.cpuPerMillion))
    const ratios = burdened.map((round, i) => round.perSecond / alone[i]!.perSecond)
    const ratio = median(ratios)
    return {
      scenario: `ingest with ${DOWN} backends that are down`,
      ours: `${thousands(perSecond(burdened))}/s = ${times(ratio)} (median of pairs: ${ratios.map((one) => one.toFixed(2)).join(', ')})`,
      target: `≥ ${times(SPEED_RATIO)} without`,
      verdict: judge(ratio >= SPEED_RATIO),
      scale: `without here ${thousands(perSecond(alone))}/s; CPU s per million ${cpu(alone).toFixed(1)} without, ${cpu(burdened).toFixed(1)} with`,
      figures: {
        ...{ ratio, perSecond: perSecond(burdened), perSecondAlone: perSecond(alone) },
        ...{ cpuPerMillion: cpu(burdened), cpuPerMillionAlone: cpu(alone) },
      },
    }
  } finally {
    await service.remove()
  }
}

type Round = { perSecond: number; cpuPerMillion: number }

async function load(service: Service, file: string): Promise<Round> {
  await untilQuiet(service.pid)
  const before = cpuSeconds(service.pid)
  const { events, seconds } = await sendLoad(loadJob(service, file))
  await untilQuiet(service.pid)
  return { perSecond: events / seconds, cpuPerMillion: ((cpuSeconds(service.pid) - before) / events) * 1e6 }
}

/** Answers the token of a new backend. */
async function attach(service: Service, source: string, type: string, config: object): Promise<string> {
  const { token } = JSON.parse(await call(service, 'POST', '/api/backends', { name: type, type, config }))
  await call(service, 'POST', `/api/sources/${source}/backends/${token}`)
  return token
}

async function statusOf(service: Service, backend: string): Promise<{ delivered: number }> {
  return JSON.parse(await call(service, 'GET', `/api/backends/${backend}/status`))
}

async function call(service: Service, method: string, path: string, body?: object): Promise<string> {
  const json = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
  const answer = await service.fetch(path, { method, ...json })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text
}

function caughtUpLine(scenario: string, { perSecond, cpuPerMillion, memoryBytes }: CaughtUp, target: number): Line {
  return {
    scenario,
    ours: `${thousands(perSecond)}/s, CPU s per million ${cpuPerMillion.toFixed(1)}`,
    target: `≥ ${thousands(target)}/s`,
    verdict: judge(perSecond >= target),
    scale: '',
    figures: { perSecond, cpuPerMillion, memoryBytes },
  }
}

function memoryLine(runs: CaughtUp[]): Line {
  const memoryBytes = Math.max(...runs.map((run) => run.memoryBytes))
  return {
    scenario: 'memory, while a backlog is sent',
    ours: megabytes(memoryBytes),
    target: `≤ ${megabytes(MEMORY_BYTES)}`,
    verdict: judge(memoryBytes <= MEMORY_BYTES),
    scale: '',
    figures: { memoryBytes },
  }
}
