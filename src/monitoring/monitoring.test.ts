import { expect, test } from 'vitest'
import { openCatalog } from '../catalog/catalog.ts'
import { type SourceMetrics, SYSTEM_LOGS, SYSTEM_METRICS } from '../model/source.ts'
import { figuresOf } from './figures.ts'
import { createMonitoring } from './monitoring.ts'
import { createOwnLog, LINES_MAX } from './own-log.ts'

const clock = { nowMs: () => Date.UTC(2026, 10, 15) }

/** A catalog with two accounts; what would be stored is collected by source. */
async function startWorld() {
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock })
  const { account: owner } = await catalog.accounts.ensureOwner()
  const other = await catalog.accounts.create({ name: 'other' })
  const web = await catalog.sources.create(owner, { name: 'web' })
  const shop = await catalog.sources.create(other, { name: 'shop' })
  await catalog.sources.create(owner, { name: 'quiet' })
  const busy = new Set([web.token, shop.token])
  const stored: { account: number; token: string; events: Record<string, unknown>[] }[] = []
  const ownLog = createOwnLog()
  const monitoring = createMonitoring({
    ...{ catalog, clock, ownLog, assertRoom() {}, onSource() {} },
    printMetrics: () => '# HELP a A\n# TYPE a counter\na{x="1"} 2\na{x="2"} 3\nb_bucket{le="1"} 4\nb_sum 0.5\n',
    metricsOf(token): SourceMetrics {
      const isBusy = busy.has(token) || stored.some((one) => one.token === token)
      return { rate: isBusy ? 5 : 0, avg: 0, max: 0, total: isBusy ? 9 : 0, rejected: 0, fields: 0, bytes: 0 }
    },
    async accept({ source, body }) {
      const events: Record<string, unknown>[] = JSON.parse(body.toString())
      stored.push({ account: source.account_id, token: source.token, events })
      return { accepted: events.length, dropped: 0, refused: [], refusedCount: 0 }
    },
  })
  return { catalog, owner, other, stored, ownLog, monitoring }
}

test('each account hears of its own sources, the first one of the process too, and nobody of the service’s own sources', async () => {
  const { catalog, owner, other, stored, monitoring } = await startWorld()
  for (let i = 0; i < 2; i++) {
    stored.length = 0
    await monitoring.measure()
    const told = Object.fromEntries(
      stored.map(({ account, events }) => [account, events.map(({ message }) => message)]),
    )
    expect(told).toEqual({ [owner.id]: ['source web', 'process'], [other.id]: ['source shop'] })
  }
  expect(stored[0]!.events[1]).toEqual({
    ...{ timestamp: '2026-11-15T00:00:00.000Z', message: 'process', kind: 'process', metrics: { a: 5, b_sum: 0.5 } },
  })
  expect((await catalog.sources.byName(other.id, SYSTEM_METRICS))?.account_id).toBe(other.id)
  await catalog.stop()
})

test('log lines are kept for the first account only', async () => {
  const { catalog, owner, stored, ownLog, monitoring } = await startWorld()
  const time = '2026-11-15T00:00:01.000Z'
  ownLog.write(JSON.stringify({ level: 'warn', time, err: { message: 'gone' }, msg: 'a mail was not sent' }))
  await monitoring.keepLog()
  await monitoring.keepLog()
  expect(stored).toHaveLength(1)
  expect(stored[0]!.token).toBe((await catalog.sources.byName(owner.id, SYSTEM_LOGS))?.token)
  const metadata = { err: { message: 'gone' } }
  expect(stored[0]!.events).toEqual([{ timestamp: time, message: 'a mail was not sent', level: 'warn', metadata }])
  await catalog.stop()
})

test('of a flood of lines the first are held and the others counted; those written while storing are not held', async () => {
  const ownLog = createOwnLog()
  for (let i = 0; i < LINES_MAX + 50; i++) ownLog.write('{"msg":"x"}')
  await ownLog.aside(async () => {
    await Promise.resolve()
    ownLog.write('{"msg":"could not be stored"}')
  })
  const events = ownLog.take()
  expect(events).toHaveLength(LINES_MAX + 1)
  expect(events.at(-1)).toMatchObject({ message: '50 more log lines were left out' })
  expect(ownLog.take()).toEqual([])
})

test('what is no number is left out of the figures', () => {
  expect(figuresOf('a NaN\nb 1\n\nnonsense\n')).toEqual({ b: 1 })
})
