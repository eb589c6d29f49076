/** Live tail of the built service, as its readers see it. */
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Message, readMessages } from '../src/tail/testing.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.remove())

type Source = { token: string; name: string }

async function newSource(fields: object = {}): Promise<Source> {
  const name = `tail ${Math.random()}`
  const answer = await post('/api/sources', { name, ...fields })
  expect(answer.status).toBe(201)
  return answer.json() as Promise<Source>
}

const post = (path: string, body: unknown): Promise<Response> =>
  service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

async function send({ token }: Source, body: unknown): Promise<void> {
  const answer = await post(`/api/logs?source=${token}`, body)
  expect(answer.status, await answer.text()).toBe(200)
}

const numbered = (count: number, first = 0): { n: number }[] =>
  Array.from({ length: count }, (_, i) => ({ n: first + i }))
const upTo = (count: number, first = 0): number[] => numbered(count, first).map(({ n }) => n)

type Stream = {
  status: number
  headers: Headers
  messages(): Message[]
  events(): Record<string, unknown>[]
  numbers(): unknown[]
  lastId(): string | null
  isEnded: boolean
  close(): void
}

async function tail(
  { token }: Source,
  how: { lql?: string; lastId?: string | null; since?: string; as?: string } = {},
): Promise<Stream> {
  const abort = new AbortController()
  const since = how.since ? `&since=${how.since}` : ''
  const headers = new Headers(how.lastId ? { 'last-event-id': how.lastId } : {})
  if (how.as !== undefined) headers.set('authorization', `Bearer ${how.as}`)
  const answer = await service.fetch(`/api/sources/${token}/tail?lql=${encodeURIComponent(how.lql ?? '')}${since}`, {
    headers,
    signal: abort.signal,
  })
  let text = ''
  const stream: Stream = {
    status: answer.status,
    headers: answer.headers,
    messages: () => readMessages(text),
    events: () =>
      stream
        .messages()
        .filter(({ event, data }) => event === null && data !== null)
        .map(({ data }) => Object(data)),
    numbers: () => stream.events().map(({ n }) => n),
    lastId: () => stream.messages().findLast(({ id }) => id !== null)?.id ?? null,
    isEnded: false,
    close: () => abort.abort(),
  }
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const piece of answer.body ?? []) text += decoder.decode(piece, { stream: true })
  }
  read()
    .catch(() => {})
    .finally(() => {
      stream.isEnded = true
    })
  if (answer.ok && !how.lastId && !how.since) await until(() => stream.lastId() !== null)
  return stream
}

test('events are those that /recent shows, in the order they were sent', async () => {
  const source = await newSource()
  const stream = await tail(source)
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const batches = [
    [
      { message: 'plain', metadata: { level: 'info', code: 1 } },
      { event_message: 'own', message: 'both' },
    ],
    ['a bare text'],
    [{ message: { not: 'text' } }, { big: 1 }, { list: [1, 2], nested: [{ a: 'x' }, { a: 'y' }] }],
    [
      {
        id: 'mine',
        timestamp: new Date().toISOString(),
        'bad-key': 1,
        _id: 'x',
        empty: {},
        nothing: null,
        zero: 0,
        no: false,
      },
    ],
    [{ float: 1.5 }, { float: 2 }, { float: 1e3 }, { text: 'é \u2028 \n " \\ 日本' }],
    [{ metadata: { level: 5, code: 'text' } }, { metadata: 'scalar' }, { Metadata: { Level: 'folded' } }],
  ]
  for (const batch of batches) await send(source, batch)
  await send(
    source,
    '[{"big":9007199254740993,"longs":[-9223372036854775808,7]},{"message":"fields are known now","big":2}]',
  )
  await send(
    source,
    '[{"float":9007199254740994,"timestamp":1763193600000000000,"message":"m","metadata":{"level":"x"}}]'.replace(
      '1763193600',
      String(Math.floor(Date.now() / 1000)),
    ),
  )
  await send(
    source,
    '{"batch":[{"message":"m","float":100000000000000000000,"metadata":{"level":"9007199254740993"}}]}',
  )
  const recent = async (): Promise<Record<string, unknown>[]> =>
    (await service.fetch(`/api/sources/${source.token}/recent`)).json() as Promise<Record<string, unknown>[]>
  const stored = await recent()
  expect(stored.length).toBe(18)
  await until(() => stream.events().length === stored.length)
  const byId = (events: Record<string, unknown>[]) => new Map(events.map((event) => [event.id, event]))
  expect(byId(stream.events())).toEqual(byId(stored))
  for (const event of stream.events())
    expect(Object.keys(event).slice(0, 3)).toEqual(['id', 'timestamp', 'event_message'])
  stream.close()
})

test('an event is there within 300 ms of its acknowledgement', async () => {
  const source = await newSource()
  const stream = await tail(source, { lql: 'm.level:error -health' })
  await send(source, [
    { message: 'boom', metadata: { level: 'error' } },
    { message: 'health', metadata: { level: 'error' } },
  ])
  await until(() => stream.events().length === 1, 300, 2)
  expect(stream.events()[0]).toMatchObject({ event_message: 'boom' })
  stream.close()
})

