/**
 * Cuts what the journal holds for one source into batches, in its order. Holds one chunk of the journal and the batch
 * that is being filled, nothing else.
 */
import type { FrameReader } from '../../journal/frame-reader.ts'
import type { Matcher } from '../../lql/lql.ts'
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { Position } from '../../model/journal.ts'
import type { BatchLimits, Place } from '../kind.ts'

/** Read at once; a single larger frame is read whole. */
const CHUNK_BYTES = 1024 * 1024
/** After so much of the journal others get their turn. */
const ROUND_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a

/** A place with the number of rows, since the reading began, that stand before it. */
export type Mark = Place & { passed: number }

/** `marks` are the places of the events; `after` is where the next batch begins. Without events it only moves on. */
export type Cut = { events: StoredEvent[]; marks: Mark[]; after: Mark }

type Parts = {
  frames: FrameReader
  /** The source's token. */
  token: string
  from: Place
  to: Position
  limits: BatchLimits
  matches: Matcher | null
  /** Rows behind `from` that are done with already. */
  isDone(place: Place): boolean
  /** Null for a row that cannot be read. */
  read(line: string): StoredEvent | null
}

type Piece = { position: Position; body: Buffer }

export async function* cutBatches(parts: Parts): AsyncGenerator<Cut> {
  const { frames, token, from, to, matches, isDone, read } = parts
  const { events: mostEvents, bytes: mostBytes, wholeFrames = false } = parts.limits
  let events: StoredEvent[] = []
  let marks: Mark[] = []
  let bytes = 0
  let passed = 0
  let at = from.position

  function take(after: Mark): Cut {
    const cut = { events, marks, after }
    events = []
    marks = []
    bytes = 0
    return cut
  }

  while (at < to && at - from.position < ROUND_BYTES) {
    const pieces: Piece[] = []
    at = await frames.read(
      at,
      to,
      ({ kind, source }, body, position) => {
        if (kind === 'events' && source === token) pieces.push({ position, body: Buffer.from(body) })
      },
      CHUNK_BYTES,
    )
    for (const { position, body } of pieces) {
      const skipped = position === from.position ? from.row : 0
      for (let row = 0, start = 0; start < body.length; row++) {
        const newline = body.indexOf(NEWLINE, start)
        const stop = newline < 0 ? body.length : newline
        const size = stop - start
        if (row >= skipped) {
          const mark = { position, row, passed }
          passed += 1
          const event = isDone(mark) ? null : read(body.toString('utf8', start, stop))
          if (event && (matches === null || matches(event))) {
            const isFull = events.length >= mostEvents || bytes + size > mostBytes
            if (isFull && events.length > 0 && (!wholeFrames || row === 0)) yield take(mark)
            events.push(event)
            marks.push(mark)
            bytes += size
          }
        }
        start = stop + 1
      }
    }
    if (events.length === 0) yield take({ position: at, row: 0, passed })
  }
  if (events.length > 0) yield take({ position: at, row: 0, passed })
}
