/**
 * Live tail: what is committed to the journal goes to whoever watches its source, filtered by LQL, as Server-Sent
 * Events. It is told of committed frames in memory and reads the disk only for readers that come back.
 *
 * Promises: a reader gets the events of its source in the order of the journal, each once, as `/recent` would show
 * them, soon after they are acknowledged; one that comes back with a cursor goes on where it was, also after a restart,
 * as far as the journal reaches back. Whatever is skipped is told as missed. A source that nobody watches costs a look
 * into a map, and no more than its allowance of the thread is ever used, so ingest does not feel the readers.
 * Refuses: a filter that cannot be read, more than `MAX_READERS` readers, anyone once it is told to stop.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, systemClock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { FrameReader } from '../journal/frame-reader.ts'
import type { Journal } from '../journal/journal.ts'
import { createMatcher, parse, print } from '../lql/lql.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Frame, Position } from '../model/journal.ts'
import { type Allowance, createAllowance, createTurn } from './allowance.ts'
import { createCatchUp } from './catch-up.ts'
import { printCursor, readCursor } from './cursor.ts'
import { createKeeper } from './keeper.ts'
import * as limits from './limits.ts'
import { cursorMessage, type EndReason, heartbeatMessage, helloMessage } from './messages.ts'
import { type Filter, Reader, type Stream, type TailCounters } from './reader.ts'
import { createSlots } from './slots.ts'
import { Watch } from './watch.ts'

export type { EndReason } from './messages.ts'
export type { Stream } from './reader.ts'

export type Tailing = {
  source: { token: string; retention_days: number }
  lql: string
  /** Where the reader was, as it sent it; null begins with what happens now. */
  cursor: string | null
  /** Why the stream must end, if it must; asked every second. */
  endReason(): EndReason | null | Promise<EndReason | null>
}

export type Tail = {
  /** Throws when there can be no such stream; what it answers begins it and answers how to leave it. */
  admit(tailing: Tailing): (stream: Stream) => () => void
  /** Ends all streams of a source. */
  endSource(token: string, reason: EndReason): void
  readonly readers: number
  /** Ends all streams with a last message; resolves when they are closed or were given up. */
  stop(): Promise<void>
}

export type TailParts = {
  journal: Pick<Journal, 'start' | 'end' | 'onFrame' | 'onCommit' | 'reader'>
  frameReader(onHole: () => void): FrameReader
  fields(source: string): FlatFields
  counters: TailCounters
  clock?: Clock
  allowance?: Allowance
  heartbeatMs?: number
  checkMs?: number
  onError?(error: unknown): void
}

