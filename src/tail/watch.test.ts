import { expect, test } from 'vitest'
import { ROUND_BYTES } from './limits.ts'
import { Reader } from './reader.ts'
import { createStream, type FakeStream, frameOf, numbered, SOURCE } from './testing.ts'
import { Watch } from './watch.ts'

function createReader(): { reader: Reader; stream: FakeStream } {
  const stream = createStream()
  const counters = { delivered: { value: 0 }, missed: { value: 0 } }
  return { stream, reader: new Reader({ source: SOURCE, filter: { key: '', matches: null }, stream, counters }) }
}

function takeInto(watch: Watch, position: number, first: number, roomBytes = 10_000): void {
  const { body, count } = frameOf(numbered(3, first))
  watch.take(position, body, count, 0, roomBytes)
}

function deliverAll(watch: Watch): void {
  while (watch.hasWork)
    for (const { readers, bytes, events } of watch.round(ROUND_BYTES, () => 0))
      for (const reader of readers) reader.send(bytes, events)
}

test('who joins while rows wait gets none of them, and all that come later', () => {
  const watch = new Watch(() => ({}))
  const [early, late] = [createReader(), createReader()]
  watch.join(early.reader)
  takeInto(watch, 100, 0)
  watch.join(late.reader)
  takeInto(watch, 200, 3)
  deliverAll(watch)
  expect(early.stream.numbers()).toEqual([0, 1, 2, 3, 4, 5])
  expect(late.stream.numbers()).toEqual([3, 4, 5])
  expect(late.stream.messages().map(({ id }) => id)).toEqual(['200.0', '200.1', '200.2'])
})

test('a gap is told where it is', () => {
  const watch = new Watch(() => ({}))
  const { reader, stream } = createReader()
  watch.join(reader)
  takeInto(watch, 100, 0)
  takeInto(watch, 200, 3, 0)
  takeInto(watch, 300, 6)
  deliverAll(watch)
  expect(stream.messages().map(({ event, data }) => event ?? Object(data).n)).toEqual([0, 1, 2, 'missed', 6, 7, 8])
  expect(stream.messages()[3]?.data).toMatchObject({ count: 3, exact: true })
})

test('a frame that is too large is sent as far as it fits, and the rest is counted', () => {
  const watch = new Watch(() => ({}))
  const { reader, stream } = createReader()
  watch.join(reader)
  const { body, count } = frameOf(numbered(10))
  watch.take(100, body, count, 0, Math.floor(body.length / 2))
  takeInto(watch, 200, 10)
  deliverAll(watch)
  const got = stream.numbers().length - 3
  expect(got).toBeGreaterThan(2)
  expect(stream.messages().find(({ event }) => event === 'missed')?.data).toMatchObject({ count: 10 - got })
  expect(watch.pendingBytes).toBe(0)
})

test('what waited too long is skipped and counted', () => {
  const watch = new Watch(() => ({}))
  const { reader, stream } = createReader()
  watch.join(reader)
  takeInto(watch, 100, 0)
  watch.dropStale(1)
  takeInto(watch, 200, 3)
  deliverAll(watch)
  expect(stream.numbers()).toEqual([3, 4, 5])
  expect(stream.messages()[0]?.data).toMatchObject({ count: 3 })
})
