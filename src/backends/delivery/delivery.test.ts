import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type Manner, startHttpReceiver, startWorld, until } from '../testing.ts'

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

const ID = '00000000-0000-4000-8000-000000000001'
const types: [string, string, (url: string) => object][] = [
  ['webhook', 'webhook', (url) => ({ url })],
  ['elastic beat_http', 'elastic', (url) => ({ url, username: 'u', password: 'p' })],
  ['elastic pipeline_http', 'elastic', (url) => ({ transport: 'pipeline_http', url, gzip: false })],
  ['loki', 'loki', (url) => ({ url: `${url}/loki/api/v1/push` })],
  ['otlp', 'otlp', (url) => ({ endpoint: `${url}/v1/logs` })],
  ['elastic otlp', 'elastic', (url) => ({ transport: 'otlp', endpoint: url, gzip: false })],
  ['datadog', 'datadog', (url) => ({ url, api_key: 'k', region: 'US1' })],
  [
    'security_analytics',
    'security_analytics',
    (url) => ({
      ...{ region: 'us', project_number: '1', instance_id: ID, feed_id: ID, api_key: 'k', secret: 's' },
      base_url: url,
    }),
  ],
]
const manners: [string, Manner][] = [
  ['accepts', 'accept'],
  ['answers 429 with Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
  ['answers 500', 500],
  ['answers 401', 401],
  ['hangs', 'hang'],
  ['closes in the middle of a request', 'close'],
]

test.each(
  types.flatMap(([name, type, config]) => manners.map(([how, manner]) => ({ name, type, config, how, manner }))),
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

test.each(types)(
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
    expect(await world.delivery.retry(backend)).toEqual({ delivered: 0, remaining: 1, error: 'HTTP 400: no thanks' })
    receiver.behave('accept')
    expect(await world.delivery.retry(backend)).toEqual({ delivered: 1, remaining: 0, error: null })
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
  expect(receiver.ids()).toEqual([...many, ...large])
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
