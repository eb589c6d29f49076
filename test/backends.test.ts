/** Backends from outside: the built service, a receiver, and what happens to events when either of them dies. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHttpReceiver } from '../src/backends/testing.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
beforeAll(async () => {
  receiver = await startHttpReceiver()
  service = await startService()
}, 60_000)
afterAll(async () => {
  await service?.remove()
  await receiver?.stop()
})

type Json = ReturnType<typeof JSON.parse>

async function call(method: string, path: string, body?: object): Promise<{ status: number; json: Json }> {
  const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}
  const answer = await service.fetch(path, { method, ...init })
  const text = await answer.text()
  return { status: answer.status, json: text ? JSON.parse(text) : null }
}

test('acknowledged events reach the receiver over a crash of the service and an outage of the receiver', async () => {
  const { json: source } = await call('POST', '/api/sources', { name: 'delivered' })
  const { json: backend } = await call('POST', '/api/backends', {
    ...{ name: 'hook', type: 'webhook', config: { url: receiver.url, headers: { authorization: 'Bearer s' } } },
  })
  expect((await call('POST', `/api/backends/${backend.token}/test`)).json).toEqual({ 'connected?': true })
  expect((await call('POST', `/api/sources/${source.token}/backends/${backend.token}`)).status).toBe(200)

  const send = async (from: number, count: number): Promise<void> => {
    const batch = Array.from({ length: count }, (_, i) => ({ message: `number ${from + i}` }))
    expect((await call('POST', `/api/logs?source=${source.token}`, { batch })).status).toBe(200)
  }
  const numbers = (): Set<string> => new Set(receiver.taken.flatMap(({ body }) => body.match(/number \d+/g) ?? []))

  await send(0, 50)
  await until(() => numbers().size === 50)
  expect(receiver.taken.at(-1)?.headers).toMatchObject({ authorization: 'Bearer s', 'content-encoding': 'gzip' })

  receiver.behave(503)
  await send(50, 50)
  await until(async () => (await call('GET', `/api/backends/${backend.token}/status`)).json.state === 'retrying')
  await send(100, 50)
  await service.restart('SIGKILL')
  // The place in the journal is saved once a second, so the first events may come a second time.
  await until(async () => (await call('GET', `/api/backends/${backend.token}/status`)).json.lag_events >= 100)
  receiver.behave('accept')
  await until(() => numbers().size === 150)
  await until(async () => (await call('GET', `/api/backends/${backend.token}/status`)).json.state === 'ok')
  const { json: status } = await call('GET', `/api/backends/${backend.token}/status`)
  expect(status).toMatchObject({ lag_events: 0, lag_seconds: 0, dead_letters: 0, dropped: 0 })
  expect(status.delivered).toBeGreaterThanOrEqual(100)
}, 90_000)

test('a backend that only takes events cannot be asked', async () => {
  const { json: backend } = await call('POST', '/api/backends', {
    ...{ name: 'loki', type: 'loki', config: { url: `${receiver.url}/loki/api/v1/push` } },
  })
  const asked = await call('POST', '/api/query', { sql: 'select 1', backend_id: backend.id })
  expect(asked).toMatchObject({ status: 400, json: { error: 'Backend does not support querying' } })
})

test('a stop does not wait for a receiver that hangs', async () => {
  receiver.behave('hang')
  const [source] = (await call('GET', '/api/sources')).json.filter(({ name }: Json) => name === 'delivered')
  await call('POST', `/api/logs?source=${source.token}`, { batch: [{ message: 'late' }] })
  await until(() => receiver.heard.some(({ body }) => body.includes('late')))
  const begun = performance.now()
  expect(await service.kill('SIGTERM')).toBe(0)
  expect(performance.now() - begun).toBeLessThan(6_000)
}, 30_000)
