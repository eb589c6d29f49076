/** Bodies that are broken, extreme or malicious: a clear answer each, the same process afterwards, nothing acknowledged is lost. */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ALWAYS,
  count,
  fillUp,
  health,
  json,
  NO_FILLER,
  newSource,
  type Row,
  rows,
  store,
  untilInParts,
} from './support/dialogue.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
let pid: number
beforeAll(async () => {
  service = await startService()
  pid = service.pid
  await newSource(service, 'odd')
})
afterAll(() => service?.remove())

type Answer = { status: number; body: Row }

async function send(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await service.fetch('/api/logs?source_name=odd', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  return { status: answer.status, body: await json(answer) }
}

async function assertAlive(): Promise<void> {
  expect((await health(service)).status).toBe('ok')
  expect(service.pid).toBe(pid)
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const keys = (prefix: string, number: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: number }, (_, i) => [`${prefix}${i}`, String(i)]))

test.each([
  ['an empty body', '', 400, /empty/],
  ['white space', ' \n ', 400, /empty/],
  ['half a body', '{"message": "cut o', 400, /cannot be read/],
  ['a raw NUL byte', '{"message": "a\0b"}', 400, /cannot be read/],
  ['an event of 10,000 levels', nested(10_000), 406, /event 0.*deeper than 32 levels/],
  ['a million levels of lists', '['.repeat(1_000_000), 400, /cannot be read/],
  ['a list of 10,000 levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 406, /event 0/],
  ['a list of lists', '{"x": [[1]]}', 406, /event 0/],
  ['a number as body', '17', 406, /event 0/],
  ['an event over 1 MB', JSON.stringify({ message: 'x'.repeat(1_000_001) }), 406, /over 1 MB/],
])('%s is refused in words', async (_, body, status, words) => {
  const answer = await send(body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  expect(JSON.stringify(answer.body)).toMatch(words)
  await assertAlive()
})

test('a body that is not what its content encoding says is refused in words', async () => {
  expect(await send('plain', { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 })
  expect(await send('plain', { 'content-encoding': 'rot13' })).toMatchObject({ status: 400 })
  await assertAlive()
})

const bomb = gzipSync(Buffer.alloc(120_000_000, ' '))

test('a small archive that unpacks to more than 100 MB is refused as too large', async () => {
  const answer = await send(bomb, { 'content-encoding': 'gzip' })
  expect(answer).toMatchObject({ status: 413, body: { error: expect.stringContaining('100 MB') } })
  await assertAlive()
})

/** Speaks HTTP by hand; answers all that came back until the connection closed. */
function speak(text: string, end: 'half-close' | 'reset' | 'wait' = 'wait'): Promise<string> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let heard = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      heard += chunk
    })
    socket.on('error', () => resolve(heard)).on('close', () => resolve(heard))
    socket.write(text, () => {
      if (end === 'half-close') socket.end()
      if (end === 'reset') setTimeout(() => socket.resetAndDestroy(), 20)
    })
  })
}

const head = (...lines: string[]): string =>
  [
    'POST /api/logs?source_name=odd HTTP/1.1',
    'host: x',
    `x-api-key: ${service.managementToken}`,
    'content-type: application/json',
    ...lines,
    '\r\n',
  ].join('\r\n')

