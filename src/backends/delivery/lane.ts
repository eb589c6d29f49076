/**
 * The way from one source to one backend: a durable place in the journal, which moves on only over events that the
 * receiver has taken, or that were put aside as refused. Between two tries nothing of the journal is kept in memory.
 *
 * Within a frame the place is only in memory: after a crash the rows of one frame may be sent again.
 */
import type { Clock } from '../../base/clock.ts'
import type { FrameReader } from '../../journal/frame-reader.ts'
import type { Reader } from '../../journal/readers.ts'
import type { Matcher } from '../../lql/lql.ts'
import { eventOfRow, type StoredEvent } from '../../model/event-of-row.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { Frame, Position } from '../../model/journal.ts'
import type { Origin } from '../kind.ts'
import { createPause } from './pause.ts'
import type { Target } from './target.ts'

/** Read at once; a single larger frame is read whole. */
const CHUNK_BYTES = 1024 * 1024
const NEWLINE = 0x0a

export type LaneParts = {
  target: Target
  reader: Reader
  frames: FrameReader
  /** What the journal has announced as durable. */
  end(): Position
  /** Asked for every batch, so that a new name is used at once. */
  source(): Origin
  fields(): FlatFields
  /** Of rules; null when every event goes. Asked for every chunk. */
  matches(): Matcher | null
  clock: Clock
  /** How long events may wait for others to share a request with. */
  flushAfterMs: number
  /** Lets only so many lanes hold events at a time. */
  slot<Result>(work: () => Promise<Result>): Promise<Result>
  onError(error: unknown): void
}

type Piece = { position: Position; next: Position; body: Buffer; count: number }
type Item = { event: StoredEvent; piece: Piece; row: number }

export type Lane = ReturnType<typeof createLane>

export function createLane(parts: LaneParts) {
  const { target, reader, frames, end, clock, flushAfterMs } = parts
  /** Where the newest frame of the source begins. At first unknown, so everything up to the end may hold one. */
  let newest = end() - 1
  /** Rows at the front of one frame that are done with. */
  let done = { position: -1, rows: 0 }
  let waiting = 0
  let caughtUpAtMs = clock.nowMs()
  let stopped = false
  const pause = createPause()

  const hasWork = (): boolean => newest >= reader.position

  async function run(): Promise<void> {
    while (!stopped) {
      if (!hasWork()) {
        await pause.until()
        // Events that come together leave together.
        if (!stopped) await pause.for(flushAfterMs)
        continue
      }
      if (!target.circuit.enter()) {
        await pause.for(target.circuit.waitMs())
        continue
      }
      try {
        await parts.slot(round)
      } catch (error) {
        parts.onError(error)
        target.broke({ kind: 'failed', reason: 'internal error', needsHelp: false, retryAfterMs: null })
      } finally {
        target.circuit.leave()
      }
    }
  }

  /** One chunk of the journal, batch by batch, until it is through or the receiver fails. */
  async function round(): Promise<void> {
    const pieces: Piece[] = []
    const { token } = parts.source()
    const to = end()
    const after = await frames.read(reader.position, to, collect, CHUNK_BYTES)
    function collect(header: Omit<Frame, 'body'>, body: Buffer, position: Position, next: Position): void {
      if (header.kind === 'events' && header.source === token)
        pieces.push({ position, next, body: Buffer.from(body), count: header.count })
    }
    for (const batch of batchesOf(pieces)) {
      if (stopped) return
      const { count, failure } = await target.deliver(
        batch.map(({ event }) => event),
        parts.source(),
      )
      if (failure) {
        // What stands before the event that failed is done with, down to the row.
        const { piece, row } = batch[count]!
        moveTo(piece.position, { position: piece.position, rows: row })
        target.broke(failure)
        return
      }
      target.circuit.worked()
      const last = batch.at(-1)!
      moveTo(last.piece.position, { position: last.piece.position, rows: last.row + 1 })
    }
    moveTo(after, { position: -1, rows: 0 })
    for (const { count } of pieces) waiting -= count
    if (!hasWork()) caughtUpAtMs = clock.nowMs()
  }

  function moveTo(position: Position, rows: typeof done): void {
    reader.advance(position)
    done = rows
  }

  function* batchesOf(pieces: Piece[]): Generator<Item[]> {
    const { events: mostEvents, bytes: mostBytes } = target.kind.batch
    const matches = parts.matches()
    let batch: Item[] = []
    let bytes = 0
    for (const piece of pieces) {
      for (const { event, row, size } of rowsOf(piece)) {
        if (matches !== null && !matches(event)) continue
        if (batch.length > 0 && (batch.length >= mostEvents || bytes + size > mostBytes)) {
          yield batch
          batch = []
          bytes = 0
        }
        batch.push({ event, piece, row })
        bytes += size
      }
    }
    if (batch.length > 0) yield batch
  }

  function* rowsOf({ body, position }: Piece): Generator<{ event: StoredEvent; row: number; size: number }> {
    const skipped = done.position === position ? done.rows : 0
    let at = 0
    for (let row = 0; at < body.length; row++) {
      const lineEnd = body.indexOf(NEWLINE, at)
      const stop = lineEnd < 0 ? body.length : lineEnd
      if (row >= skipped) {
        const event = read(body.toString('utf8', at, stop))
        if (event) yield { event, row, size: stop - at }
      }
      at = stop + 1
    }
  }

  /** A row that cannot be read is told to the operator and keeps no other from being sent. */
  function read(line: string): StoredEvent | null {
    try {
      return eventOfRow(line, parts.fields)
    } catch (error) {
      parts.onError(error)
      return null
    }
  }

  const running = run()

  return {
    get position() {
      return reader.position
    },
    get lag() {
      const isBehind = hasWork()
      return {
        events: isBehind ? Math.max(waiting, 0) : 0,
        seconds: isBehind ? Math.max(Math.round((clock.nowMs() - caughtUpAtMs) / 1000), 0) : 0,
      }
    },
    /** A frame of the source that came just now. */
    notice(position: Position, count: number): void {
      const isFirst = !hasWork()
      if (isFirst) {
        caughtUpAtMs = clock.nowMs()
        // Everything before it is of other sources.
        reader.advance(position)
      }
      waiting += count
      newest = Math.max(newest, position)
      if (isFirst) pause.end()
    },
    /** Frames of before that wait to be read. */
    expect(count: number): void {
      waiting += count
    },
    /** A lane with nothing to do holds nothing back. */
    rest(): void {
      if (!hasWork()) reader.advance(end())
    },
    /** Gives up what is before the position; `count` events of it were not sent. */
    giveUp(position: Position, count: number): void {
      reader.advance(position)
      waiting -= count
    },
    /** Tries at once what it waits for. */
    wake: () => pause.end(),
    /** Resolves when nothing is under way; what was not settled is sent again by the next who reads from there. */
    async stop(): Promise<void> {
      stopped = true
      pause.end()
      await running
    },
  }
}
