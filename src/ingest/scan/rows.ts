import type { Buffers } from '../../base/buffers.ts'
import { COMMA, OPEN_OBJECT, stringEnd } from '../json/bytes.ts'
import { printStored, printString } from '../json/print.ts'
import { readString } from '../json/read.ts'
import { JsonObject, Sent } from '../json/value.ts'
import type { Uuids } from './uuids.ts'

/**
 * The rows of one request and source, as the journal takes them: one line of NDJSON per event,
 * `{"id":…,"ts":…,"e":{…}}`, in one buffer that grows.
 */
export class Rows {
  count = 0
  minUs = Number.POSITIVE_INFINITY
  maxUs = 0
  /** Where the row written last begins, where its event does, and its time. */
  rowFrom = 0
  eventFrom = 0
  rowUs = 0
  #bytes: Buffer
  #length = 0
  readonly #uuids: Uuids
  readonly #nowMs: number

  readonly #buffers: Buffers

  constructor({ uuids, buffers }: { uuids: Uuids; buffers: Buffers }, nowMs: number, expectedBytes: number) {
    this.#uuids = uuids
    this.#buffers = buffers
    this.#nowMs = nowMs
    this.#bytes = buffers.take(expectedBytes)
  }

  /** Gives the memory back; `body` must not be used any more. */
  release(): void {
    this.#buffers.give(this.#bytes)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
  }

  /** The position after the row written last. */
  get rowTo(): number {
    return this.#length
  }

  get body(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** A row made of the sender's own bytes. `idFrom` < 0: the row gets an id of ours. */
  copy(bytes: Buffer, from: number, to: number, idFrom: number, idTo: number, timestampUs: number): void {
    this.#reserve(to - from + ROOM + idTo - idFrom)
    const out = this.#bytes
    let at = this.#length
    this.rowFrom = at
    at = put(out, at, ID)
    if (idFrom < 0) {
      out[at++] = 0x22
      at = this.#uuids.write(out, at, this.#nowMs)
      out[at++] = 0x22
    } else for (let i = idFrom; i < idTo; i++) out[at++] = bytes[i]!
    at = put(out, at, TS)
    at = putMicros(out, at, timestampUs)
    at = put(out, at, E)
    this.eventFrom = at
    at += bytes.copy(out, at, from, to)
    out[at++] = 0x7d
    out[at++] = 0x0a
    this.#length = at
    this.#counted(timestampUs)
  }

  /** A row made of an event that was built, with legal names; what is still bytes in it is copied. */
  write(id: string, timestampUs: number, event: JsonObject): void {
    this.rowFrom = this.#length
    this.#write(`{"id":${printString(id)},"ts":${timestampUs},"e":`)
    this.eventFrom = this.#length
    this.#write(`${this.#object(event, '')}}\n`)
    this.#counted(timestampUs)
  }

  /**
   * Writes the object behind the text that is still to be written, and answers what then is. Fields that are still bytes
   * and stood side by side are copied together.
   */
  #object({ names, values }: JsonObject, before: string): string {
    let text = before
    let first: Sent | null = null
    let to = 0
    for (let i = 0; i < values.length; i++) {
      const name = names[i]!
      const value = values[i]!
      if (first !== null) {
        if (value instanceof Sent && isBehind(value, to) && name === value.place.name) {
          to = value.to
          continue
        }
        this.#copyBytes(first.bytes, first.from, to)
        first = null
      }
      if (value instanceof Sent) {
        if (text !== '') this.#write(text)
        this.#writeName(i === 0 ? OPEN_OBJECT : COMMA, name, value)
        text = ''
        first = value
        to = value.to
      } else {
        text += i === 0 ? `{"${name}":` : `,"${name}":`
        if (value instanceof JsonObject) text = this.#object(value, text)
        else text += printStored(value)
      }
    }
    if (first !== null) this.#copyBytes(first.bytes, first.from, to)
    return values.length === 0 ? `${text}{}` : `${text}}`
  }

  #writeName(sign: number, name: string, { place }: Sent): void {
    const quoted = name === place.name ? place.quotedName : Buffer.from(`"${name}":`)
    this.#reserve(quoted.length + 1)
    this.#bytes[this.#length] = sign
    this.#length = put(this.#bytes, this.#length + 1, quoted)
  }

  #write(text: string): void {
    this.#reserve(text.length * 3)
    const end = text.length > SHORT ? -1 : putAscii(this.#bytes, this.#length, text)
    this.#length = end < 0 ? this.#length + this.#bytes.write(text, this.#length) : end
  }

  #copyBytes(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from)
    if (to - from > SHORT) this.#length += bytes.copy(this.#bytes, this.#length, from, to)
    else for (let i = from; i < to; i++) this.#bytes[this.#length++] = bytes[i]!
  }

  /** A whole row as it stands in the rows of another source. */
  copyRow(bytes: Buffer, from: number, to: number, timestampUs: number): void {
    this.#copyBytes(bytes, from, to)
    this.#counted(timestampUs)
  }

  #counted(timestampUs: number): void {
    this.count++
    this.rowUs = timestampUs
    if (timestampUs < this.minUs) this.minUs = timestampUs
    if (timestampUs > this.maxUs) this.maxUs = timestampUs
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const larger = this.#buffers.take(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#buffers.give(this.#bytes)
    this.#bytes = larger
  }
}

/** Whether only a comma and the field's name stand between: then the bytes of both are one piece. */
const isBehind = ({ from, place }: Sent, to: number): boolean => from - to === place.quotedName.length + 1

/** The id of the row that begins here. */
export function idOfRow(bytes: Buffer, rowFrom: number): string {
  const idFrom = rowFrom + ID.length
  return readString(bytes, idFrom, stringEnd(bytes, idFrom))
}

const ID = Buffer.from('{"id":')
const TS = Buffer.from(',"ts":')
const E = Buffer.from(',"e":')
/** Everything in a row but the event and a sender's id. */
const ROOM = 96

/** Up to here a loop is faster than a call out of JavaScript. */
const SHORT = 48

/** The position after the text, or -1 when it is not ASCII. */
function putAscii(out: Buffer, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return -1
    out[at++] = unit
  }
  return at
}

function put(out: Buffer, at: number, text: Uint8Array): number {
  for (let i = 0; i < text.length; i++) out[at++] = text[i]!
  return at
}

/** In two halves, so that the division is one of small integers. */
export function putMicros(out: Buffer, at: number, micros: number): number {
  if (micros < 1e15 || micros >= 1e16) return at + out.write(String(micros), at)
  let high = (micros / 1e8) | 0
  let low = micros - high * 1e8
  for (let i = 7; i >= 0; i--) {
    const h = (high / 10) | 0
    const l = (low / 10) | 0
    out[at + i] = 0x30 + high - h * 10
    out[at + 8 + i] = 0x30 + low - l * 10
    high = h
    low = l
  }
  return at + 16
}
