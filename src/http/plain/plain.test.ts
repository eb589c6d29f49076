import { EventEmitter, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Lane } from '../lane.ts'
import { createReadPlain } from './head.ts'
import { createPlain, type Plain } from './plain.ts'

/** Tells of requests that the lane took and did not answer yet. */
const taken = new EventEmitter()

/** Takes `/lane`: tells the method, the length of its body, and which way it came. */
const lane: Lane = (request, response) => {
  if (!request.url?.startsWith('/lane')) return false
  taken.emit('request', request.url)
  const answer = (length: number): void => {
    const body = JSON.stringify({ by: 'body' in request ? 'plain' : 'server', length })
    response.writeHead(200, { 'content-length': body.length })
    response.end(body)
  }
  if ('body' in request) setImmediate(() => answer(request.body.length))
  else {
    let length = 0
    request.on('data', (piece: Buffer) => {
      length += piece.length
    })
    request.on('end', () => answer(length))
  }
  return true
}

let server: Server
let plain: Plain
let port: number
beforeAll(async () => {
  server = createServer((request, response) => {
    if (!lane(request, response)) response.writeHead(200).end(`other ${request.url}`)
  })
  plain = createPlain(server, [lane])
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

async function open(): Promise<{ socket: Socket; text(): string; until(pattern: RegExp): Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  socket.on('error', () => {})
  return {
    socket,
    text: () => text,
    async until(pattern) {
      while (!pattern.test(text)) await Promise.race([once(socket, 'data'), once(socket, 'close')])
      return text
    },
  }
}

const post = (body: string, path = '/lane'): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('a request in one piece goes the plain way, again and again on one connection', async () => {
  const { socket, until } = await open()
  socket.write(post('abc'))
  await until(/"length":3}/)
  socket.write(get('/lane'))
  expect(await until(/"length":0}/)).toMatch(/"by":"plain","length":3}.*date: .*"by":"plain","length":0}$/s)
  socket.destroy()
})

test('a connection goes over to the server with the first request that is not plain, and stays there', async () => {
  const { socket, until } = await open()
  socket.write(post('abc'))
  await until(/"length":3}/)
  socket.write(get('/elsewhere'))
  await until(/other \/elsewhere/)
  socket.write(post('abcd'))
  expect(await until(/"length":4}/)).toMatch(/"by":"plain","length":3}.*other \/elsewhere.*"by":"server","length":4}/s)
  socket.destroy()
})

test('a request cut in two at any byte gets the same answer', async () => {
  const whole = post('{"message":"cut"}')
  for (let cut = 1; cut < whole.length; cut++) {
    const { socket, until, text } = await open()
    socket.write(whole.slice(0, cut))
    await new Promise((resolve) => setTimeout(resolve, 2))
    socket.write(whole.slice(cut))
    expect([cut, await until(/"length":\d+}/)]).toEqual([
      cut,
      expect.stringMatching(/^HTTP\/1.1 200 OK.*"length":17}$/s),
    ])
    expect(text().match(/HTTP\/1\.1/g)).toHaveLength(1)
    socket.destroy()
  }
})

test('two and more requests sent at once are all answered, in their order', async () => {
  const { socket, until } = await open()
  socket.write(post('a') + post('bb') + get('/elsewhere') + post('dddd'))
  expect(await until(/"length":4}/)).toMatch(/"length":1}.*"length":2}.*elsewhere.*"length":4}$/s)
  socket.destroy()
})

test('a request that arrives while another is being answered waits for its turn', async () => {
  const { socket, until } = await open()
  socket.write(post('a'))
  socket.write(post('bb'))
  socket.write(post('ccc'))
  expect(await until(/"length":3}/)).toMatch(/"length":1}.*"length":2}.*"length":3}$/s)
  socket.destroy()
})

const odd: [string, string][] = [
  ['two lengths', 'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc'],
  ['a length with a sign', 'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc'],
  [
    'a length and chunks',
    'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc',
  ],
  ['chunks', 'POST /lane HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['no length', 'POST /lane HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a folded header', 'POST /lane HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n'],
  ['a space before the colon', 'POST /lane HTTP/1.1\r\nHost: x\r\nContent-Length : 0\r\n\r\n'],
  ['a lone line feed', 'POST /lane HTTP/1.1\r\nHost: x\nX: y\r\nContent-Length: 0\r\n\r\n'],
  ['a lone carriage return', 'POST /lane HTTP/1.1\r\nHost: x\rX: y\r\nContent-Length: 0\r\n\r\n'],
  ['a zero byte', 'POST /lane HTTP/1.1\r\nHost: x\r\nA: \0\r\nContent-Length: 0\r\n\r\n'],
  ['no host', 'GET /lane HTTP/1.1\r\nA: b\r\n\r\n'],
  ['no headers', 'GET /lane HTTP/1.1\r\n\r\n'],
  ['an old version', 'GET /lane HTTP/1.0\r\nHost: x\r\n\r\n'],
  ['another method', 'PUT /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n'],
  ['a full address', 'GET http://x/lane HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a name that is no token', 'GET /lane HTTP/1.1\r\nHost: x\r\nA(b: c\r\n\r\n'],
  ['an expectation', 'POST /lane HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n'],
  ['an upgrade', 'GET /lane HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'],
  ['a body of a GET', 'GET /lane HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na'],
]

const readPlain = createReadPlain()

test.each(odd)('%s is left to the server', (_, request) => {
  expect(readPlain(Buffer.from(request))).toBe(null)
})

test('bytes of any kind are either one whole plain request, or left to the server', () => {
  const piece = fc.constantFrom(
    'GET ',
    'POST ',
    '/a',
    ' HTTP/1.1',
    '\r\n',
    '\n',
    '\r',
    'host: x',
    ': ',
    'content-length: 2',
    'ab',
    '\0',
    'é',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
      const bytes = Buffer.from(pieces.join(''))
      const head = readPlain(bytes)
      if (head === null) return
      expect(head.headers.host).toBeDefined()
      expect(head.body.length).toBe(Number(head.headers['content-length'] ?? 0))
      expect(JSON.stringify(head.headers)).not.toMatch(/[\r\n\0]/)
    }),
    { numRuns: 2_000 },
  )
})

test('a sender that closes its side still gets its answer', async () => {
  const { socket, until } = await open()
  socket.end(post('abc'))
  expect(await until(/"length":3}/)).toMatch(/"by":"plain"/)
})

test('draining closes connections that wait, and lets a request be answered', async () => {
  const waiting = await open()
  waiting.socket.write(post('a'))
  await waiting.until(/"length":1}/)
  const busy = await open()
  const closed = Promise.all([once(waiting.socket, 'close'), once(busy.socket, 'close')])
  const drained = new Promise<void>((resolve) => {
    // In the middle of the request: its answer comes a turn later.
    taken.once('request', () => queueMicrotask(() => resolve(plain.drain(5_000))))
  })
  busy.socket.write(post('bb'))
  await drained
  await closed
  expect(busy.text()).toMatch(/"length":2}/)
})
