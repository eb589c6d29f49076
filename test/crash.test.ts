import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../bench/data/random.ts'
import { cpuSeconds } from '../bench/machine.ts'
import { ALWAYS, ask, count, enginePid, health, json, newSource, store, untilLoaded } from './support/dialogue.ts'
import { type Service, startService, until } from './support/service.ts'
import { acknowledgedIn, audit, storm } from './support/storm.ts'

const KILLS = 26

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.remove())

test('every acknowledged event is there exactly once after kills of either process under full load', async () => {
  const seed = Date.now() % 1_000_000
  const strikes: string[] = []
  const ledger = await storm(service, {
    source: 'storm',
    random: createRandom(seed),
    kills: KILLS,
    onKill: (_, victim) => strikes.push(victim),
  })
  const story = `seed ${seed}: ${strikes.join(', ')}`
  expect(strikes, story).toHaveLength(KILLS)
  expect(acknowledgedIn(ledger), story).toBeGreaterThan(0)
  expect(await audit(service, ledger), `at once, ${story}`).toEqual([])
  await untilLoaded(service)
  expect(await audit(service, ledger), `all in parts, ${story}`).toEqual([])
  await service.restart('SIGKILL')
  expect(await audit(service, ledger), `after another restart, ${story}`).toEqual([])
}, 400_000)

test('an engine that dies under a query fails that query in words; the next one works and ingest goes on', async () => {
  await newSource(service, 'quiet')
  await store(service, 'quiet', [{ id: 'before' }])
  const front = service.pid
  const { restarts } = (await health(service)).warehouse
  // Minutes of work for the engine, and nothing it could answer early.
  const numbers = 'unnest(generate_array(1, 30000))'
  const running = ask(service, `select sum(a * b) as s from ${numbers} as a cross join ${numbers} as b where a <> b`)
  const engine = enginePid(service)!
  const before = cpuSeconds(engine)
  await until(() => cpuSeconds(engine) - before > 0.3)
  process.kill(engine, 'SIGKILL')
  await store(service, 'quiet', [{ id: 'during' }])

  const failed = await running
  expect(failed.status).toBe(503)
  expect(failed.headers.get('retry-after')).toBe('3')
  expect((await json(failed)).error).toMatch(/query engine stopped while it worked on this query.*retry/)

  await store(service, 'quiet', [{ id: 'after' }])
  await until(async () => (await ask(service, `select id from quiet where ${ALWAYS}`)).ok)
  expect(await count(service, 'quiet')).toBe(3)
  expect((await health(service)).warehouse.restarts).toBe(restarts + 1)
  expect(service.pid).toBe(front)
}, 240_000)
