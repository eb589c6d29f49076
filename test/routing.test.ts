/** Rules of the running service: what is copied is what the stored events say, read back over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMatcher, parse } from '../src/lql/lql.ts'
import { type Service, startService, until } from './support/service.ts'

type Event = { id: string; timestamp: number; event_message: string | null }
type Source = { token: string }

let service: Service
beforeAll(async () => {
  service = await startService()
}, 60_000)
afterAll(() => service?.remove())

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await service.fetch(path, { method, ...sent })
  const text = await answer.text()
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) }
}

const isSource = (json: unknown): json is Source => typeof json === 'object' && json !== null && 'token' in json

async function newSource(name: string, settings: object = {}): Promise<Source> {
  const { json } = await call('POST', '/api/sources', { name, ...settings })
  if (!isSource(json)) throw new Error(`no source: ${JSON.stringify(json)}`)
  return json
}

async function stored({ token }: Source): Promise<Event[]> {
  const { json } = await call('GET', `/api/sources/${token}/recent`)
  return Array.isArray(json) ? json : []
}

const LEVELS = ['debug', 'info', 'warning', 'error']
const RULES = [
  'm.level:warning..error',
  'timeout -m.status:200',
  'm.status:>=500 OR m.tags:red',
  '~"^job-[0-9]+$"',
  '-m.tags:red m.n:1.5',
]

const events = Array.from({ length: 90 }, (_, i) => ({
  id: `e${i}`,
  message: i % 3 === 0 ? `job-${i}` : i % 3 === 1 ? 'read timeout' : 'ok',
  metadata: {
    level: LEVELS[i % 4],
    ...(i % 5 === 0 ? {} : { status: i % 2 === 0 ? 200 + i * 7 : String(200 + i * 7) }),
    ...(i % 7 === 0 ? { tags: i % 2 === 0 ? ['red', 'blue'] : [] } : {}),
    n: i % 4 === 0 ? 1.5 : i,
  },
}))

test('the copies are the stored events that the rule is true of', async () => {
  const from = await newSource('from', { transform_copy_fields: 'm.level:level', drop_lql_string: 'm.level:debug ok' })
  const sinks = await Promise.all(RULES.map((_, i) => newSource(`sink ${i}`)))
  const rules = RULES.map((lql_string, i) => ({ source: from.token, sink: sinks[i]!.token, lql_string }))
  expect(await call('POST', '/api/rules', rules)).toMatchObject({ status: 201 })
  for (let at = 0; at < events.length; at += 30) {
    const batch = events.slice(at, at + 30)
    expect(await call('POST', `/api/logs?source=${from.token}`, { batch })).toMatchObject({ status: 200 })
  }
  const kept = events.filter(({ message, metadata }) => !(metadata.level === 'debug' && message === 'ok')).length
  await until(async () => (await stored(from)).length === kept)
  const source = await stored(from)
  for (const [i, lql] of RULES.entries()) {
    const matches = createMatcher(parse(lql))
    const expected = source.filter((event) => matches(event))
    expect(expected.length).toBeGreaterThan(0)
    await until(async () => (await stored(sinks[i]!)).length === expected.length)
    expect(await stored(sinks[i]!)).toEqual(expected)
  }
}, 60_000)

test('a deleted rule, and a rule to a deleted target, act on no further event', async () => {
  const [from, sink, gone] = [await newSource('a'), await newSource('b'), await newSource('c')]
  const { json: rule } = await call('POST', '/api/rules', { source: from.token, sink: sink.token, lql_string: 'x' })
  await call('POST', '/api/rules', { source: from.token, sink: gone.token, lql_string: 'x' })
  const send = () => call('POST', `/api/logs?source=${from.token}`, [{ message: 'x' }])
  await send()
  await until(async () => (await stored(sink)).length === 1)
  await call('DELETE', `/api/sources/${gone.token}`)
  if (isSource(rule)) await call('DELETE', `/api/rules/${rule.token}`)
  expect(await send()).toMatchObject({ status: 200 })
  await until(async () => (await stored(from)).length === 2)
  expect(await stored(sink)).toHaveLength(1)
  expect((await call('GET', '/api/rules')).json).not.toContainEqual(expect.objectContaining({ source: from.token }))
}, 60_000)
