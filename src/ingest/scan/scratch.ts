import { isUtf8 } from 'node:buffer'
import { BACKSLASH, COMMA, QUOTE } from '../json/bytes.ts'
import { marksOf, type Piece, type Words } from '../json/words.ts'
import { putMicros } from './rows.ts'

/**
 * Where a format writes an event as JSON, so that the scan can take it as if it had been sent so: an event that only needs
 * other names, a wrapping or a few more fields is never built. Objects cost some ten times as much as these bytes.
 *
 * There is one for all requests, so an event is begun, written and taken without waiting in between.
 */
export class Scratch {
  readonly bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  /** The end of what is written. */
  length = 0
  readonly #view = new DataView(this.bytes.buffer, this.bytes.byteOffset, SCRATCH_BYTES)

  /** Begins an event; false: that many bytes are too many. Nothing is checked after that. */
  begin(mostBytes: number): boolean {
    this.length = 0
    return mostBytes <= SCRATCH_BYTES - 8
  }

  /** JSON as it is. What fills up its last bytes is written over. */
  put({ doubles, words, length }: Piece): void {
    const out = this.#view
    const from = this.length
    if (doubles !== null) for (let i = 0; i < doubles.length; i++) out.setFloat64(from + i * 8, doubles[i]!, true)
    else for (let i = 0; i < words.length; i++) out.setInt32(from + i * 4, words[i]!, true)
    this.length = from + length
  }

  putByte(byte: number): void {
    this.bytes[this.length++] = byte
  }

  putAscii(text: string): void {
    const { bytes } = this
    let at = this.length
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.length = at
  }

  /** A whole number from 0 to 2^31. */
  putInteger(value: number): void {
    const { bytes } = this
    let digits = 1
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits++
    this.length += digits
    for (let at = this.length - 1; digits > 0; digits--) {
      const tenth = (value / 10) | 0
      bytes[at--] = 0x30 + value - tenth * 10
      value = tenth
    }
  }

  putMicros(micros: number): void {
    this.length = putMicros(this.bytes, this.length, micros)
  }

  /** A part of the body that is JSON already. */
  copy({ bytes: sent, view }: Words, from: number, to: number): void {
    if (to - from > LONG) {
      this.length += sent.copy(this.bytes, this.length, from, to)
      return
    }
    const { bytes } = this
    const out = this.#view
    let at = this.length
    let i = from
    for (; i + 4 <= to; i += 4, at += 4) out.setInt32(at, view.getInt32(i, true), true)
    for (; i < to; i++) bytes[at++] = sent[i]!
    this.length = at
  }

  /** What was written from `from` to `to`, once more. */
  repeat(from: number, to: number): void {
    this.bytes.copyWithin(this.length, from, to)
    this.length += to - from
  }

  /** Text as a JSON string; false when it is no UTF-8. At most six bytes for each. */
  putText(sent: Words, from: number, to: number): boolean {
    this.bytes[this.length] = QUOTE
    const end = escaped(this.bytes, this.#view, this.length + 1, sent, from, to)
    if (end < 0) return false
    this.bytes[end] = QUOTE
    this.length = end + 1
    return true
  }

  /** The same without the quotes. */
  putEscaped(sent: Words, from: number, to: number): boolean {
    const end = escaped(this.bytes, this.#view, this.length, sent, from, to)
    if (end < 0) return false
    this.length = end
    return true
  }

  /** A field with a text, and a comma behind it; `opening` is its name up to the quote before the text. */
  putField(opening: Piece, sent: Words, from: number, to: number): boolean {
    this.put(opening)
    const out = this.#view
    const end = escaped(this.bytes, out, this.length, sent, from, to)
    if (end < 0) return false
    out.setUint16(end, QUOTE_COMMA, true)
    this.length = end + 2
    return true
  }

  putHex(sent: Uint8Array, from: number, to: number): void {
    const out = this.#view
    let at = this.length
    for (let i = from; i < to; i++, at += 2) out.setUint16(at, HEX_PAIRS[sent[i]!]!, true)
    this.length = at
  }
}

/** Writes text as it stands in a JSON string; the position after it, or -1 when it is no UTF-8. */
function escaped(
  bytes: Buffer,
  out: DataView,
  at: number,
  { bytes: sent, view, lastWord }: Words,
  from: number,
  to: number,
): number {
  let seen = 0
  let i = from
  for (; i + 8 <= to; i += 8, at += 8) {
    const word = view.getInt32(i, true)
    const next = view.getInt32(i + 4, true)
    if ((marksOf(word) | marksOf(next)) !== 0) break
    seen |= word | next
    out.setInt32(at, word, true)
    out.setInt32(at + 4, next, true)
  }
  while (i < to) {
    if (i <= lastWord) {
      let word = view.getInt32(i, true)
      const left = to - i
      // What stands behind the end becomes blanks, which are written over.
      if (left < 4) word = (word & TAIL_MASKS[left]!) | TAIL_BLANKS[left]!
      if (marksOf(word) === 0) {
        seen |= word
        out.setInt32(at, word, true)
        at += Math.min(left, 4)
        i += 4
        continue
      }
    }
    const byte = sent[i++]!
    seen |= byte
    if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) bytes[at++] = byte
    else at = putEscape(bytes, at, byte)
  }
  return (seen & 0x80808080) === 0 || isUtf8(sent.subarray(from, to)) ? at : -1
}

/** Both at once, the quote first. */
const QUOTE_COMMA = (COMMA << 8) | QUOTE

/** Of a word that reaches beyond the end of a text, by how many of its bytes are text. */
const TAIL_MASKS = new Int32Array([0, 0xff, 0xffff, 0xffffff])
const TAIL_BLANKS = new Int32Array([0x20202020, 0x20202000, 0x20200000, 0x20000000])

const SCRATCH_BYTES = 64 * 1024

/** From here on a call out of JavaScript is faster than a loop. */
const LONG = 256

const HEX = '0123456789abcdef'
/** Both digits of a byte, the first one low. */
const HEX_PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) => (HEX.charCodeAt(byte & 15) << 8) | HEX.charCodeAt(byte >>> 4),
)

/** What follows the backslash, by the character it stands for. */
const ESCAPES = new Map([
  [0x08, 0x62],
  [0x09, 0x74],
  [0x0a, 0x6e],
  [0x0c, 0x66],
  [0x0d, 0x72],
  [QUOTE, QUOTE],
  [BACKSLASH, BACKSLASH],
])

function putEscape(bytes: Buffer, at: number, byte: number): number {
  const letter = ESCAPES.get(byte)
  bytes[at++] = BACKSLASH
  if (letter !== undefined) {
    bytes[at++] = letter
    return at
  }
  at += bytes.write(`u00${byte < 16 ? '0' : '1'}`, at, 'latin1')
  bytes[at++] = HEX.charCodeAt(byte & 15)
  return at
}
