/**
 * Brings a reader that comes back from its cursor to the present, from the journal on disk. Live events wait for it
 * meanwhile, so nothing is lost and nothing comes twice. What the journal no longer has is told as missed.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FrameReader } from '../journal/frame-reader.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Position } from '../model/journal.ts'
import { type Allowance, createTurn } from './allowance.ts'
import type { Cursor } from './cursor.ts'
import { CATCH_UP_MS, ROUND_BYTES, SLICE_BYTES, TURN_MS } from './limits.ts'
import type { Reader } from './reader.ts'
import { Rows } from './rows.ts'

export type CatchUpParts = {
  journal: { readonly start: Position; readonly end: Position }
  /** Reads the journal's frames and tells about ranges that hold none. */
  frameReader(onHole: () => void): FrameReader
  allowance: Allowance
  fields(source: string): FlatFields
}

export type Journey = {
  reader: Reader
  cursor: Cursor
  /** Events before this time are past their retention. */
  oldestUs: number
  /** Lets live events in. */
  join(): void
}

const LOOK_FOR_ROOM_EVERY_MS = 20

export function createCatchUp(parts: CatchUpParts): (journey: Journey) => Promise<void> {
  const { journal } = parts
  return async function catchUp({ reader, cursor, oldestUs, join }) {
    const past = createPast(parts, reader, oldestUs)
    let place = cursor
    while (journal.end - place.position > SLICE_BYTES && past.mayGoOn()) place = await past.read(place, journal.end)
    // In a turn of its own: between the microtasks of a commit the journal's end is ahead of what was announced.
    await nextTurn()
    if (reader.isClosed) return
    reader.hold()
    join()
    const end = journal.end
    while (place.position < end && past.mayGoOn()) place = await past.read(place, end)
    if (place.position < end) reader.sendHole()
    reader.release()
  }
}

type Past = {
  /** False: the reader has left, or it takes too long. */
  mayGoOn(): boolean
  /** Sends the next piece of the journal and answers where to go on. */
  read(from: Cursor, to: Position): Promise<Cursor>
}

function createPast(parts: CatchUpParts, reader: Reader, oldestUs: number): Past {
  const { journal, frameReader, allowance, fields } = parts
  const untilMs = performance.now() + CATCH_UP_MS
  const mayGoOn = (): boolean => !reader.isClosed && performance.now() < untilMs
  let hasHole = false
  const frames = frameReader(() => {
    hasHole = true
  })

  async function read(from: Cursor, to: Position): Promise<Cursor> {
    if (from.position < journal.start) {
      reader.sendHole()
      return { position: journal.start, rows: 0 }
    }
    await allowance.ready()
    const found: Rows[] = []
    let first: Position | null = null
    const next = await frames.read(
      from.position,
      to,
      ({ source, kind }, body, at) => {
        first ??= at
        if (source === reader.source && kind === 'events')
          found.push(new Rows(at, Buffer.from(body), () => fields(source)))
      },
      SLICE_BYTES,
    )
    // The segment may have gone between the look at the journal's start and the read.
    if (hasHole || (first ?? from.position) > from.position) reader.sendHole()
    hasHole = false
    for (const rows of found) {
      if (rows.position === from.position) rows.skip(from.rows)
      if (!(await send(rows))) return from
    }
    return { position: next, rows: 0 }
  }

  /** False: it was given up. */
  async function send(rows: Rows): Promise<boolean> {
    for (let isDone = false; !isDone; ) {
      await allowance.ready()
      const turn = createTurn(allowance)
      const found = collect(rows)
      isDone = found.isDone
      await turn.end()
      while (mayGoOn() && !reader.hasRoomForPast(found.bytes.length)) await wait(LOOK_FOR_ROOM_EVERY_MS)
      if (!mayGoOn()) return false
      if (found.events === 0) continue
      const writing = createTurn(allowance)
      reader.sendPast(found.bytes, found.events)
      await writing.end()
    }
    return true
  }

  function collect(rows: Rows): { bytes: Buffer; events: number; isDone: boolean } {
    const untilMs = performance.now() + TURN_MS
    let text = ''
    let events = 0
    while (text.length < ROUND_BYTES && performance.now() < untilMs) {
      const event = rows.next()
      if (event === null) return { bytes: Buffer.from(text), events, isDone: true }
      if (event.timestamp < oldestUs) continue
      if (reader.filter.matches !== null && !reader.filter.matches(event)) continue
      text += rows.message()
      events += 1
    }
    return { bytes: Buffer.from(text), events, isDone: false }
  }

  return { mayGoOn, read }
}
