import { describe, expect, test } from 'vitest'
import { LqlError } from '../lql/lql.ts'
import { createAllowance } from './allowance.ts'
import { readCursor } from './cursor.ts'
import { MAX_READERS, QUEUE_BYTES } from './limits.ts'
import { createStream, type FakeStream, numbered, OTHER, until, withTail } from './testing.ts'

const upTo = (count: number, first = 0): number[] => Array.from({ length: count }, (_, i) => first + i)

const isMissed = ({ event }: { event: string | null }): boolean => event === 'missed'

/** A fresh stream is live in the next turn of the event loop, and says so. */
const isLive = (stream: FakeStream): boolean => stream.lastId() !== null

describe('live', () => {
  test('events come in the order of the journal, each once, of this source only', () =>
    withTail(async ({ open, append }) => {
      const { stream } = open()
      await until(() => isLive(stream))
      for (let i = 0; i < 50; i++) {
        await append(numbered(20, i * 20))
        await append([{ n: -1 }], OTHER)
      }
      await until(() => stream.numbers().length >= 1000)
      expect(stream.numbers()).toEqual(upTo(1000))
      expect(stream.messages().filter(isMissed)).toEqual([])
    }))

  test('a reader gets nothing from before it came', () =>
    withTail(async ({ open, append }) => {
      await append(numbered(3))
      const { stream } = open()
      await until(() => isLive(stream))
      await append(numbered(3, 3))
      await until(() => stream.numbers().length > 0)
      expect(stream.numbers()).toEqual([3, 4, 5])
    }))

  test('each reader gets what matches its own filter', () =>
    withTail(async ({ open, append, counters }) => {
      const streams = ['', 'level:error', 'level:error', 'n:>=8'].map((lql) => open({ lql }).stream)
      await until(() => streams.every(isLive))
      await append(numbered(10))
      await until(() => streams.every((stream) => stream.numbers().length > 0))
      expect(streams.map((stream) => stream.numbers())).toEqual([upTo(10), [1, 3, 5, 7, 9], [1, 3, 5, 7, 9], [8, 9]])
      expect(counters.delivered.value).toBe(22)
    }))

  test('an event comes as it is stored', () =>
    withTail(async ({ open, append }) => {
      const { stream } = open()
      await until(() => isLive(stream))
      await append([{ message: 'line\nbreak', timestamp: 'x', n: 1 }])
      await until(() => stream.numbers().length > 0)
      expect(stream.messages().at(-1)?.data).toEqual({
        id: 'id-0',
        timestamp: expect.any(Number),
        event_message: 'line\nbreak',
        n: 1,
      })
    }))

  test('a reader that leaves is forgotten at once, and the others go on', () =>
    withTail(async ({ open, append, tail, counters }) => {
      const { stream, leave } = open()
      const { stream: other } = open()
      await until(() => isLive(stream) && isLive(other))
      leave()
      expect(tail.readers).toBe(1)
      await append(numbered(3))
      await until(() => other.numbers().length === 3)
      expect(stream.numbers()).toEqual([])
      expect(counters.delivered.value).toBe(3)
    }))

  test('heartbeats come in silence and carry the cursor on', () =>
    withTail(
      async ({ open, append, journal }) => {
        const { stream } = open({ lql: 'nothing' })
        await append(numbered(2))
        await until(() => stream.text.includes(': heartbeat\nid: '))
        await until(() => stream.lastId() === String(journal.end))
      },
      { heartbeatMs: 10 },
    ))
})

describe('readers that cannot keep up', () => {
  test('one that does not read is told how many it missed, and the others get all', () =>
    withTail(
      async ({ open, append, counters }) => {
        const { stream: good } = open()
        const { stream: bad } = open()
        await until(() => isLive(good) && isLive(bad))
        bad.stuckBytes = 1
        const pad = 'x'.repeat(2000)
        for (let i = 0; i < 40; i++) {
          await append(numbered(10, i * 10).map((row) => ({ ...row, pad })))
          await until(() => good.numbers().length === (i + 1) * 10)
        }
        expect(bad.stuckBytes).toBeLessThan(QUEUE_BYTES + 100)
        const got = bad.numbers().length
        expect(got).toBeGreaterThan(50)
        expect(counters.missed.value).toBe(400 - got)
        bad.stuckBytes = null
        await until(() => bad.messages().some(isMissed))
        await append(numbered(1, 400))
        await until(() => bad.numbers().at(-1) === 400)
        expect(bad.messages().find(isMissed)?.data).toMatchObject({ count: 400 - got, exact: true })
        expect(bad.numbers()).toEqual([...upTo(got), 400])
      },
      { checkMs: 10 },
    ))

  test('without time to work, events are skipped and every one is accounted for', () =>
    withTail(
      async ({ open, append, counters }) => {
        const { stream } = open()
        await until(() => isLive(stream))
        const pad = 'x'.repeat(1000)
        for (let i = 0; i < 60; i++) await append(numbered(500, i * 500).map((row) => ({ ...row, pad })))
        await until(() => stream.numbers().length + counters.missed.value === 30_000, 20_000)
        expect(counters.missed.value).toBeGreaterThan(0)
        const told = (): number =>
          stream
            .messages()
            .filter(isMissed)
            .reduce((sum, { data }) => sum + Number(Object(data).count), 0)
        await until(() => told() === counters.missed.value)
        expect(stream.numbers()).toEqual(stream.numbers().toSorted((a, b) => a - b))
      },
      { checkMs: 10, allowance: createAllowance({ busy: () => 1 }) },
    ))
})

