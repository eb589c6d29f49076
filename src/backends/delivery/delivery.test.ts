import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type Manner, startHttpReceiver, startWorld, TYPES_OVER_HTTP, until } from '../testing.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(options: Parameters<typeof startWorld>[0] = {}) {
  const receiver = await startHttpReceiver()
  const world = await startWorld(options)
  stops.push(receiver.stop, world.stop)
  return { receiver, world }
}

const manners: [string, Manner][] = [
  ['accepts', 'accept'],
  ['answers 429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
  ['answers 500', 500],
  ['answers 401', 401],
  ['hangs', 'hang'],
  ['closes in the middle of a request', 'close'],
]

test.each(
  TYPES_OVER_HTTP.flatMap(([name, type, config]) =>
    manners.map(([how, manner]) => ({ name, type, config, how, manner })),
  ),
)(
  '$name: a receiver that $how gets every event once it is well, and the place in the journal is behind them',
  async ({ type, config, manner }) => {
    const { receiver, world } = await start()
    const source = await world.newSource()
    const backend = await world.newBackend(type, config(receiver.url))
    await world.append(source, 3)
    await world.attach(source, backend)
    receiver.behave(manner)
    const sent = [...(await world.append(source, 5)), ...(await world.append(source, 2))]
    if (manner !== 'accept') {
      await until(async () => (await world.delivery.status(backend)).retried >= 2)
      const status = await world.delivery.status(backend)
      expect(status).toMatchObject({ state: manner === 401 ? 'stopped' : 'retrying', lag_events: 7, delivered: 0 })
      expect(status.last_error).toMatch(/HTTP|within|hang up|reset|closed|socket/i)
      receiver.behave('accept')
    }
    await until(async () => (await world.delivery.status(backend)).lag_events === 0)
    expect(new Set(receiver.ids())).toEqual(new Set(sent))
    expect(await world.delivery.status(backend)).toMatchObject({ state: 'ok', delivered: 7, dead_letters: 0 })
    expect(world.journal.reader(`backend:${backend.token}:${source.token}`).position).toBe(world.journal.end)
    expect(world.errors).toEqual([])
  },
)

test.each(TYPES_OVER_HTTP)(
  '%s: events that are refused for good become dead letters alone, and can be sent again',
  async (_, type, config) => {
    const { receiver, world } = await start()
    const source = await world.newSource()
    const backend = await world.newBackend(type, config(receiver.url))
    await world.attach(source, backend)
    receiver.behave(({ body }) => (body.includes('poison') ? 400 : 'accept'))
    const good = [...(await world.append(source, 9)), ...(await world.append(source, 4))]
    const bad = await world.append(source, 1, { event_message: 'poison' })
    const more = await world.append(source, 3)
    await until(async () => (await world.delivery.status(backend)).lag_events === 0)
    expect([...receiver.ids()].sort()).toEqual([...good, ...more].sort())
    const letters = await world.catalog.deadLetters.list(backend.id, { limit: 10 })
    expect(letters).toMatchObject([{ source: source.token, reason: 'HTTP 400: no thanks' }])
    expect(JSON.parse(letters[0]!.event).id).toBe(bad[0])
    expect(await world.delivery.retry(backend)).toEqual({
      ...{ tried: 1, delivered: 0, remaining: 1, error: 'HTTP 400: no thanks' },
    })
    receiver.behave('accept')
    expect(await world.delivery.retry(backend)).toEqual({ tried: 1, delivered: 1, remaining: 0, error: null })
    expect(receiver.ids()).toContain(bad[0])
  },
)

test('a restart goes on where the receiver was, also with events that came in between', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  const first = await world.append(source, 2)
  await until(() => receiver.ids().length === 2)
  receiver.behave(500)
  const second = await world.append(source, 3)
  await until(async () => (await world.delivery.status(backend)).retried > 0)
  await world.restart()
  await until(async () => (await world.delivery.status(backend)).lag_events === 3)
  receiver.behave('accept')
  await until(() => receiver.ids().length >= 5)
  expect(receiver.ids()).toEqual([...first, ...second])
})

