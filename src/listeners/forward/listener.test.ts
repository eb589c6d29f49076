import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { decode, Encoder, ExtData, encode } from '@msgpack/msgpack'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStage } from '../testing.ts'
import { createForwardListener } from './listener.ts'

let stage: Awaited<ReturnType<typeof createStage>>
const open: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  stage = await createStage()
})

afterEach(async () => {
  stage.store.stop()
  for (const listener of open.splice(0)) await listener.stop()
  await stage.stop()
})

type Setup = { sharedKey?: string | null; users?: [string, string][]; source?: string | null }

async function start({ sharedKey = null, users = [], source = 'app' }: Setup = {}) {
  const tagSources: [string, string][] = [
    ['web.*', 'web'],
    ['lost', 'nowhere'],
  ]
  const settings = { host: '127.0.0.1', port: 0, tls: null, token: stage.token, source, tagSources, sharedKey, users }
  const listener = createForwardListener({ settings, ...stage })
  open.push(listener)
  const port = Number((await listener.start()).split(':').at(-1))
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  return { listener, socket }
}

const answer = async (socket: Socket): Promise<unknown> => {
  const [bytes] = await once(socket, 'data')
  return decode(bytes)
}

const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve))

const SECONDS = Date.UTC(2026, 10, 15, 11) / 1000
const nanos = Buffer.alloc(8)
nanos.writeUInt32BE(SECONDS, 0)
nanos.writeUInt32BE(1_500, 4)
const eventTime = new ExtData(0, nanos)

const entry = (n: number): unknown[] => [SECONDS, { log: `line ${n}`, n }]
const packed = Buffer.concat([1, 2].map((n) => encode(entry(n))))

test.each([
  ['one event', [['app', SECONDS, { log: 'line 1', n: 1 }]], 1],
  ['a list of events', [['app', [entry(1), entry(2)], {}]], 2],
  ['packed events', [['app', packed, { size: 2 }]], 2],
  ['compressed events', [['app', gzipSync(packed), { compressed: 'gzip', size: 2 }]], 2],
  [
    'several messages and signs of life',
    [null, ['app', SECONDS, { log: 'line 1', n: 1 }], null, ['app', [entry(2)]]],
    2,
  ],
  ['times with what Fluent Bit knows beside them', [['app', [[[eventTime, {}], { log: 'line 1', n: 1 }]]]], 1],
])('%s: stored with tag, time and message, wherever the stream is cut', async (_, messages, count) => {
  const bytes = Buffer.concat(messages.map((message) => encode(message)))
  for (const at of [bytes.length, 1, 7, bytes.length - 1]) {
    const before = stage.trial.counted.accepted
    const { socket } = await start()
    socket.write(bytes.subarray(0, at))
    await new Promise((resolve) => setImmediate(resolve))
    socket.end(bytes.subarray(at))
    await vi.waitFor(() => expect(stage.trial.counted.accepted).toBe(before + count))
  }
  expect(stage.stored()[0]).toMatchObject({ event_message: 'line 1', n: 1, tag: 'app' })
  expect(Math.floor(Number(stage.stored()[0]?.timestamp) / 1e6)).toBe(SECONDS)
})

test('an event time keeps its microseconds, an integer its 64 bits, and a name is only a name', async () => {
  const { socket } = await start()
  const record = new Encoder({ useBigInt64: true }).encode({
    message: 'm',
    big: 9_007_199_254_740_993n,
    constructor: 1,
  })
  const head = Buffer.concat([Buffer.from([0x93]), encode('app'), encode(eventTime)])
  socket.end(Buffer.concat([head, record]))
  await vi.waitFor(() => expect(stage.stored()).toHaveLength(1))
  expect(stage.stored()[0]).toMatchObject({ timestamp: SECONDS * 1e6 + 1, constructor: 1 })
  expect(stage.trial.rowsText()).toContain('9007199254740993')
})

test('a chunk is acknowledged once it is durable, and not before', async () => {
  const { socket } = await start()
  stage.room.isThere = false
  let isAnswered = false
  const ack = answer(socket).then((said) => {
    isAnswered = true
    return said
  })
  socket.write(encode(['app', [entry(1)], { chunk: 'p8n9gmxTQVC8/nh2wlKKeQ==' }]))
  await vi.waitFor(() => expect(stage.trial.counted.accepted).toBe(0))
  expect(isAnswered).toBe(false)
  stage.room.isThere = true
  expect(await ack).toEqual({ ack: 'p8n9gmxTQVC8/nh2wlKKeQ==' })
  expect(stage.stored()).toHaveLength(1)
})

test('the tag names the source; one that leads nowhere is not acknowledged', async () => {
  const { socket, listener } = await start({ source: null })
  socket.write(encode(['lost', [entry(1)], { chunk: 'a' }]))
  socket.write(encode(['web.1', [entry(2)], { chunk: 'b' }]))
  expect(await answer(socket)).toEqual({ ack: 'b' })
  expect(stage.stored(stage.web)).toMatchObject([{ tag: 'web.1', n: 2 }])
  expect(listener.health()).toMatchObject({ received: 2, refused: 1 })
  expect(stage.warnings).toHaveLength(1)
})

test('an event that cannot be stored is recorded, and its chunk is acknowledged: it would fail again', async () => {
  const { socket } = await start()
  const large = 'x'.repeat(1_100_000)
  socket.write(encode(['app', [[SECONDS, { large }], [SECONDS, { l: [[1]] }], entry(3)], { chunk: 'c' }]))
  expect(await answer(socket)).toEqual({ ack: 'c' })
  expect(stage.stored()).toHaveLength(1)
  expect(stage.trial.rejects.map(({ reason }) => reason)).toEqual(['is over 1 MB', expect.stringContaining('l')])
})

