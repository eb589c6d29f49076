/**
 * One reader's stream: what is sent to it, what had to be skipped, and when it ends. It never waits for a reader;
 * what does not fit into its queue is skipped and counted, and the reader is told before anything else is sent.
 */
import type { Counter } from '../base/metrics.ts'
import type { Matcher } from '../lql/lql.ts'
import { LAST_WORDS_MS, QUEUE_BYTES } from './limits.ts'
import { type EndReason, endMessage, missedMessage } from './messages.ts'

/** Where a reader's bytes go. */
export type Stream = {
  write(bytes: Buffer): void
  /** Bytes written that the system has not taken yet. */
  readonly queuedBytes: number
  /** Closes after what was written. */
  end(): void
  destroy(): void
}

export type Filter = {
  /** Readers with the same key have the same filter. */
  key: string
  /** Null when every event matches. */
  matches: Matcher | null
}

export type TailCounters = { delivered: Counter; missed: Counter }

export class Reader {
  readonly source: string
  readonly filter: Filter
  isClosed = false
  /** Whether it has caught up and gets events as they come. */
  isLive = false
  readonly #stream: Stream
  readonly #counters: TailCounters
  /** Live messages that wait until the reader has caught up; null when it has. */
  #held: Buffer[] | null = null
  #heldBytes = 0
  #missed = 0
  #isMissedExact = true

  constructor(parts: { source: string; filter: Filter; stream: Stream; counters: TailCounters }) {
    this.source = parts.source
    this.filter = parts.filter
    this.#stream = parts.stream
    this.#counters = parts.counters
  }

  get queuedBytes(): number {
    return this.#stream.queuedBytes
  }

  /** Whether a message of this size can be queued; one that is larger than the queue goes when nothing else waits. */
  hasRoom(bytes: number): boolean {
    const queued = this.#stream.queuedBytes + this.#heldBytes
    return queued === 0 || queued + bytes <= QUEUE_BYTES
  }

  /** Live events, in order. */
  send(bytes: Buffer, events: number): void {
    if (this.isClosed) return
    this.tellMissed()
    if (this.hasMissed || !this.hasRoom(bytes.length)) {
      this.miss(events, true)
      return
    }
    this.#put(bytes)
    this.#counters.delivered.value += events
  }

  hasRoomForPast(bytes: number): boolean {
    const queued = this.#stream.queuedBytes
    return queued === 0 || queued + bytes <= QUEUE_BYTES
  }

  /** Events from before those that are held back. The caller has asked whether there is room. */
  sendPast(bytes: Buffer, events: number): void {
    if (this.isClosed) return
    this.#stream.write(bytes)
    this.#counters.delivered.value += events
  }

  /** Past events are missing here, and nobody can tell how many. */
  sendHole(): void {
    if (!this.isClosed) this.#stream.write(Buffer.from(missedMessage({ count: null, exact: false })))
  }

  /** A heartbeat or the like: not worth queueing for a reader that does not read. */
  note(text: string): void {
    if (!this.isClosed && this.hasRoomForPast(text.length)) this.#stream.write(Buffer.from(text))
  }

  miss(count: number, isExact: boolean): void {
    this.#missed += count
    this.#isMissedExact &&= isExact
    this.#counters.missed.value += count
  }

  get hasMissed(): boolean {
    return this.#missed > 0
  }

  /** Only once half of the queue is free again: a slow reader is better told of one long gap than of many short ones. */
  tellMissed(): void {
    if (!this.hasMissed || this.isClosed || this.#stream.queuedBytes + this.#heldBytes > QUEUE_BYTES / 2) return
    const bytes = Buffer.from(missedMessage({ count: this.#missed, exact: this.#isMissedExact }))
    this.#missed = 0
    this.#isMissedExact = true
    this.#put(bytes)
  }

  /** From now on live events wait for `release`. */
  hold(): void {
    this.#held = []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = null
    this.isLive = true
    this.#heldBytes = 0
    if (!this.isClosed) for (const bytes of held) this.#stream.write(bytes)
  }

  end(reason: EndReason): void {
    if (this.isClosed) return
    this.release()
    this.tellMissed()
    this.isClosed = true
    this.#stream.write(Buffer.from(endMessage(reason)))
    this.#stream.end()
    // A reader that does not read would otherwise keep its connection, and a stopping service, for ever.
    setTimeout(() => this.#stream.destroy(), LAST_WORDS_MS).unref()
  }

  #put(bytes: Buffer): void {
    if (this.#held === null) {
      this.#stream.write(bytes)
      return
    }
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
  }
}