test('Retry-After is waited for', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  await world.attach(source, await world.newBackend('webhook', { url: receiver.url }))
  receiver.behave({ status: 429, headers: { 'retry-after': '1' } })
  await world.append(source, 1)
  await until(() => receiver.heard.length === 1)
  receiver.behave('accept')
  await until(() => receiver.heard.length === 2)
  expect(receiver.heard[1]!.at - receiver.heard[0]!.at).toBeGreaterThan(950)
})

test('a change of settings acts on the next batch and ends the waiting', async () => {
  const { receiver, world } = await start({ pace: { firstMs: 60_000, longestMs: 60_000 } })
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: 'http://127.0.0.1:9/none' })
  await world.attach(source, backend)
  const ids = await world.append(source, 2)
  await until(async () => (await world.delivery.status(backend)).retried === 1)
  await world.catalog.backends.update(backend, { ...backend, config: { ...backend.config, url: receiver.url } })
  await until(() => receiver.ids().length === 2)
  expect(receiver.ids()).toEqual(ids)
})

test('rules send only what their LQL is true of, and other sources stay out of it', async () => {
  const { receiver, world } = await start()
  const [source, other] = [await world.newSource(), await world.newSource()]
  const backend = await world.newBackend('webhook', { url: receiver.url })
  const rule = { source_id: source.id, sink_id: null, backend_id: backend.id }
  await world.catalog.rules.create(source.account_id, { ...rule, lql_string: 'm.status:>=500' })
  await world.catalog.rules.create(source.account_id, { ...rule, lql_string: 'm.level:error' })
  await world.delivery.refresh()
  await world.append(other, 2, { metadata: { status: 500 } })
  await world.append(source, 2, { metadata: { status: 200 } })
  const errors = await world.append(source, 1, { metadata: { status: 503, level: 'error' } })
  await until(async () => (await world.delivery.status(backend)).delivered === 1)
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  expect(receiver.ids()).toEqual(errors)
})

test('batches are bounded by number and by bytes', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  const many = await world.append(source, 2_500)
  const large = await world.append(source, 5, { text: 'x'.repeat(900_000) })
  await until(() => receiver.ids().length === 2_505)
  expect(new Set(receiver.ids())).toEqual(new Set([...many, ...large]))
  for (const { ids, body } of receiver.taken) {
    expect(ids.length).toBeLessThanOrEqual(1_000)
    expect(body.length).toBeLessThan(2_100_000)
  }
})

test('detaching ends delivery, frees the journal, and attaching again begins anew', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  receiver.behave(500)
  await world.append(source, 2)
  await world.catalog.backends.detach(source.id, backend.id)
  await world.delivery.refresh()
  expect(world.journal.readerNames().filter((name) => name.startsWith('backend:'))).toEqual([])
  receiver.behave('accept')
  await world.attach(source, backend)
  const ids = await world.append(source, 1)
  await until(() => receiver.ids().length === 1)
  expect(receiver.ids()).toEqual(ids)
})

test('a receiver that is too far behind loses the oldest events, counted, and no others', async () => {
  const { receiver, world } = await start({ segmentBytes: 20_000, maxHeldBytes: 50_000 })
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  receiver.behave(500)
  const sent: string[] = []
  for (let i = 0; i < 20; i++) sent.push(...(await world.append(source, 10, { text: 'x'.repeat(900) })))
  await until(async () => (await world.delivery.status(backend)).dropped > 0)
  const held = world.journal.end - world.journal.reader(`backend:${backend.token}:${source.token}`).position
  expect(held).toBeLessThanOrEqual(50_000)
  const { dropped } = await world.delivery.status(backend)
  receiver.behave('accept')
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  expect(receiver.ids()).toEqual(sent.slice(dropped))
})

test('one receiver that hangs keeps no other waiting', async () => {
  const { receiver, world } = await start({ surroundings: { timeoutMs: 60_000 } })
  const other = await startHttpReceiver()
  stops.push(other.stop)
  const source = await world.newSource()
  await world.attach(source, await world.newBackend('webhook', { url: receiver.url }))
  await world.attach(source, await world.newBackend('webhook', { url: other.url }))
  receiver.behave('hang')
  const ids = await world.append(source, 2)
  await until(() => other.ids().length === 2)
  expect(other.ids()).toEqual(ids)
})

