/** Strings of JSON looked at four bytes at a time. */
import { isAscii } from 'node:buffer'
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, escapeEnd, hex4, OPEN_LIST, OPEN_OBJECT, QUOTE } from './bytes.ts'

/** Bytes with the view that reads four of them. */
export class Words {
  readonly bytes: Buffer
  readonly view: DataView
  /** The last position at which four bytes can be read at once. */
  readonly lastWord: number

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.lastWord = bytes.length - 4
  }
}

/** A short text that is written or looked for often. */
export class Piece {
  readonly length: number
  /** Four bytes each, the last one filled up. */
  readonly words: Int32Array
  /** Eight bytes each, the last one filled up; only of ASCII, because then none is a NaN, whose bits may change on the way. */
  readonly doubles: Float64Array | null
  readonly #bytes: Buffer
  /** Its last four bytes, where it has as many. */
  readonly #tail: number

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.length = bytes.length
    const filled = Buffer.alloc(Math.ceil(bytes.length / 8) * 8)
    bytes.copy(filled)
    this.words = new Int32Array(Math.ceil(bytes.length / 4))
    for (let i = 0; i < this.words.length; i++) this.words[i] = filled.readInt32LE(i * 4)
    this.doubles = isAscii(bytes) ? new Float64Array(filled.length / 8) : null
    for (let i = 0; i < (this.doubles?.length ?? 0); i++) this.doubles![i] = filled.readDoubleLE(i * 8)
    this.#tail = bytes.length < 4 ? 0 : bytes.readInt32LE(bytes.length - 4)
  }

  /** Whether it is what stands from `from` to `to`. */
  is({ bytes, view }: Words, from: number, to: number): boolean {
    const { length, words } = this
    if (to - from !== length) return false
    if (length >= 4) {
      const tailAt = to - 4
      for (let i = 0, at = from; at < tailAt; i++, at += 4) if (view.getInt32(at, true) !== words[i]) return false
      return view.getInt32(tailAt, true) === this.#tail
    }
    for (let i = 0; i < length; i++) if (bytes[from + i] !== this.#bytes[i]) return false
    return true
  }
}

/** The top bit is set of the first of the four bytes that is a quote, a backslash or a control character. */
export function marksOf(word: number): number {
  const quotes = word ^ 0x22222222
  const escapes = word ^ 0x5c5c5c5c
  return (
    (((quotes - 0x01010101) & ~quotes) | ((escapes - 0x01010101) & ~escapes) | ((word - 0x20202020) & ~word)) &
    0x80808080
  )
}

/**
 * A string that a row may hold as it is: also no lone surrogate, which DuckDB would not read.
 */
export function textEnd(bytes: Uint8Array, view: DataView, at: number, lastWord: number): number {
  at++
  for (;;) {
    if (at <= lastWord) {
      const marks = marksOf(view.getInt32(at, true))
      if (marks === 0) {
        at += 4
        continue
      }
      at += (31 - Math.clz32(marks & -marks)) >> 3
    }
    const byte = bytes[at]!
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) {
      at = pairedEscapeEnd(bytes, at)
      if (at < 0) return -1
    } else if (byte >= 0x20) at++
    else return -1
  }
}

/** `at` stands on the backslash. Half of a surrogate pair alone is no end. */
function pairedEscapeEnd(bytes: Uint8Array, at: number): number {
  const end = escapeEnd(bytes, at)
  if (end - at !== 6) return end
  const code = hex4(bytes, at + 2)
  if (code < 0xd800 || code > 0xdfff) return end
  if (code >= 0xdc00 || bytes[end] !== BACKSLASH || bytes[end + 1] !== 0x75) return -1
  const low = hex4(bytes, end + 2)
  return low >= 0xdc00 && low <= 0xdfff ? end + 6 : -1
}

/**
 * The position after the object or list that begins here, if it is one: only its strings and brackets are looked at. For
 * bytes that are checked later. -1: it does not end.
 */
export function bracketEnd({ bytes, view, lastWord }: Words, at: number): number {
  let open = 0
  for (;;) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = textEnd(bytes, view, at, lastWord)
      if (at < 0) return -1
      continue
    }
    at++
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) open++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (--open <= 0) return open < 0 ? -1 : at
    } else if (byte === undefined) return -1
  }
}
