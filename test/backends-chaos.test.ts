/**
 * Delivery in bad weather: the built service is killed ten times while it takes events and while its receivers come and
 * go. In the end each receiver has every acknowledged event, at least once.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../bench/data/random.ts'
import { type Manner, portOf, startHttpReceiver } from '../src/backends/testing.ts'
import { type Service, startService, until } from './support/service.ts'

const KILLS = 10
const SENDERS = 2
const BATCH = 40
const ID = /"id":"([0-9a-f-]{36})"/g

let service: Service
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(() => service?.remove())

/** Reads whatever comes. While it is away it says goodbye after the first bytes of every connection. */
async function startSyslogReceiver() {
  const ids = new Set<string>()
  const sockets = new Set<Socket>()
  let isAway = false
  const server = createServer((socket) => {
    sockets.add(socket)
    let rest = ''
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    socket.on('data', (bytes) => {
      const text = rest + bytes.toString('latin1')
      for (const [, id] of text.matchAll(ID)) ids.add(id!)
      rest = text.slice(-60)
      if (isAway) socket.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(server),
    has: (id: string) => ids.has(id),
    flap(away: boolean) {
      isAway = away
      if (away) for (const socket of sockets) socket.end()
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

async function startHttp() {
  const receiver = await startHttpReceiver()
  const seen = new Set<string>()
  let counted = 0
  return {
    ...receiver,
    has(id: string): boolean {
      for (; counted < receiver.taken.length; counted++) for (const one of receiver.taken[counted]!.ids) seen.add(one)
      return seen.has(id)
    },
  }
}

async function call(method: string, path: string, body: object = {}): Promise<ReturnType<typeof JSON.parse>> {
  const headers = { 'content-type': 'application/json' }
  const answer = await service.fetch(path, { method, headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

test('crashes of the service and receivers that come and go lose no acknowledged event', async () => {
  const seed = Date.now() % 1_000_000
  const random = createRandom(seed)
  const [webhook, elastic, syslog] = await Promise.all([startHttp(), startHttp(), startSyslogReceiver()])
  const source = await call('POST', '/api/sources', { name: 'stormy' })
  const backends = [
    { type: 'webhook', config: { url: webhook.url } },
    { type: 'elastic', config: { url: elastic.url, transport: 'pipeline_http' } },
    { type: 'syslog', config: { host: '127.0.0.1', port: syslog.port } },
  ]
  for (const { type, config } of backends) {
    const { token } = await call('POST', '/api/backends', { name: type, type, config })
    await call('POST', `/api/sources/${source.token}/backends/${token}`)
  }

  const acknowledged: string[] = []
  let isRaging = true
  const senders = Array.from({ length: SENDERS }, async () => {
    while (isRaging) {
      const ids = Array.from({ length: BATCH }, () => randomUUID())
      const batch = ids.map((id, i) => ({ id, message: `event ${i}`, metadata: { level: 'info' } }))
      await call('POST', `/api/logs?source=${source.token}`, { batch }).then(
        () => acknowledged.push(...ids),
        () => {},
      )
      await wait(10)
    }
  })
  const manners: readonly Manner[] = [
    'accept',
    'accept',
    503,
    'close',
    { status: 429, headers: { 'retry-after': '0' } },
  ]
  const weather = (async () => {
    while (isRaging) {
      webhook.behave(random.pick(manners))
      elastic.behave(random.pick(manners))
      syslog.flap(random.below(2) === 0)
      await wait(50 + random.below(250))
    }
  })()
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await wait(random.below(1_000))
      await service.restart('SIGKILL')
    }
  } finally {
    isRaging = false
    await Promise.all([...senders, weather])
  }
  webhook.behave('accept')
  elastic.behave('accept')
  syslog.flap(false)
  // A start forgets how long it wanted to wait for whom.
  await service.restart('SIGKILL')
  expect(acknowledged.length, `seed ${seed}`).toBeGreaterThan(BATCH)
  const missing = (): Record<string, number> => ({
    webhook: acknowledged.filter((id) => !webhook.has(id)).length,
    elastic: acknowledged.filter((id) => !elastic.has(id)).length,
    syslog: acknowledged.filter((id) => !syslog.has(id)).length,
  })
  await until(() => Object.values(missing()).every((count) => count === 0), 60_000, 200).catch(() => {})
  expect(missing(), `seed ${seed}, ${acknowledged.length} acknowledged`).toEqual({ webhook: 0, elastic: 0, syslog: 0 })
  await Promise.all([webhook.stop(), elastic.stop(), syslog.stop()])
}, 300_000)