const digest = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

test('who knows the shared key is heard, and is shown that the receiver knows it', async () => {
  const { socket } = await start({ sharedKey: 'secret' })
  const hello = await answer(socket)
  expect(hello).toMatchObject(['HELO', { keepalive: true }])
  const nonce = nonceOf(hello)
  socket.write(encode(['PING', 'client', 'salt', digest('salt', 'client', nonce, 'secret'), '', '']))
  const pong = await answer(socket)
  const name = Array.isArray(pong) ? String(pong[3]) : ''
  expect(pong).toEqual(['PONG', true, '', name, digest('salt', name, nonce, 'secret')])
  socket.write(encode(['app', SECONDS, { log: 'in' }]))
  await vi.waitFor(() => expect(stage.stored()).toHaveLength(1))
})

test.each([
  ['another key', (nonce: Uint8Array) => ['PING', 'client', 'salt', digest('salt', 'client', nonce, 'guess'), '', '']],
  ['no handshake', () => ['app', SECONDS, { log: 'in' }]],
])('with %s nothing is stored and the connection ends', async (_, said) => {
  const { socket } = await start({ sharedKey: 'secret' })
  const ended = closing(socket)
  socket.write(encode(said(nonceOf(await answer(socket)))))
  expect(await answer(socket)).toEqual(['PONG', false, expect.any(String), '', ''])
  await ended
  expect(stage.stored()).toEqual([])
})

const USERS: [string, string][] = [
  ['web', 'of web'],
  ['app', 'of app'],
]

function saltOf(hello: unknown): Uint8Array {
  const options: unknown = Array.isArray(hello) ? hello[1] : null
  const salt: unknown = typeof options === 'object' && options !== null && 'auth' in options ? options.auth : null
  if (!(salt instanceof Uint8Array) || salt.length === 0) throw new Error('no salt')
  return salt
}

test.each<[string, string, string, boolean]>([
  ['the password of a user', 'app', 'of app', true],
  ['the password of another', 'app', 'of web', false],
  ['the name of nobody', 'nobody', '', false],
])('where there are users, %s decides', async (_, user, password, isWelcome) => {
  const { socket, listener } = await start({ sharedKey: 'secret', users: USERS })
  const hello = await answer(socket)
  const key = digest('salt', 'client', nonceOf(hello), 'secret')
  socket.write(encode(['PING', 'client', 'salt', key, user, digest(saltOf(hello), user, password)]))
  const reason = isWelcome ? '' : 'the user name or the password is wrong'
  expect(await answer(socket)).toMatchObject(['PONG', isWelcome, reason, expect.any(String), expect.any(String)])
  socket.write(encode(['app', SECONDS, { log: 'in' }]))
  if (isWelcome) await vi.waitFor(() => expect(stage.stored()).toHaveLength(1))
  else {
    await closing(socket)
    expect(stage.stored()).toEqual([])
    expect(stage.warnings).toMatchObject([{ reason }])
    expect(listener.health().refused).toBe(1)
  }
})

test('where there are users, the shared key alone is not enough', async () => {
  const { socket } = await start({ sharedKey: 'secret', users: USERS })
  const ended = closing(socket)
  const hello = await answer(socket)
  socket.write(encode(['PING', 'client', 'salt', digest('salt', 'client', nonceOf(hello), 'secret'), '', '']))
  expect(await answer(socket)).toMatchObject(['PONG', false, expect.stringContaining('password'), '', ''])
  await ended
})

test('a stranger cannot fill the memory', async () => {
  const { socket, listener } = await start({ sharedKey: 'secret' })
  const closed = closing(socket)
  await answer(socket)
  socket.write(Buffer.concat([Buffer.from([0x91, 0xc6, 0, 0xff, 0, 0]), Buffer.alloc(100_000)]))
  await closed
  expect(listener.health().refused).toBe(1)
  expect(stage.warnings).toMatchObject([{ err: { code: 'too_large' } }])
})

test.each([
  ['a byte that is never used', Buffer.from([0xc1])],
  ['no list', encode({ a: 1 })],
  ['a record that is none', Buffer.from([0x92, 0xa1, 0x61, 0x91, 0x01])],
  ['more than 12 MB', Buffer.concat([Buffer.from([0x92, 0xa1, 0x61, 0xc6, 0xff, 0, 0, 0]), Buffer.alloc(13_000_000)])],
  [
    'deep nesting',
    Buffer.concat([Buffer.from([0x93, 0xa1, 0x61, 0x01]), Buffer.alloc(100_000, 0x91), Buffer.from([1])]),
  ],
  ['no gzip', encode(['app', Buffer.from('xyz'), { compressed: 'gzip' }])],
])('%s closes the connection', async (_, bytes) => {
  const { socket, listener } = await start()
  const closed = closing(socket)
  socket.write(bytes)
  await closed
  expect(listener.health().refused).toBe(1)
})

function nonceOf(hello: unknown): Uint8Array {
  const options: unknown = Array.isArray(hello) ? hello[1] : null
  const nonce: unknown = typeof options === 'object' && options !== null && 'nonce' in options ? options.nonce : null
  if (!(nonce instanceof Uint8Array)) throw new Error('no nonce')
  return nonce
}
