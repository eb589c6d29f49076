/** Walks the rows of a frame's body and writes those that match as messages. */

import { eventOfRow, printEvent, type StoredEvent } from '../model/event-of-row.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Position } from '../model/journal.ts'
import { printCursor } from './cursor.ts'
import { eventMessage } from './messages.ts'

const NEWLINE = 0x0a

export class Rows {
  readonly position: Position
  /** Events that came out. A row that cannot be read does not, and the others do. */
  read = 0
  readonly #body: Buffer
  readonly #fields: () => FlatFields
  #at = 0
  /** The row that is read next. */
  #row = 0
  #event: StoredEvent | null = null
  #message: string | null = null

  constructor(position: Position, body: Buffer, fields: () => FlatFields) {
    this.position = position
    this.#body = body
    this.#fields = fields
  }

  get bytes(): number {
    return this.#body.length
  }

  /** The next event, or null after the last one. */
  next(): StoredEvent | null {
    this.#event = null
    this.#message = null
    for (let row = this.#line(); row !== null; row = this.#line()) {
      try {
        this.#event = eventOfRow(row, this.#fields)
        this.read += 1
        return this.#event
      } catch {}
    }
    return null
  }

  /** Passes over rows without looking into them. */
  skip(rows: number): void {
    for (let i = 0; i < rows && this.#line() !== null; i++);
  }

  /** The message of the event read last; made once, however many readers get it. */
  message(): string {
    this.#message ??= eventMessage(printCursor(this.position, this.#row - 1), printEvent(this.#event!))
    return this.#message
  }

  #line(): string | null {
    const end = this.#at < this.#body.length ? this.#body.indexOf(NEWLINE, this.#at) : -1
    if (end < 0) return null
    const line = this.#body.toString('utf8', this.#at, end)
    this.#at = end + 1
    this.#row += 1
    return line
  }
}

/** The whole rows among the first `bytes` of a body. */
export function wholeRows(body: Uint8Array, bytes: number): Uint8Array {
  if (body.length <= bytes) return body
  return bytes <= 0 ? body.subarray(0, 0) : body.subarray(0, body.lastIndexOf(NEWLINE, bytes - 1) + 1)
}
