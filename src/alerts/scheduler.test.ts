import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../../test/support/postgres.ts'
import { startHttpReceiver, until } from '../backends/testing.ts'
import { startWorld } from './testing.ts'

let world: Awaited<ReturnType<typeof startWorld>>
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
beforeEach(async () => {
  world = await startWorld()
  receiver = await startHttpReceiver()
})
afterEach(async () => {
  await world.stop()
  await receiver.stop()
})

/** Goes on by so many minutes, one at a time. */
async function minutes(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    world.pass(1)
    await world.scheduler.look()
  }
}

const taken = (count: number) => until(() => receiver.taken.length === count)
const bodies = () => receiver.taken.map(({ body }) => JSON.parse(body))

test('an alert runs when it is due and not before, and not at all when it is off', async () => {
  const every = await world.newAlert()
  const fifth = await world.newAlert({ cron: '*/5 * * * *' })
  await world.newAlert({ enabled: false })
  await world.scheduler.look()
  expect(world.ran).toEqual([])
  await minutes(5)
  expect(world.ran.filter((name) => name === every.name)).toHaveLength(5)
  expect(world.ran.filter((name) => name === fifth.name)).toHaveLength(1)
  expect(world.ran).toHaveLength(6)
  expect(await world.now(every.token)).toMatchObject({
    state: 'ok',
    last_run_at: '2026-11-15T10:05:00.000Z',
    next_run_at: '2026-11-15T10:06:00.000Z',
  })
})

test('it fires, tells at every run unless told otherwise, and is resolved', async () => {
  const alert = await world.newAlert({ webhook_notification_url: receiver.url })
  world.find([{ host: 'b7', ms: 3050 }])
  await minutes(2)
  await taken(2)
  expect(bodies()[0]).toEqual({
    result: [{ host: 'b7', ms: 3050 }],
    state: 'firing',
    alert: { token: alert.token, name: alert.name, description: null, url: `https://logs.test/alerts/${alert.token}` },
    at: '2026-11-15T10:01:00.000Z',
  })
  expect(await world.now(alert.token)).toMatchObject({ state: 'firing', state_since: '2026-11-15T10:01:00.000Z' })
  world.find([])
  await minutes(2)
  expect((await world.runs(alert)).map(({ outcome, rows }) => [outcome, rows])).toEqual([
    ['ok', 0],
    ['resolved', 0],
    ['firing', 1],
    ['firing', 1],
  ])
  expect(receiver.taken).toHaveLength(2)
})

test.each([
  [0, [1, 2, 3, 4, 5, 6, 7]],
  [3, [1, 4, 7]],
  [null, [1]],
])('repeat_minutes %s: told in these minutes of seven', async (repeat_minutes, expected) => {
  await world.newAlert({ webhook_notification_url: receiver.url, repeat_minutes })
  world.find([{ n: 1 }])
  await minutes(7)
  await taken(expected.length)
  const told = bodies().map(({ at }) => new Date(at).getUTCMinutes())
  expect(told.sort((a, b) => a - b)).toEqual(expected)
})

test('with notify_resolved the end is told once, and only where the beginning was', async () => {
  await world.newAlert({ webhook_notification_url: receiver.url, repeat_minutes: null, notify_resolved: true })
  world.find([{ n: 1 }])
  await minutes(2)
  world.find([])
  await minutes(3)
  await taken(2)
  expect(bodies().map(({ state }) => state)).toEqual(['firing', 'resolved'])
})

test('a muted alert runs, nobody is told, and the history says so; then it is told', async () => {
  const muted_until = '2026-11-15T10:02:30.000Z'
  const alert = await world.newAlert({ webhook_notification_url: receiver.url, muted_until, repeat_minutes: null })
  world.find([{ n: 1 }])
  await minutes(4)
  await taken(1)
  expect((await world.runs(alert)).map(({ muted, deliveries }) => [muted, deliveries.length])).toEqual([
    [false, 0],
    [false, 1],
    [true, 0],
    [true, 0],
  ])
})

