import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStage } from '../testing.ts'
import { MAX_HELD_BYTES } from './limits.ts'
import { createSyslogListener } from './listener.ts'

type Stage = Awaited<ReturnType<typeof createStage>>

let stage: Stage
let listener: ReturnType<typeof createSyslogListener>
let port: number

beforeEach(async () => {
  stage = await createStage()
  const settings = { host: '127.0.0.1', port: 0, tls: null, token: stage.token, source: 'app' }
  listener = createSyslogListener({ settings, ...stage })
  port = Number((await listener.start()).split(':').at(-1))
})

afterEach(async () => {
  stage.store.stop()
  await listener.stop()
  await stage.stop()
})

const say = async (text: string | Buffer): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve) => socket.end(text, () => resolve(null)))
}

async function datagrams(...texts: string[]): Promise<void> {
  const socket = createSocket('udp4')
  for (const text of texts) await new Promise((resolve) => socket.send(text, port, '127.0.0.1', resolve))
  await new Promise((resolve) => socket.close(() => resolve(null)))
}

const message = (text: string, data = '-'): string => `<134>1 2026-11-15T11:00:00Z host app 7 - ${data} ${text}`

const texts = (source = stage.app) => stage.stored(source).map(({ event_message }) => event_message)

test('messages over TCP, by length and by line, are stored', async () => {
  await say(`${message('one').length} ${message('one')}${message('two')}\n<13>Nov 15 10:00:00 host su: three\n`)
  await vi.waitFor(() => expect(texts()).toEqual(['one', 'two', 'three']))
  expect(stage.stored()[0]).toMatchObject({ metadata: { level: 'info', hostname: 'host', appname: 'app' } })
})

test('a datagram is a message, line ends and all', async () => {
  await datagrams(message('one'), message('two\nlines'))
  await vi.waitFor(() => expect(texts()).toEqual(['one', 'two\nlines']))
  expect(listener.health()).toMatchObject({ received: 2, refused: 0, shed: 0 })
})

test('a message may bring its own source and token, and the token is not stored', async () => {
  const data = `[millrace@32473 token="${stage.token}" source="web"]`
  await say(`${message('one', data)}\n${message('two', `[a@1 b="c"]${data}`)}\n${message('three')}\n`)
  await vi.waitFor(() => expect(texts(stage.web)).toEqual(['one', 'two']))
  await vi.waitFor(() => expect(texts()).toEqual(['three']))
  expect(stage.trial.rowsText()).not.toContain(stage.token)
  expect(stage.stored(stage.web)[1]).toMatchObject({ metadata: { sd: [{ id: 'a@1', b: 'c' }] } })
})

test('a token in the text of a message is no address', async () => {
  await say(`${message('hello [millrace token="nobody" source="web"]')}\n`)
  await vi.waitFor(() => expect(texts()).toEqual(['hello [millrace token="nobody" source="web"]']))
})

test('what is no syslog, or too long, is recorded with its reason, and the connection goes on', async () => {
  await say(`nonsense\n<1>${'x'.repeat(70_000)}\n${message('good')}\n`)
  await vi.waitFor(() => expect(texts()).toEqual(['good']))
  const reasons = stage.trial.rejects.map(({ reason }) => reason)
  expect(reasons).toEqual(['is not a syslog message', 'is over 64 kB'])
  expect(listener.health().refused).toBe(2)
})

test('messages for an unknown source or by an unknown token are counted and told once', async () => {
  await say(
    `${message('a', '[millrace source="gone"]')}\n${message('b', '[millrace token="wrong"]')}\n${message('c')}\n`,
  )
  await vi.waitFor(() => expect(texts()).toEqual(['c']))
  await vi.waitFor(() => expect(listener.health().refused).toBe(2))
  expect(stage.warnings).toHaveLength(1)
})

test('without room a connection is not read any further, and goes on when there is room', async () => {
  stage.room.isThere = false
  const line = `${message('x'.repeat(60_000))}\n`
  const count = Math.ceil((2 * MAX_HELD_BYTES) / line.length)
  const socket = connect(port, '127.0.0.1')
  let sent = 0
  const send = (): void => {
    while (sent < count) {
      sent++
      if (!socket.write(line)) {
        socket.once('drain', send)
        return
      }
    }
    socket.end()
  }
  send()
  await vi.waitFor(() => expect(listener.health().received * line.length).toBeGreaterThan(MAX_HELD_BYTES), 20_000)
  expect(sent).toBeLessThan(count)
  stage.room.isThere = true
  await vi.waitFor(() => expect(stage.trial.counted.accepted).toBe(count), 20_000)
  expect(listener.health()).toMatchObject({ received: count, refused: 0 })
})

test('a stop stores what was received', async () => {
  await say(`${message('last')}\n`)
  await vi.waitFor(() => expect(listener.health().received).toBe(1))
  await listener.stop()
  expect(texts()).toEqual(['last'])
})