describe('coming back', () => {
  test('with a cursor nothing is lost and nothing comes twice, while events go on coming', () =>
    withTail(async ({ open, append }) => {
      const total = 3000
      const got: number[] = []
      let cursor: string | undefined
      const sending = (async () => {
        for (let n = 0; n < total; n += 3) await append(numbered(3, n))
      })()
      while (got.length < total) {
        const { stream, leave } = open(cursor === undefined ? { cursor: '0' } : { cursor })
        await until(() => stream.numbers().length > 0)
        leave()
        got.push(...stream.numbers())
        cursor = stream.lastId() ?? cursor
      }
      await sending
      expect(got).toEqual(upTo(total))
    }))

  test('a restart changes nothing about it', () =>
    withTail(async (world) => {
      const { stream: first } = world.open()
      await until(() => isLive(first))
      await world.append(numbered(10))
      await until(() => first.numbers().length === 10)
      const seen = first.messages().filter(({ data }) => data !== null)[6]!.id!
      await world.append(numbered(5, 10))
      await world.restart()
      await world.append(numbered(5, 15))
      const { stream } = world.open({ cursor: seen })
      await until(() => stream.numbers().length === 13)
      await world.append(numbered(5, 20))
      await until(() => stream.numbers().length === 18)
      expect(stream.numbers()).toEqual(upTo(18, 7))
      expect(stream.messages().filter(isMissed)).toEqual([])
    }))

  test('the filter counts for the past too', () =>
    withTail(async ({ open, append }) => {
      await append(numbered(10))
      const { stream } = open({ cursor: '0', lql: 'level:error' })
      await until(() => stream.numbers().length === 5)
      expect(stream.numbers()).toEqual([1, 3, 5, 7, 9])
    }))

  test.each([
    ['from before the journal', '1'],
    ['from another journal', '999999999'],
    ['that is none', 'yesterday'],
  ])('a cursor %s is answered with what is there, and with the truth', (_, cursor) =>
    withTail(
      async (world) => {
        const { journal, open, append } = world
        for (let i = 0; i < 4; i++) await append(numbered(5, i * 5))
        for (const name of ['tail', 'warehouse']) journal.reader(name).advance(journal.end)
        await world.restart()
        await until(() => world.journal.start > 1)
        const { stream } = open({ cursor })
        await until(() => stream.messages().some(isMissed))
        expect(stream.messages().find(isMissed)?.data).toMatchObject({ count: null, exact: false })
        await append(numbered(1, 100))
        await until(() => stream.numbers().at(-1) === 100)
      },
      { segmentBytes: 500 },
    ),
  )

  test('the journal keeps its end for readers that come back', () =>
    withTail(async (world) => {
      await world.append(numbered(5))
      world.journal.reader('warehouse').advance(world.journal.end)
      await world.restart()
      await world.append(numbered(5, 5))
      world.journal.reader('warehouse').advance(world.journal.end)
      await world.restart()
      expect(world.journal.start).toBe(0)
    }))

  test('a reader that does not read while it catches up is not waited for', () =>
    withTail(async ({ open, append }) => {
      const pad = 'x'.repeat(1000)
      for (let i = 0; i < 10; i++) await append(numbered(100, i * 100).map((row) => ({ ...row, pad })))
      const stuck = createStream()
      stuck.stuckBytes = 1
      open({ cursor: '0', stream: stuck })
      const { stream } = open({ cursor: '0' })
      await until(() => stream.numbers().length === 1000)
      expect(stuck.stuckBytes).toBeLessThan(QUEUE_BYTES * 2)
    }))
})

describe('ends and refusals', () => {
  test('a deleted source and a revoked token end the stream with a message', () =>
    withTail(
      async ({ open, tail }) => {
        const { stream } = open()
        tail.endSource('6f1d2b3c-0000-4000-8000-00000000abcd', 'source_deleted')
        expect(stream.messages().at(-1)).toMatchObject({ event: 'end', data: { reason: 'source_deleted' } })
        expect(stream.isEnded).toBe(true)
        const { stream: other } = open({ endReason: () => 'token_revoked' })
        await until(() => other.isEnded)
        expect(other.messages().at(-1)?.data).toMatchObject({ reason: 'token_revoked' })
        expect(tail.readers).toBe(0)
      },
      { checkMs: 5 },
    ))

  test('stopping ends every stream with a message and gives up on who does not read', () =>
    withTail(async ({ open, tail }) => {
      const { stream } = open()
      await tail.stop()
      expect(stream.messages().at(-1)).toMatchObject({ event: 'end', data: { reason: 'shutdown' } })
      expect(() => open()).toThrow('shutting down')
      await until(() => stream.isDestroyed)
    }))

  test('a bad filter is refused with its place', () =>
    withTail(async ({ open }) => {
      expect(() => open({ lql: 'a "b' })).toThrow(LqlError)
    }))

  test('there is a most of readers', () =>
    withTail(async ({ open, tail }) => {
      const opened = Array.from({ length: MAX_READERS }, () => open())
      expect(() => open()).toThrow(`${MAX_READERS} streams`)
      opened[0]!.leave()
      expect(tail.readers).toBe(MAX_READERS - 1)
      open()
    }))
})

test.each([
  ['12', { position: 12, rows: 0 }],
  ['12.3', { position: 12, rows: 4 }],
  [' 12 ', { position: 12, rows: 0 }],
  ['-1', null],
  ['1.x', null],
  ['9999999999999999', null],
  ['', null],
])('cursor %j', (text, expected) => expect(readCursor(text)).toEqual(expected))