test('a stream goes on after kill -9 without loss or repeat', async () => {
  const source = await newSource()
  let stream = await tail(source)
  const got: unknown[] = []
  let sent = 0
  for (let round = 0; round < 3; round++) {
    await send(source, numbered(7, sent))
    sent += 7
    await until(() => stream.numbers().length + got.length >= sent - 3)
    // Acknowledged in the last moment; the reader may or may not have them.
    await send(source, numbered(5, sent))
    sent += 5
    await service.restart('SIGKILL')
    await until(() => stream.isEnded)
    got.push(...stream.numbers())
    await send(source, numbered(4, sent))
    sent += 4
    stream = await tail(source, { lastId: stream.lastId() })
    await until(() => got.length + stream.numbers().length === sent)
  }
  expect([...got, ...stream.numbers()]).toEqual(upTo(sent))
  expect(stream.messages().filter(({ event }) => event === 'missed')).toEqual([])
  stream.close()
}, 60_000)

test('a place can be given in the address, too', async () => {
  const source = await newSource()
  const first = await tail(source)
  const before = first.lastId() ?? ''
  first.close()
  await send(source, numbered(3))
  const stream = await tail(source, { since: before })
  await until(() => stream.events().length === 3)
  expect(stream.numbers()).toEqual(upTo(3))
  stream.close()
})

test('a reader that does not read is told how many it missed, once it reads', async () => {
  const source = await newSource()
  const { hostname, port } = new URL(service.url)
  const path = `/api/sources/${source.token}/tail`
  const slow = request({ hostname, port, path, headers: { authorization: `Bearer ${service.managementToken}` } }).end()
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve) => slow.once('response', resolve))
  answer.pause()
  const good = await tail(source)
  const pad = 'x'.repeat(9_000)
  let sent = 0
  const missed = async (): Promise<number> =>
    Number(/^millrace_tail_missed_total (\d+)/m.exec(await (await service.fetch('/metrics')).text())?.[1])
  const before = await missed()
  while ((await missed()) === before) {
    await send(
      source,
      numbered(50, sent).map((event) => ({ ...event, pad })),
    )
    sent += 50
    await until(() => good.events().length === sent)
    expect(sent).toBeLessThan(10_000)
  }
  let text = ''
  answer.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  answer.resume()
  const told = (): number =>
    readMessages(text)
      .filter(({ event }) => event === 'missed')
      .reduce((sum, { data }) => sum + Number(Object(data).count), 0)
  await until(() => told() > 0)
  await send(source, numbered(1, sent))
  await until(() => readMessages(text).some(({ data }) => Object(data).n === sent))
  const events = readMessages(text).filter(({ event, data }) => event === null && data !== null)
  expect(events.length + told()).toBe(sent + 1)
  slow.destroy()
  good.close()
}, 60_000)

test('two hundred readers of one source each get every event', async () => {
  const source = await newSource()
  const streams = await Promise.all(Array.from({ length: 200 }, () => tail(source)))
  for (let i = 0; i < 5; i++) await send(source, numbered(10, i * 10))
  await until(() => streams.every((stream) => stream.events().length === 50), 20_000)
  for (const stream of streams) expect(stream.numbers()).toEqual(upTo(50))
  for (const stream of streams) stream.close()
  const readers = async (): Promise<string> => (await service.fetch('/metrics')).text()
  await until(async () => (await readers()).includes('millrace_tail_readers 0'))
}, 60_000)

test('refusals', async () => {
  const source = await newSource()
  const bad = await service.fetch(`/api/sources/${source.token}/tail?lql=${encodeURIComponent('fine "open')}`)
  expect(bad.status).toBe(400)
  expect(await bad.json()).toMatchObject({ error: expect.any(String), position: expect.any(Number) })
  expect((await tail({ token: crypto.randomUUID(), name: '' })).status).toBe(404)
  expect((await tail({ token: 'no-uuid', name: '' })).status).toBe(404)
  expect((await tail(source, { as: 'wrong' })).status).toBe(401)
  const { token } = Object(await (await post('/api/access-tokens', { scopes: 'ingest' })).json())
  expect((await tail(source, { as: token })).status).toBe(403)
  expect((await service.fetch(`/api/sources/${source.token}/tail`, { method: 'HEAD' })).status).toBe(404)
})

test('a revoked token and a deleted source end the stream with a message', async () => {
  const source = await newSource()
  const { id, token } = Object(await (await post('/api/access-tokens', { scopes: 'management' })).json())
  const revoked = await tail(source, { as: token })
  const deleted = await tail(source)
  await service.fetch(`/api/access-tokens/${id}`, { method: 'DELETE' })
  await until(() => revoked.isEnded, 5000)
  expect(revoked.messages().at(-1)?.data).toMatchObject({ reason: 'token_revoked' })
  await service.fetch(`/api/sources/${source.token}`, { method: 'DELETE' })
  await until(() => deleted.isEnded, 2000)
  expect(deleted.messages().at(-1)?.data).toMatchObject({ reason: 'source_deleted' })
})

test('stopping ends streams with a message and is not held up by them', async () => {
  const source = await newSource()
  const streams = await Promise.all([tail(source), tail(source)])
  const startedAt = performance.now()
  expect(await service.kill('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(4000)
  await until(() => streams.every((stream) => stream.isEnded))
  for (const stream of streams) expect(stream.messages().at(-1)?.data).toMatchObject({ reason: 'shutdown' })
})