test('connections that lie about their length, stop half way or break off leave nothing behind and harm nobody', async () => {
  const event = '{"message": "from a broken connection"}'
  expect(await speak(head('connection: close', `content-length: ${event.length - 4}`) + event)).toMatch(
    /^HTTP\/1.1 400/,
  )
  expect(await speak(head('content-length: 99999999999'))).toMatch(/^HTTP\/1.1 413/)
  expect(await speak(head('content-length: -5') + event)).toMatch(/^HTTP\/1.1 400/)
  expect(await speak(`${head('transfer-encoding: chunked')}zz\r\nnonsense`)).toMatch(/^HTTP\/1.1 400/)
  expect(await speak('GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1.1 400/)
  expect(await speak(`${head(`x-long: ${'y'.repeat(20_000)}`)}`)).toMatch(/^HTTP\/1.1 431/)
  for (const end of ['half-close', 'reset'] as const)
    for (let i = 0; i < 20; i += 1) await speak(head(`content-length: ${event.length + 100}`) + event, end)
  expect(await count(service, 'odd', "event_message = 'from a broken connection'")).toBe(0)
  // A sender that closes its half after a whole request still gets its answer.
  const whole = head('connection: close', 'content-length: 2')
  expect(await speak(`${whole}[]`, 'half-close')).toMatch(/^HTTP\/1.1 200/)
  await assertAlive()
})

test('a body that dribbles in is taken when it is whole', async () => {
  const event = Buffer.from('[{"id": "dribbled"}]')
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const answer = new Promise<string>((resolve) => socket.setEncoding('utf8').on('data', resolve))
  socket.write(head('connection: close', `content-length: ${event.length}`))
  for (const byte of event) {
    socket.write(Buffer.of(byte))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(await answer).toMatch(/^HTTP\/1.1 200/)
  expect(await count(service, 'odd', "id = 'dribbled'")).toBe(1)
})

type Odd = { id: string; body: string | Buffer; column: string; expected: unknown }

const raw = (id: string, rest: string): string => `{"id": "${id}", ${rest}}`
const invalidUtf8 = Buffer.concat([
  Buffer.from('{"id": "utf8", "o_utf8": "a'),
  Buffer.of(0xff, 0xc3),
  Buffer.from('b"}'),
])

/** Events that are strange and valid: acknowledged, and then the same in every answer for ever. */
const odds: Odd[] = [
  { id: 'proto', body: raw('proto', '"o_p": {"__proto__": {"x": 1}}'), column: 'o_p.__proto__.x', expected: 1 },
  { id: 'proto2', body: raw('proto2', '"__proto__": "top"'), column: '__proto__', expected: 'top' },
  { id: 'constructor', body: raw('constructor', '"constructor": "c"'), column: 'constructor', expected: 'c' },
  {
    id: 'tostring',
    body: raw('tostring', '"toString": {"valueOf": true}'),
    column: 'toString.valueOf',
    expected: true,
  },
  { id: 'lone', body: raw('lone', '"o_lone": "a\\ud800b"'), column: 'o_lone', expected: 'a\ufffdb' },
  { id: 'pair', body: raw('pair', '"o_pair": "\\ud83d\\ude00"'), column: 'o_pair', expected: '\u{1f600}' },
  { id: 'nul', body: raw('nul', '"o_nul": "a\\u0000b"'), column: 'o_nul', expected: 'a\0b' },
  { id: 'nulkey', body: raw('nulkey', '"n\\u0000k": 5'), column: '_n_k', expected: 5 },
  { id: 'utf8', body: invalidUtf8, column: 'o_utf8', expected: 'a\ufffd\ufffdb' },
  { id: 'empty', body: raw('empty', '"": 3'), column: '_', expected: 3 },
  { id: 'long', body: raw('long', '"o_long": 9223372036854775807'), column: 'o_long', expected: '9223372036854775807' },
  { id: 'float', body: raw('float', '"o_float": -1.5e-300'), column: 'o_float', expected: -1.5e-300 },
  { id: 'quote', body: raw('quote', '"o_quote": "\\"\\\\\\n`\';--"'), column: 'o_quote', expected: '"\\\n`\';--' },
]

/** How these are kept is up to the service; that they are kept and readable is not. */
const extremes: Record<string, string> = {
  infinite: raw('infinite', '"o_inf": 1e999'),
  minus: raw('minus', '"o_inf": -1e999'),
  tiny: raw('tiny', '"o_tiny": 1e-999'),
  digits: raw('digits', `"o_digits": ${'9'.repeat(400)}`),
  decimals: raw('decimals', `"o_decimals": 0.${'3'.repeat(400)}`),
  beyond: raw('beyond', '"o_beyond": 9223372036854775808'),
  nulmessage: raw('nulmessage', '"message": "\\u0000"'),
  lonekey: raw('lonekey', '"k\\udfff": 1'),
}

test('an event whose id holds a NUL byte is among the recent ones', async () => {
  const { token } = await newSource(service, 'nul')
  await store(service, 'nul', [{ id: 'a\0b', n: 1 }])
  expect(await json(await service.fetch(`/api/sources/${token}/recent`))).toMatchObject([{ id: 'a\0b', n: 1 }])
})

test('more fields than a source may have are kept as text, and a source full of fields still answers', async () => {
  const { token } = await newSource(service, 'wide')
  await store(service, 'wide', [{ id: 'thousand', ...keys('k', 1_000) }])
  await store(service, 'wide', [{ id: 'full', o: keys('f', 1_500) }])
  await store(service, 'wide', [{ id: 'beyond', other: keys('g', 2_001) }])
  const recent: Row[] = await json(await service.fetch(`/api/sources/${token}/recent`))
  expect(recent, JSON.stringify(recent).slice(0, 500)).toHaveLength(3)
  expect(recent.find(({ id }) => id === 'thousand').k999).toBe('999')
  expect(JSON.stringify(recent.find(({ id }) => id === 'beyond'))).toContain('g2000')
  await fillUp(service, 'wide')
  await untilInParts(service, token)
  expect(await count(service, 'wide', NO_FILLER)).toBe(3)
  const [beyond] = await rows(service, `select * from wide where ${ALWAYS} and id = 'beyond'`)
  expect(JSON.stringify(beyond)).toContain('g2000')
  await assertAlive()
}, 240_000)

test('strange events that are acknowledged are read back the same: fresh, from parts and after a restart', async () => {
  for (const { id, body } of odds) expect(await send(body), id).toMatchObject({ status: 200 })
  for (const [id, body] of Object.entries(extremes)) expect(await send(body), id).toMatchObject({ status: 200 })
  await assertAlive()

  const assertStored = async (when: string): Promise<void> => {
    for (const { id, column, expected } of odds) {
      const path = column.split('.').map((name) => `\`${name}\``).join('.') // biome-ignore format: one thought
      const [row] = await rows(service, `select ${path} as v from odd where ${ALWAYS} and id = '${id}'`)
      expect(row?.v, `${id}, ${when}`).toEqual(expected)
    }
    const ids = [...odds.map(({ id }) => id), ...Object.keys(extremes)]
    for (const id of ids) expect(await count(service, 'odd', `id = '${id}'`), `${id}, ${when}`).toBe(1)
    const everything = await rows(service, `select * from odd where ${ALWAYS} and ${NO_FILLER}`)
    expect(everything.map((row) => row.id)).toEqual(expect.arrayContaining(ids))
  }

  const { token } = (await json(await service.fetch('/api/sources'))).find((source: Row) => source.name === 'odd')
  const recent: Row[] = await json(await service.fetch(`/api/sources/${token}/recent`))
  expect(recent, JSON.stringify(recent)).toBeInstanceOf(Array)
  expect(recent.map((event) => event.id)).toEqual(expect.arrayContaining(odds.map(({ id }) => id)))
  expect(recent.find((event) => event.id === 'nul').o_nul).toBe('a\0b')

  await assertStored('fresh')
  await fillUp(service, 'odd')
  await untilInParts(service, token)
  expect((await health(service)).warehouse).toMatchObject({ last_error: null, damaged: [], restarts: 0 })
  await assertStored('in parts')
  await service.restart('SIGKILL')
  await assertStored('after a restart')
  await store(service, 'odd', [{ id: 'later', o_long: 1 }])
  await until(async () => (await count(service, 'odd', "id = 'later'")) === 1)
  pid = service.pid
}, 240_000)
