/** The tails of two nodes, the second reached over HTTP. */
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { Peer } from '../peers/peers.ts'
import { createClusterTail } from './cluster.ts'
import type { Stream, Tail } from './tail.ts'
import { createStream, numbered, SOURCE, until, type World, withTail } from './testing.ts'

type Two = {
  here: World
  there: World
  everywhere: Tail
  /** Whether the other node answers, and is known to live. */
  other: { answers: boolean; lives: boolean; paths: string[] }
}

async function withTwo(work: (two: Two) => Promise<void>): Promise<void> {
  await withTail((here) =>
    withTail(async (there) => {
      const open = new Set<ServerResponse>()
      let isUp = true
      const other: Two['other'] = {
        lives: true,
        paths: [],
        get answers() {
          return isUp
        },
        set answers(isNow) {
          isUp = isNow
          if (!isNow) for (const response of open) response.destroy()
        },
      }
      const server = createServer((request, response) => {
        other.paths.push(request.url ?? '')
        if (!other.answers) return void response.writeHead(503).end()
        const asked = new URL(request.url ?? '', 'http://a').searchParams
        const source = { token: asked.get('source') ?? '', retention_days: 7 }
        const tailing = { source, lql: asked.get('lql') ?? '', cursor: asked.get('cursor'), endReason: () => null }
        const leave = there.tail.admit(tailing)(streamOf(response))
        open.add(response)
        response.once('close', leave)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const bound = server.address()
      const address = `http://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}`
      const peer: Peer = { id: 2, token: 'b', address, position: 0, started_at: '' }
      const everywhere = createClusterTail({
        tail: here.tail,
        peers: {
          id: 1,
          live: () => (other.lives ? [peer] : []),
          known: () => [peer],
          open: (_, path, signal) => fetchStream(address + path, signal),
        },
      })
      try {
        await work({ here, there, everywhere, other })
      } finally {
        server.close()
        server.closeAllConnections()
      }
    }),
  )
}

const fetchStream = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { signal, agent: false }, (response) => {
      response.on('error', () => {})
      if (response.statusCode === 200) resolve(response)
      else reject(new Error('no'))
    }).once('error', reject)
  })

function streamOf(response: ServerResponse): Stream {
  response.writeHead(200).flushHeaders()
  return {
    write: (bytes) => void response.write(bytes),
    get queuedBytes() {
      return response.writableLength
    },
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  }
}

function watch(tail: Tail, cursor: string | null = null) {
  const stream = createStream()
  const source = { token: SOURCE, retention_days: 7 }
  const leave = tail.admit({ source, lql: '', cursor, endReason: () => null })(stream)
  const of = (kind: string) =>
    stream
      .messages()
      .filter(({ event }) => event === kind)
      .map(({ data }) => data)
  return { stream, leave, of, isLive: () => until(() => stream.text.includes(': live')) }
}

test('events of both come, and a reader that comes back has each of them once', () =>
  withTwo(async ({ here, there, everywhere }) => {
    const first = watch(everywhere)
    await first.isLive()
    await here.append(numbered(2, 0))
    await there.append(numbered(2, 10))
    await until(() => first.stream.numbers().length === 4)
    const cursor = first.stream.lastId()
    first.leave()
    await here.append(numbered(1, 2))
    await there.append(numbered(1, 12))
    const second = watch(everywhere, cursor)
    await until(() => second.stream.numbers().length === 2)
    expect(second.stream.numbers().sort()).toEqual([12, 2])
    expect(second.of('missed')).toEqual([])
    second.leave()
  }))

test('a reader that does not read is told how many events of the other node it missed', () =>
  withTwo(async ({ there, everywhere }) => {
    const reader = watch(everywhere)
    await reader.isLive()
    reader.stream.stuckBytes = 1_000_000
    const long = 'x'.repeat(10_000)
    const sent = 2_000
    for (let i = 0; i < sent; i += 50) await there.append(numbered(50, i).map((row) => ({ ...row, long })))
    await until(() => there.counters.missed.value > 0)
    reader.stream.stuckBytes = null
    const missed = (): number => reader.of('missed').reduce<number>((sum, data) => sum + countOf(data), 0)
    await until(() => reader.stream.numbers().length + missed() === sent, 20_000)
    expect(missed()).toBeGreaterThan(0)
    reader.leave()
  }))

test('a node that is lost is told of once, and read on from where the reader was', () =>
  withTwo(async ({ there, everywhere, other }) => {
    const reader = watch(everywhere)
    await reader.isLive()
    await there.append(numbered(1))
    await until(() => reader.stream.numbers().length === 1)
    other.answers = false
    await until(() => reader.of('node').length === 1)
    await there.append(numbered(1, 1))
    await until(() => other.paths.length > 2)
    other.answers = true
    await until(() => reader.stream.numbers().length === 2)
    expect(reader.stream.numbers()).toEqual([0, 1])
    expect(reader.of('node')).toMatchObject([{ state: 'lost' }, { state: 'back' }])
    expect(reader.of('missed')).toEqual([])
    reader.leave()
  }))

test('a node that joins later is read from its start', () =>
  withTwo(async ({ there, everywhere, other }) => {
    other.lives = false
    const reader = watch(everywhere)
    await reader.isLive()
    await there.append(numbered(3))
    other.lives = true
    await until(() => reader.stream.numbers().length === 3)
    expect(reader.of('node')).toEqual([])
    reader.leave()
  }))

test('a reader that comes back while a node is away is told so, and has its events when it is back', () =>
  withTwo(async ({ there, everywhere, other }) => {
    const first = watch(everywhere)
    await first.isLive()
    await there.append(numbered(1))
    await until(() => first.stream.numbers().length === 1)
    first.leave()
    await there.append(numbered(1, 1))
    other.lives = false
    const second = watch(everywhere, first.stream.lastId())
    await until(() => second.of('node').length === 1)
    other.lives = true
    await until(() => second.stream.numbers().length === 1)
    expect([second.stream.numbers(), second.of('node')]).toMatchObject([[1], [{ state: 'lost' }, { state: 'back' }]])
    second.leave()
  }))

test('a cursor of something else is told as a gap, of both', () =>
  withTwo(async ({ everywhere }) => {
    const reader = watch(everywhere, '4096.7')
    await until(() => reader.of('missed').length === 2)
    expect(reader.of('missed')).toMatchObject([{ count: null }, { count: null }])
    reader.leave()
  }))

const countOf = (data: unknown): number =>
  typeof data === 'object' && data !== null && 'count' in data ? Number(data.count) : Number.NaN
