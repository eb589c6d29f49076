/**
 * Live readers beside full ingest: the same load with nobody watching and with 200 streams on the source, in turns,
 * because the speed of a shared machine drifts. Then, without other load, how long an event takes to all streams.
 * The readers' process shares the cores too; what it takes is part of the difference.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Service } from '../../test/support/service.ts'
import { eventFile } from '../data/files.ts'
import { sendLoad } from '../load/client.ts'
import type { Delivery, FromReaders, ReadersJob, ToReaders } from '../load/readers.ts'
import { cpuSeconds, untilQuiet } from '../machine.ts'
import { judge, type Line, median, thousands, times } from '../table.ts'
import { createSource, loadJob, type Scenario, SOURCE, startMeasured } from './scenario.ts'

const READERS = 200
const PAIRS = 3
const SPEED_RATIO = 0.95
const WITHIN_MS = 300
const MEASURED_EVENTS = 200
const EVERY_MS = 20

type Round = { perSecond: number; cpuPerMillion: number; refused: number }

export const tail: Scenario = {
  name: 'tail',
  async run({ ingestEvents }) {
    const service = await startMeasured()
    try {
      await createSource(service)
      const file = await eventFile(0, ingestEvents)
      await load(service, file)
      const alone: Round[] = []
      const watched: Round[] = []
      for (let i = 0; i < PAIRS; i++) {
        alone.push(await load(service, file))
        const readers = await openReaders(await jobFor(service))
        watched.push(await load(service, file))
        readers.close()
      }
      const readers = await openReaders(await jobFor(service))
      const delivery = await readers.measure(MEASURED_EVENTS, EVERY_MS)
      readers.close()
      return [speedLine(alone, watched, await tailCounts(service)), latencyLine(delivery)]
    } finally {
      await service.remove()
    }
  },
}

async function load(service: Service, file: string): Promise<Round> {
  await untilQuiet(service.pid)
  const before = cpuSeconds(service.pid)
  const { events, seconds, refused } = await sendLoad(loadJob(service, file))
  await untilQuiet(service.pid)
  return { perSecond: events / seconds, cpuPerMillion: ((cpuSeconds(service.pid) - before) / events) * 1e6, refused }
}

async function jobFor(service: Service): Promise<ReadersJob> {
  const sources: { name: string; token: string }[] = JSON.parse(await (await service.fetch('/api/sources')).text())
  const sourceToken = sources.find(({ name }) => name === SOURCE)?.token ?? ''
  return { url: service.url, token: service.managementToken, sourceToken, readers: READERS }
}

async function openReaders(job: ReadersJob) {
  const worker = fork(fileURLToPath(new URL('../load/readers.ts', import.meta.url)))
  const ask = (message: ToReaders): Promise<FromReaders> =>
    new Promise((resolve, reject) => {
      worker.once('message', (answer: FromReaders) => {
        if (answer.kind === 'failed') reject(new Error(`readers: ${answer.reason}`))
        else resolve(answer)
      })
      worker.send(message)
    })
  await ask({ kind: 'open', job })
  return {
    async measure(events: number, everyMs: number): Promise<Delivery> {
      const answer = await ask({ kind: 'measure', events, everyMs })
      if (answer.kind !== 'measured') throw new Error('the readers answered out of turn')
      return answer.delivery
    },
    close: () => worker.disconnect(),
  }
}

async function tailCounts(service: Service): Promise<{ delivered: number; missed: number }> {
  const text = await (await service.fetch('/metrics')).text()
  const value = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
  return { delivered: value('millrace_tail_delivered_total'), missed: value('millrace_tail_missed_total') }
}

function speedLine(alone: Round[], watched: Round[], counts: { delivered: number; missed: number }): Line {
  const perSecond = (rounds: Round[]): number => median(rounds.map((round) => round.perSecond))
  const cpu = (rounds: Round[]): number => median(rounds.map((round) => round.cpuPerMillion))
  const ratios = watched.map((round, i) => round.perSecond / alone[i]!.perSecond)
  const ratio = median(ratios)
  const refused = [...alone, ...watched].reduce((sum, round) => sum + round.refused, 0)
  return {
    scenario: `ingest with ${READERS} live readers`,
    ours: `${thousands(perSecond(watched))}/s = ${times(ratio)} (median of pairs: ${ratios.map((one) => one.toFixed(2)).join(', ')})${refused > 0 ? `, ${refused} REFUSED` : ''}`,
    target: `≥ ${times(SPEED_RATIO)} without`,
    verdict: judge(ratio >= SPEED_RATIO && refused === 0),
    scale: `without here ${thousands(perSecond(alone))}/s; CPU s per million ${cpu(alone).toFixed(1)} without, ${cpu(watched).toFixed(1)} with`,
    figures: {
      ratio,
      lowestRatio: Math.min(...ratios),
      highestRatio: Math.max(...ratios),
      perSecond: perSecond(watched),
      perSecondAlone: perSecond(alone),
      cpuPerMillion: cpu(watched),
      cpuPerMillionAlone: cpu(alone),
      ...counts,
    },
  }
}

function latencyLine({ delivered, expected, p50Ms, p99Ms, maxMs }: Delivery): Line {
  const lost = delivered < expected ? `, ${thousands(expected - delivered)} of ${thousands(expected)} MISSED` : ''
  return {
    scenario: `from answer to ${READERS} live readers`,
    ours: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms${lost}`,
    target: `p99 < ${WITHIN_MS} ms`,
    verdict: judge(p99Ms < WITHIN_MS && delivered >= expected),
    scale: `one event every ${EVERY_MS} ms`,
    figures: { p50Ms, p99Ms, maxMs, delivered, expected },
  }
}
