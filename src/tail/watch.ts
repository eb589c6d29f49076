/**
 * One source that is being watched: the rows committed and not yet looked at, and its readers in groups of equal
 * filters. Every row is parsed once, matched once per group, and printed once; readers of a group share the bytes.
 */
import type { FlatFields } from '../model/fields.ts'
import type { Position } from '../model/journal.ts'
import { PENDING_BYTES, ROUND_ROWS, TURN_MS } from './limits.ts'
import type { Filter, Reader } from './reader.ts'
import { Rows, wholeRows } from './rows.ts'

type Item =
  | { kind: 'rows'; rows: Rows; count: number; atMs: number }
  | { kind: 'gap'; count: number }
  | { kind: 'join'; reader: Reader }

type Group = { filter: Filter; readers: Set<Reader> }

/** What one round has for the readers of a group. */
export type Delivery = { readers: Reader[]; bytes: Buffer; events: number }

export class Watch {
  pendingBytes = 0
  readonly #fields: () => FlatFields
  readonly #groups = new Map<string, Group>()
  #items: Item[] = []

  constructor(fields: () => FlatFields) {
    this.#fields = fields
  }

  get hasWork(): boolean {
    return this.#items.length > 0
  }

  /** Copies as much of the body as there is room for; the rest counts as skipped. */
  take(position: Position, body: Uint8Array, count: number, atMs: number, roomBytes: number): void {
    const kept = wholeRows(body, Math.min(roomBytes, PENDING_BYTES - this.pendingBytes))
    if (kept.length === 0) {
      this.#gap(count)
      return
    }
    this.#items.push({ kind: 'rows', rows: new Rows(position, Buffer.from(kept), this.#fields), count, atMs })
    this.pendingBytes += kept.length
  }

  /** The reader gets what is committed from now on. */
  join(reader: Reader): void {
    if (this.hasWork) this.#items.push({ kind: 'join', reader })
    else this.#admit(reader)
  }

  leave(reader: Reader): void {
    const group = this.#groups.get(reader.filter.key)
    group?.readers.delete(reader)
    if (group?.readers.size === 0) this.#groups.delete(reader.filter.key)
    if (this.hasWork) this.#items = this.#items.filter((item) => item.kind !== 'join' || item.reader !== reader)
  }

  /** Skips rows that came before this time. */
  dropStale(beforeMs: number): void {
    const items = this.#items
    this.#items = []
    for (const item of items) {
      if (item.kind === 'gap') this.#gap(item.count)
      else if (item.kind === 'rows' && item.atMs < beforeMs) {
        this.pendingBytes -= item.rows.bytes
        this.#gap(item.count - item.rows.read)
      } else this.#items.push(item)
    }
  }

  /** Looks at the next rows: at most a round of them, and no longer than a turn. */
  round(roundBytes: number, nowMs: () => number): Delivery[] {
    const round = new Round(roundBytes, nowMs)
    for (let item = this.#items[0]; item !== undefined && !round.isFull; item = this.#items[0]) {
      if (item.kind === 'rows') {
        if (!this.#look(item.rows, round)) break
        this.#items.shift()
        this.pendingBytes -= item.rows.bytes
        if (item.count > item.rows.read) this.#items.unshift({ kind: 'gap', count: item.count - item.rows.read })
        continue
      }
      // Who joins here, or is told of a gap, has to have what was before it first.
      if (round.hasText) break
      this.#items.shift()
      if (item.kind === 'join') this.#admit(item.reader)
      else this.#missed(item.count)
    }
    return round.deliveries()
  }

  /** False: the round is full before the rows are through. */
  #look(rows: Rows, round: Round): boolean {
    while (!round.isFull) {
      const event = rows.next()
      if (event === null) return true
      round.rows += 1
      for (const group of this.#groups.values()) {
        const { matches } = group.filter
        if (matches === null || matches(event)) round.add(group, rows.message())
      }
    }
    return false
  }

  #admit(reader: Reader): void {
    const { key } = reader.filter
    const group = this.#groups.get(key) ?? { filter: reader.filter, readers: new Set() }
    this.#groups.set(key, group)
    group.readers.add(reader)
  }

  #gap(count: number): void {
    const last = this.#items.at(-1)
    if (last?.kind === 'gap') last.count += count
    else this.#items.push({ kind: 'gap', count })
  }

  #missed(count: number): void {
    for (const { filter, readers } of this.#groups.values())
      for (const reader of readers) reader.miss(count, filter.matches === null)
  }
}

/** What is collected for the groups until it is enough. */
class Round {
  rows = 0
  readonly #texts = new Map<Group, { text: string; events: number }>()
  readonly #nowMs: () => number
  readonly #untilMs: number
  readonly #mostBytes: number
  #longest = 0

  constructor(mostBytes: number, nowMs: () => number) {
    this.#mostBytes = mostBytes
    this.#nowMs = nowMs
    this.#untilMs = nowMs() + TURN_MS
  }

  get hasText(): boolean {
    return this.#texts.size > 0
  }

  get isFull(): boolean {
    if (this.rows >= ROUND_ROWS || this.#longest >= this.#mostBytes) return true
    return this.rows % ROWS_PER_LOOK === ROWS_PER_LOOK - 1 && this.#nowMs() > this.#untilMs
  }

  add(group: Group, message: string): void {
    const known = this.#texts.get(group) ?? { text: '', events: 0 }
    known.text += message
    known.events += 1
    this.#texts.set(group, known)
    this.#longest = Math.max(this.#longest, known.text.length)
  }

  deliveries(): Delivery[] {
    return [...this.#texts].map(([{ readers }, { text, events }]) => ({
      readers: [...readers],
      bytes: Buffer.from(text),
      events,
    }))
  }
}

/** The clock is looked at now and then. */
const ROWS_PER_LOOK = 16
