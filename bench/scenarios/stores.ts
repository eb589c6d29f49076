/**
 * How fast the outside stores take events: batches as delivery makes them, straight to a real engine. Where the engine of
 * ClickHouse only runs emulated, its own figure says little, so what our side could send is measured too, against a
 * receiver that takes everything.
 */
import { randomUUID } from 'node:crypto'
import { kindOf, settleConfig } from '../../src/backends/backends.ts'
import type { Receiver } from '../../src/backends/kind.ts'
import type { StoredEvent } from '../../src/model/event-of-row.ts'
import { hasClickhouse, isEmulated, startClickhouse } from '../../test/support/clickhouse.ts'
import { hasPostgres, startPostgres } from '../../test/support/postgres.ts'
import { eventJson } from '../data/generate.ts'
import { openReceivers } from '../load/open-receivers.ts'
import { judge, type Line, thousands } from '../table.ts'
import type { Scenario } from './scenario.ts'

const EVENTS = 100_000
const EMULATED_EVENTS = 10_000
const PER_SECOND = { postgres: 15_000, clickhouse: 50_000 }

export const stores: Scenario = {
  name: 'stores',
  async run() {
    const lines: Line[] = []
    if (hasPostgres()) {
      const engine = await startPostgres()
      lines.push(...(await measured('postgres', { url: await engine.createDatabase() })))
      await engine.stop()
    }
    if (hasClickhouse()) {
      const engine = await startClickhouse()
      lines.push(...(await measured('clickhouse', { url: engine.url })))
      await engine.stop()
    }
    lines.push(await ourSide())
    return lines
  },
}

/** All that is done here for ClickHouse to take an event: columns, text, compression, the official client. */
async function ourSide(): Promise<Line> {
  const { httpPort, close } = await openReceivers()
  const kind = kindOf('clickhouse')
  const url = `http://127.0.0.1:${httpPort}`
  const receiver = kind.connect(settleConfig('clickhouse', { url }), { timeoutMs: 60_000 })
  const events = Array.from({ length: EVENTS }, (_, i) => eventOf(i))
  await rate(receiver, kind.batch.events, events)
  const perSecond = await rate(receiver, kind.batch.events, events)
  receiver.stop()
  close()
  return {
    scenario: 'clickhouse, our side alone',
    ours: `${thousands(perSecond)}/s`,
    target: `≥ ${thousands(PER_SECOND.clickhouse)}/s`,
    verdict: judge(perSecond >= PER_SECOND.clickhouse),
    scale: 'against a receiver that takes everything',
    figures: { perSecond },
  }
}

async function measured(type: keyof typeof PER_SECOND, config: Record<string, unknown>): Promise<Line[]> {
  const kind = kindOf(type)
  const receiver = kind.connect(settleConfig(type, config), { timeoutMs: 60_000 })
  const isSlow = type === 'clickhouse' && isEmulated
  const events = Array.from({ length: isSlow ? EMULATED_EVENTS : EVENTS }, (_, i) => eventOf(i))
  const fresh = await rate(receiver, kind.batch.events, events)
  const again = await rate(receiver, kind.batch.events, events)
  receiver.stop()
  const line = (scenario: string, perSecond: number, target: number | null): Line => ({
    scenario,
    ours: `${thousands(perSecond)}/s`,
    target: target === null ? '' : `≥ ${thousands(target)}/s`,
    verdict: isSlow ? 'for information' : judge(target === null || perSecond >= target),
    scale: isSlow ? 'its engine is emulated here' : '',
    figures: { perSecond },
  })
  return [line(`${type}, insert`, fresh, PER_SECOND[type]), line(`${type}, the same batches again`, again, null)]
}

const source = { token: randomUUID(), name: 'bench', serviceName: null, retentionDays: 3650, fields: () => ({}) }

async function rate(receiver: Receiver, batch: number, events: StoredEvent[]): Promise<number> {
  const startedAt = performance.now()
  for (let at = 0; at < events.length; at += batch) {
    const outcome = await receiver.send({ source, events: events.slice(at, at + batch) })
    if (outcome.kind !== 'accepted') throw new Error(outcome.reason)
  }
  return events.length / ((performance.now() - startedAt) / 1000)
}

function eventOf(index: number): StoredEvent {
  const { timestamp, message, ...rest } = JSON.parse(eventJson(index))
  return { ...rest, id: `event-${index}`, timestamp: Date.parse(timestamp) * 1000, event_message: message }
}