export function createTail({
  journal,
  frameReader,
  fields,
  counters,
  clock = systemClock,
  allowance = createAllowance(),
  heartbeatMs = limits.HEARTBEAT_MS,
  checkMs = limits.CHECK_MS,
  onError = () => {},
}: TailParts): Tail {
  const readers = new Map<Reader, Tailing>()
  const watches = new Map<string, Watch>()
  const keeper = createKeeper(journal)
  const slots = createSlots(limits.CATCH_UPS)
  const catchUp = createCatchUp({ journal, frameReader, allowance, fields })
  let stopListening: (() => void) | null = null
  let timers: NodeJS.Timeout[] = []
  let isPumping = false
  let isStopped = false

  function takeFrame({ kind, source, count, body }: Frame, position: Position): void {
    const watch = watches.get(source)
    if (!watch || kind !== 'events') return
    watch.take(position, body, count, performance.now(), limits.PENDING_BYTES_ALL - pendingBytes())
    if (isPumping) return
    isPumping = true
    setImmediate(() => {
      pump().catch(onError)
    })
  }

  function pendingBytes(): number {
    let bytes = 0
    for (const watch of watches.values()) bytes += watch.pendingBytes
    return bytes
  }

  async function pump(): Promise<void> {
    try {
      for (let isIdle = false; !isIdle; ) {
        isIdle = true
        for (const watch of [...watches.values()]) {
          if (!watch.hasWork) continue
          isIdle = false
          const hasTime = await allowance.ready()
          watch.dropStale(performance.now() - limits.STALE_AFTER_MS)
          await deliver(watch, hasTime ? limits.ROUND_BYTES : limits.SHORT_ROUND_BYTES)
        }
      }
    } finally {
      isPumping = false
    }
  }

  async function deliver(watch: Watch, roundBytes: number): Promise<void> {
    const turn = createTurn(allowance)
    for (const { readers: group, bytes, events } of watch.round(roundBytes, () => performance.now()))
      for (let i = 0; i < group.length; i += limits.STREAMS_PER_LOOK) {
        const few = group.slice(i, i + limits.STREAMS_PER_LOOK)
        for (const reader of few) reader.send(bytes, events)
        await turn.look()
        for (const reader of few) allowance.spend(Math.min(bytes.length, reader.queuedBytes) * limits.LATER_MS_PER_BYTE)
      }
    await turn.end()
  }

  function enter(reader: Reader, tailing: Tailing): void {
    readers.set(reader, tailing)
    stopListening ??= journal.onFrame(takeFrame)
    if (timers.length === 0) timers = [setInterval(beat, heartbeatMs), setInterval(check, checkMs)]
  }

  function leave(reader: Reader): void {
    reader.isClosed = true
    if (!readers.delete(reader)) return
    const watch = watches.get(reader.source)
    watch?.leave(reader)
    if (![...readers.keys()].some(({ source }) => source === reader.source)) watches.delete(reader.source)
    if (readers.size > 0) return
    stopListening?.()
    stopListening = null
    for (const timer of timers) clearInterval(timer)
    timers = []
  }

  function join(reader: Reader): void {
    const watch = watches.get(reader.source) ?? new Watch(() => fields(reader.source))
    watches.set(reader.source, watch)
    watch.join(reader)
  }

  function end(reader: Reader, reason: EndReason): void {
    reader.end(reason)
    leave(reader)
  }

  function beat(): void {
    for (const reader of readers.keys()) {
      // The cursor moves on only for a reader that has everything up to there.
      const isCurrent = reader.isLive && !reader.hasMissed && watches.get(reader.source)?.hasWork === false
      reader.note(heartbeatMessage(isCurrent ? printCursor(journal.end) : null))
    }
  }

  function check(): void {
    for (const [reader, { endReason }] of readers) {
      reader.tellMissed()
      Promise.resolve(endReason()).then((reason) => {
        if (reason !== null && !reader.isClosed) end(reader, reason)
      }, onError)
    }
  }

  /** Begins with what happens now, or goes on from the cursor. */
  async function follow(reader: Reader, { cursor: text, source }: Tailing): Promise<void> {
    const cursor = text === null ? null : readCursor(text)
    if (cursor !== null && cursor.position <= journal.end) {
      const oldestUs = (clock.nowMs() - source.retention_days * 86_400_000) * 1000
      await slots.run(() => catchUp({ reader, cursor, oldestUs, join: () => join(reader) }))
      return
    }
    await nextTurn()
    if (reader.isClosed) return
    // A cursor from another journal, or from one that was lost.
    if (text !== null) reader.sendHole()
    join(reader)
    reader.isLive = true
    reader.note(cursorMessage(printCursor(journal.end)))
  }

  return {
    admit(tailing) {
      if (isStopped) throw new Fault('unavailable', 'The service is shutting down. Connect again in a moment.')
      const filter = filterOf(tailing.lql, clock)
      if (readers.size >= limits.MAX_READERS)
        throw new Fault('busy', `${limits.MAX_READERS} streams are open, which is the most. Close one, or try later.`)
      return (stream) => {
        const reader = new Reader({ source: tailing.source.token, filter, stream, counters })
        enter(reader, tailing)
        reader.note(helloMessage())
        follow(reader, tailing).catch((error: unknown) => {
          onError(error)
          end(reader, 'failed')
        })
        return () => leave(reader)
      }
    },
    endSource(token, reason) {
      for (const reader of [...readers.keys()]) if (reader.source === token) end(reader, reason)
    },
    get readers() {
      return readers.size
    },
    async stop() {
      isStopped = true
      for (const reader of [...readers.keys()]) end(reader, 'shutdown')
      keeper.stop()
    },
  }
}

/** Only the filter counts: a stream has no chart and shows whole events. */
function filterOf(lql: string, clock: Clock): Filter {
  const query = { ...parse(lql), from: null, selects: [], chart: null }
  return { key: print(query), matches: query.filter === null ? null : createMatcher(query, { clock }) }
}
