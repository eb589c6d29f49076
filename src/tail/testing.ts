/** Parts for the tests of this folder: a journal, a tail over it, and streams that remember what they were sent. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFrameReader } from '../journal/frame-reader.ts'
import { type Journal, openJournal } from '../journal/journal.ts'
import type { Frame } from '../model/journal.ts'
import { createTail, type EndReason, type Stream, type Tail, type TailParts } from './tail.ts'

export const SOURCE = '6f1d2b3c-0000-4000-8000-00000000abcd'
export const OTHER = '6f1d2b3c-0000-4000-8000-00000000ef01'

export type Message = { event: string | null; id: string | null; data: unknown }

export type FakeStream = Stream & {
  text: string
  isEnded: boolean
  isDestroyed: boolean
  /** Set to be a reader that does not read. */
  stuckBytes: number | null
  messages(): Message[]
  /** The `n` of each event that came. */
  numbers(): number[]
  /** The id to come back with. */
  lastId(): string | null
}

export function createStream(): FakeStream {
  const stream: FakeStream = {
    text: '',
    isEnded: false,
    isDestroyed: false,
    stuckBytes: null,
    write(bytes) {
      if (stream.isEnded) throw new Error('written after the end')
      stream.text += bytes.toString()
      if (stream.stuckBytes !== null) stream.stuckBytes += bytes.length
    },
    get queuedBytes() {
      return stream.stuckBytes ?? 0
    },
    end() {
      stream.isEnded = true
    },
    destroy() {
      stream.isDestroyed = true
    },
    messages: () => readMessages(stream.text),
    numbers: () =>
      stream
        .messages()
        .filter(({ event, data }) => event === null && data !== null)
        .map(({ data }) => (typeof data === 'object' && data !== null && 'n' in data ? Number(data.n) : Number.NaN)),
    lastId: () => stream.messages().findLast(({ id }) => id !== null)?.id ?? null,
  }
  return stream
}

export function readMessages(text: string): Message[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => {
      const field = (name: string): string | null =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? null
      const data = field('data')
      return { event: field('event'), id: field('id'), data: data === null ? null : JSON.parse(data) }
    })
}

export function frameOf(rows: object[], source = SOURCE): Frame {
  const ts = Date.now() * 1000
  const lines = rows.map((e, i) => `${JSON.stringify({ id: `id-${i}`, ts: ts + i, e })}\n`)
  return { kind: 'events', source, count: rows.length, minUs: ts, maxUs: ts, body: Buffer.from(lines.join('')) }
}

/** Rows with the numbers from `first` on. */
export const numbered = (count: number, first = 0): { n: number; level: string }[] =>
  Array.from({ length: count }, (_, i) => ({ n: first + i, level: (first + i) % 2 === 0 ? 'info' : 'error' }))

export type World = {
  dir: string
  journal: Journal
  tail: Tail
  counters: TailParts['counters']
  open(asked?: {
    lql?: string
    cursor?: string
    source?: string
    endReason?: () => EndReason | null
    stream?: FakeStream
  }): {
    stream: FakeStream
    leave(): void
  }
  append(rows: object[], source?: string): Promise<number>
  /** Stops all and opens it again on the same folder. */
  restart(): Promise<void>
}

export async function withTail(
  work: (world: World) => Promise<void>,
  parts: Partial<TailParts> & { segmentBytes?: number } = {},
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tail-'))
  const { segmentBytes, ...tailParts } = parts
  const counters = { delivered: { value: 0 }, missed: { value: 0 } }
  const start = async (): Promise<{ journal: Journal; tail: Tail }> => {
    const journal = await openJournal({ dir, ...(segmentBytes ? { segmentBytes } : {}) })
    const tail = createTail({
      journal,
      frameReader: (onHole) => createFrameReader({ dir, onDamage: onHole }),
      fields: () => ({}),
      counters,
      onError: (error) => {
        throw error
      },
      ...tailParts,
    })
    return { journal, tail }
  }
  const world: World = {
    dir,
    counters,
    ...(await start()),
    open({ lql = '', cursor = null, source = SOURCE, endReason = () => null, stream = createStream() } = {}) {
      const begin = world.tail.admit({ source: { token: source, retention_days: 7 }, lql, cursor, endReason })
      return { stream, leave: begin(stream) }
    },
    append: (rows, source) => world.journal.append([frameOf(rows, source)]),
    async restart() {
      await world.tail.stop()
      await world.journal.stop()
      Object.assign(world, await start())
    },
  }
  try {
    await work(world)
  } finally {
    await world.tail.stop()
    await world.journal.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

export async function until(isTrue: () => boolean, withinMs = 5_000): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`did not come true: ${isTrue}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