test('a value is compared with the threshold; a column that is not there is a failure', async () => {
  const over = { type: 'value' as const, column: 'errors', operator: '>' as const, threshold: 10 }
  const alert = await world.newAlert({ webhook_notification_url: receiver.url, condition: over })
  world.find([{ errors: 10 }, { errors: null }, { errors: 'many' }])
  await minutes(1)
  expect(await world.now(alert.token)).toMatchObject({ state: 'ok' })
  world.find([{ errors: 10 }, { errors: 11 }, { errors: '9223372036854775807' }])
  await minutes(1)
  await taken(1)
  expect(bodies()[0].result).toEqual([{ errors: 11 }, { errors: '9223372036854775807' }])
  world.find([{ n: 1 }])
  await minutes(1)
  expect(await world.now(alert.token)).toMatchObject({
    state: 'failing',
    last_error: expect.stringContaining('column errors'),
  })
})

test('a failing query is seen in state and history, and does not end what it could not see', async () => {
  const alert = await world.newAlert({ webhook_notification_url: receiver.url, notify_resolved: true })
  world.find([{ n: 1 }])
  await minutes(1)
  world.find('There is no field colour.')
  await minutes(1)
  expect(await world.now(alert.token)).toMatchObject({ state: 'failing', last_error: 'There is no field colour.' })
  expect((await world.runs(alert))[0]).toMatchObject({ outcome: 'failed', error: 'There is no field colour.' })
  world.find([])
  await minutes(1)
  await taken(2)
  expect(bodies().map(({ state }) => state)).toEqual(['firing', 'resolved'])
  expect(await world.now(alert.token)).toMatchObject({ state: 'ok', last_error: null })
})

test('runs that were missed are one line of the history, and are not made up for', async () => {
  const every = await world.newAlert()
  const daily = await world.newAlert({ cron: '0 11 * * *' })
  world.pass(125.5)
  await world.scheduler.look()
  // The last one is half a minute late and still runs.
  expect(world.ran).toEqual([every.name])
  expect((await world.runs(every)).map(({ outcome, missed }) => [outcome, missed])).toEqual([
    ['ok', 0],
    ['missed', 124],
  ])
  const [line, ...others] = await world.runs(daily)
  expect(line).toMatchObject({ outcome: 'missed', missed: 1, error: 'missed 1 run: the service was not running' })
  expect(others).toEqual([])
  expect((await world.now(daily.token)).next_run_at).toBe('2026-11-16T11:00:00.000Z')
  await minutes(1)
  expect(world.ran).toEqual([every.name, every.name])
})

test('an alert that cannot be run holds up no other', async () => {
  const broken = await world.newAlert()
  const well = await world.newAlert()
  const { claim } = world.catalog.alerts
  world.catalog.alerts.claim = async (alert, next) => {
    if (alert.id === broken.id) throw new Error('the database went away')
    return claim(alert, next)
  }
  await minutes(1)
  expect(world.ran).toEqual([well.name])
  expect(world.errors).toHaveLength(1)
})

test('the history keeps a thousand runs, of thirty days', async () => {
  const alert = await world.newAlert({ cron: '0 0 1 1 *' })
  const run = { trigger: 'schedule', outcome: 'ok', rows: 0, ms: 1, muted: false, error: null, missed: 0 } as const
  const at = new Date(world.clock.nowMs()).toISOString()
  for (let i = 0; i < 1005; i++) await world.catalog.alertRuns.add(alert.id, { ...run, at, ms: i, deliveries: [] })
  const kept = await world.runs(alert)
  expect([kept.length, kept[0]!.ms, kept.at(-1)!.ms]).toEqual([1000, 1004, 5])
  world.pass(31 * 24 * 60)
  expect(await world.runs(alert)).toEqual([])
})

describe.skipIf(!hasPostgres())('nodes that share a database', () => {
  test('one of them runs an alert', async () => {
    const postgres = await startPostgres()
    const shared = await startWorld({ url: await postgres.createDatabase() })
    try {
      await shared.newAlert()
      const nodes = [shared.scheduler, shared.newScheduler(), shared.newScheduler()]
      for (let i = 0; i < 5; i++) {
        shared.pass(1)
        await Promise.all(nodes.map((node) => node.look()))
      }
      expect(shared.ran).toHaveLength(5)
    } finally {
      await shared.stop()
      await postgres.stop()
    }
  })
})