test('a source that is detached while it tries a receiver alone leaves the try to others', async () => {
  const { receiver, world } = await start({ surroundings: { timeoutMs: 60_000 } })
  const [source, other] = [await world.newSource(), await world.newSource()]
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  await world.attach(other, backend)
  receiver.behave(500)
  await world.append(source, 1)
  await until(async () => (await world.delivery.status(backend)).retried > 1)
  await world.catalog.backends.detach(source.id, backend.id)
  await world.delivery.refresh()
  receiver.behave('accept')
  const ids = await world.append(other, 1)
  await until(() => receiver.ids().length === 1)
  expect(receiver.ids()).toEqual(ids)
})

test('a lane without events holds nothing of the journal back', async () => {
  const { receiver, world } = await start()
  const [source, busy] = [await world.newSource(), await world.newSource()]
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  await world.append(busy, 10)
  await wait(20)
  const reader = world.journal.reader(`backend:${backend.token}:${source.token}`)
  await until(() => reader.position === world.journal.end)
  expect(receiver.heard).toEqual([])
})

test('several requests are under way at once; the place stays before one that failed, and only that one is repeated', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  const reader = world.journal.reader(`backend:${backend.token}:${source.token}`)
  const from = reader.position
  let isBroken = true
  // The first batch fails late, so those behind it were taken by then.
  receiver.behave(({ body }) => (body.includes('"event 5"') && isBroken ? 'hang' : 'accept'))
  const sent = await world.append(source, 4_000)
  await until(() => receiver.ids().length === 3_000)
  expect(reader.position).toBe(from)
  isBroken = false
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  expect([...receiver.ids()].sort()).toEqual(sent.sort())
  expect(reader.position).toBe(world.journal.end)
  expect(await world.delivery.status(backend)).toMatchObject({ delivered: 4_000, state: 'ok' })
})

test('what waits is counted anew after each failure', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  await world.attach(source, backend)
  for (let i = 0; i < 3; i++) {
    receiver.behave(500)
    await world.append(source, 1_500)
    await until(async () => (await world.delivery.status(backend)).retried > i)
    expect((await world.delivery.status(backend)).lag_events).toBe(1_500)
    receiver.behave('accept')
    await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  }
})

test('dead letters are sent again a thousand at a call, all of them in turn, and the answer says how many', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  const backend = await world.newBackend('webhook', { url: receiver.url })
  const letters = Array.from({ length: 1_500 }, (_, i) => ({
    ...{ source: source.token, reason: 'was refused' },
    event: JSON.stringify({ id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`, timestamp: i }),
  }))
  await world.catalog.deadLetters.add(backend.id, letters)
  receiver.behave(({ ids }) => (ids.some((id) => id.endsWith('7')) ? 400 : 'accept'))
  const first = await Promise.all([world.delivery.retry(backend), world.delivery.retry(backend)])
  expect(first[0]).toEqual({ tried: 1_000, delivered: 900, remaining: 600, error: 'HTTP 400: no thanks' })
  expect(first[1]).toEqual(first[0])
  expect(await world.delivery.retry(backend)).toMatchObject({ tried: 500, delivered: 450, remaining: 150 })
  expect(await world.delivery.retry(backend)).toMatchObject({ tried: 150, delivered: 0, remaining: 150 })
  receiver.behave(500)
  expect(await world.delivery.retry(backend)).toMatchObject({ tried: 1, delivered: 0, error: 'HTTP 500: no thanks' })
  expect(new Set(receiver.ids()).size).toBe(1_350)
})

test('health counts backends that are sent to by their state', async () => {
  const { receiver, world } = await start()
  const source = await world.newSource()
  await world.attach(source, await world.newBackend('webhook', { url: receiver.url }))
  await world.attach(source, await world.newBackend('webhook', { url: 'http://127.0.0.1:9' }))
  await world.newBackend('webhook', { url: 'http://127.0.0.1:9' })
  await world.append(source, 3)
  await until(() => world.delivery.health().retrying === 1 && world.delivery.health().lagEvents === 3)
  expect(world.delivery.health()).toMatchObject({ ok: 1, retrying: 1, stopped: 0 })
})
