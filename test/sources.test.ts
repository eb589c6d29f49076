/** Sources of a running service: deleting their events while more come in, and trying settings before they are saved. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from './support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(() => service?.remove())

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await service.fetch(path, { method, ...sent })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(text || 'null')
}

const messages = async (token: string): Promise<string[]> =>
  (await call<{ event_message: string }[]>('GET', `/api/sources/${token}/recent`)).map((event) => event.event_message)

test('what was stored is gone at once and for good; what comes later stays, and so do fields and other sources', async () => {
  const { token } = await call<{ token: string }>('POST', '/api/sources', { name: 'to clear' })
  const { token: other } = await call<{ token: string }>('POST', '/api/sources', { name: 'to keep' })
  for (const source of [token, other]) {
    await call('POST', `/api/logs?source=${source}`, [{ message: 'before', metadata: { status: 500 } }])
  }
  expect(await messages(token)).toEqual(['before'])
  await call('DELETE', `/api/sources/${token}/events`)
  expect(await messages(token)).toEqual([])
  await call('POST', `/api/logs?source=${token}`, [{ message: 'after', metadata: { status: 200 } }])
  expect(await messages(token)).toEqual(['after'])
  expect(await messages(other)).toEqual(['before'])
  const found = await call<{ events: object[] }>('GET', `/api/sources/${token}/search?lql=m.status:>=200`)
  expect(found.events).toHaveLength(1)

  await service.restart('SIGKILL')
  expect(await messages(token)).toEqual(['after'])
  expect(await messages(other)).toEqual(['before'])
  const schema = await call<object>('GET', `/api/sources/${token}/schema?variant=dot`)
  expect(schema).toMatchObject({ 'metadata.status': 'integer' })
}, 60_000)

test('no event that was acknowledged after clearing is lost, however busy the source is', async () => {
  const { token } = await call<{ token: string }>('POST', '/api/sources', { name: 'busy' })
  let isCleared = false
  const later: string[] = []
  const send = async (sender: number): Promise<void> => {
    for (let n = 0; n < 40; n++) {
      const wasCleared = isCleared
      const message = `${sender}-${n}`
      await call('POST', `/api/logs?source=${token}`, [{ message, [`field_${sender}_${n % 5}`]: n }])
      if (wasCleared) later.push(message)
    }
  }
  const clear = async (): Promise<void> => {
    await call('DELETE', `/api/sources/${token}/events`)
    isCleared = true
  }
  await Promise.all([send(1), send(2), clear()])
  const stored = new Set(await messages(token))
  expect(later.length).toBeGreaterThan(0)
  expect(later.filter((message) => !stored.has(message))).toEqual([])
}, 60_000)

test('a preview runs the rules over the newest event and its key-values, and stores nothing', async () => {
  const { token } = await call<{ token: string }>('POST', '/api/sources', { name: 'previewed' })
  await call('POST', '/api/key-values', { key: 'u1', value: { org: 'acme' } })
  await call('POST', `/api/logs?source=${token}`, [{ message: 'hello', metadata: { user: 'u1', secret: 'x' } }])
  const settings = { transform_key_values: 'm.user:customer:org', transform_drop_fields: 'm.secret' }
  const preview = await call('POST', `/api/sources/${token}/preview`, { settings })
  expect(preview).toMatchObject({
    before: { event_message: 'hello', metadata: { user: 'u1', secret: 'x' } },
    after: { event_message: 'hello', metadata: { user: 'u1' }, customer: 'acme' },
    dropped: false,
    problems: [],
  })
  expect(await messages(token)).toEqual(['hello'])
  const schema = await call<object>('GET', `/api/sources/${token}/schema?variant=dot`)
  expect(schema).not.toHaveProperty('customer')
}, 60_000)
