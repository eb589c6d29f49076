/** Senders that outrun the service are told to wait, and its memory stays within bounds whatever they send. */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchMemory } from '../bench/machine.ts'
import { count, health, json, newSource, post } from './support/dialogue.ts'
import { type Service, startService, until } from './support/service.ts'

/** Far above what these tests need when all is well, far below what they send. */
const MEMORY_MAX_BYTES = 1_200_000_000

let service: Service
beforeAll(async () => {
  service = await startService()
  await newSource(service, 'flood')
})
afterAll(() => service?.remove())

const headers = (): Record<string, string> => ({ 'content-type': 'application/json' })

async function send(body: Uint8Array<ArrayBuffer>, more: Record<string, string> = {}): Promise<Response> {
  return service.fetch('/api/logs?source_name=flood', { method: 'POST', headers: { ...headers(), ...more }, body })
}

async function expectHealthy(pid: number): Promise<void> {
  expect(service.pid).toBe(pid)
  expect((await health(service)).status).toBe('ok')
  await until(async () => (await send(Buffer.from('{"kind": "probe"}'))).status === 200)
}

test('many large bodies at once: each is stored or refused with 429, and the memory of both processes is bounded', async () => {
  const { pid } = service
  const body = Buffer.from(
    JSON.stringify(Array.from({ length: 10 }, () => ({ kind: 'large', text: 'x'.repeat(990_000) }))),
  )
  const most = watchMemory(pid)
  const answers = await Promise.all(Array.from({ length: 60 }, () => send(body).catch(() => null)))
  const statuses = answers.map((answer) => answer?.status ?? 0)
  const refused = answers.filter((answer) => answer?.status === 429)
  // A refusal that comes before the body was sent may break the connection, which a sender takes as no answer.
  expect(statuses.filter((status) => ![200, 429, 0].includes(status))).toEqual([])
  expect(refused.length, statuses.join()).toBeGreaterThan(0)
  for (const answer of refused) {
    expect(answer!.headers.get('retry-after')).toBe('3')
    expect((await json(answer!)).error).toMatch(/in a few seconds/)
  }
  expect(most()).toBeLessThan(MEMORY_MAX_BYTES)
  await expectHealthy(pid)
  const stored = await count(service, 'flood', "kind = 'large'")
  const promised = statuses.filter((status) => status === 200).length * 10
  expect(stored).toBeGreaterThanOrEqual(promised)
  expect(stored).toBeLessThanOrEqual(promised + statuses.filter((status) => status === 0).length * 10)
}, 240_000)

test('many small archives of 100 MB and more at once: each is refused, and the memory is bounded', async () => {
  const { pid } = service
  const bomb = gzipSync(Buffer.alloc(120_000_000, ' '))
  const most = watchMemory(pid)
  const answers = await Promise.all(Array.from({ length: 40 }, () => send(bomb, { 'content-encoding': 'gzip' })))
  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 413 && status !== 429)).toEqual([])
  expect(most()).toBeLessThan(MEMORY_MAX_BYTES)
  await expectHealthy(pid)
}, 240_000)

test('senders that announce much and send little are counted, and give their room back when they go', async () => {
  const { pid } = service
  const { hostname, port } = new URL(service.url)
  const head = [
    'POST /api/logs?source_name=flood HTTP/1.1',
    'host: x',
    `x-api-key: ${service.managementToken}`,
    'content-type: application/json',
    'content-length: 12000000',
    '\r\n{',
  ].join('\r\n')
  let refused = 0
  const sockets = Array.from({ length: 30 }, () =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .once('data', () => {
        refused += 1
      }),
  )
  for (const socket of sockets) socket.write(head)
  // Eleven find room; a request that came between them would take the place of one.
  await until(() => refused === 19)
  const small = Buffer.from('{"kind": "probe"}')
  await until(async () => (await send(Buffer.alloc(3_000_000, ' '))).status === 429)
  for (const socket of sockets) socket.destroy()
  await until(async () => (await send(small)).status === 200)
  await expectHealthy(pid)
}, 240_000)

test('large bodies that break off never mix their bytes with those of others', async () => {
  await newSource(service, 'mixed')
  const { hostname, port } = new URL(service.url)
  const head = [
    'POST /api/logs?source_name=mixed HTTP/1.1',
    'host: x',
    `x-api-key: ${service.managementToken}`,
    'content-type: application/json',
    'content-length: 200000',
    '\r\n',
  ].join('\r\n')
  const breakOff = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), hostname).on('error', () => {})
      socket.once('close', () => resolve())
      socket.write(head + '!'.repeat(150_000), () => setTimeout(() => socket.resetAndDestroy(), 10))
    })
  await Promise.all(Array.from({ length: 20 }, breakOff))
  const sendOwn = async (letter: string): Promise<void> => {
    const events = Array.from({ length: 60 }, () => ({ letter, text: letter.repeat(3_000) }))
    const answer = await post(service, '/api/logs?source_name=mixed', events)
    expect(answer.status, await answer.text()).toBe(200)
  }
  for (let round = 0; round < 5; round += 1) await Promise.all([...'abcdefghij'].map(sendOwn))
  expect(await count(service, 'mixed')).toBe(5 * 10 * 60)
  expect(await count(service, 'mixed', 'text = repeat(letter, 3000)')).toBe(5 * 10 * 60)
}, 240_000)
