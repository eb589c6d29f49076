import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  escapeEnd,
  numberEnd,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from './bytes.ts'
import { JsonObject, type JsonValue, NumberText, type Sent } from './value.ts'

/** Thrown by the reader; the caller turns it into the refusal of one event. */
export class TooDeep extends Error {}

/**
 * Builds values from bytes that have passed `skipValue`: nothing is checked here but the depth, which bounds the
 * recursion.
 */
export class JsonReader {
  /** The position after the value read last. */
  end = 0
  readonly #bytes: Buffer
  readonly #maxDepth: number
  readonly #names: NameCache | null

  /** `names` is for readers of many events. */
  constructor(bytes: Buffer, maxDepth: number, names: NameCache | null) {
    this.#bytes = bytes
    this.#maxDepth = maxDepth
    this.#names = names
  }

  read(from: number): Exclude<JsonValue, Sent> {
    this.end = from
    return this.#value(0)
  }

  #value(depth: number): Exclude<JsonValue, Sent> {
    const at = skipSpace(this.#bytes, this.end)
    this.end = at
    switch (this.#bytes[at]) {
      case QUOTE:
        return this.#text()
      case OPEN_OBJECT:
        return this.#object(depth + 1)
      case OPEN_LIST:
        return this.#list(depth + 1)
      case 0x74:
        this.end = at + 4
        return true
      case 0x66:
        this.end = at + 5
        return false
      case 0x6e:
        this.end = at + 4
        return null
      default:
        this.end = numberEnd(this.#bytes, at)
        return new NumberText(this.#bytes.toString('latin1', at, this.end))
    }
  }

  #object(depth: number): JsonObject {
    if (depth > this.#maxDepth) throw new TooDeep()
    const bytes = this.#bytes
    const object = new JsonObject()
    let at = skipSpace(bytes, this.end + 1)
    while (bytes[at] !== CLOSE_OBJECT) {
      this.end = at
      const name = this.#name()
      this.end = skipSpace(bytes, this.end) + 1
      object.add(name, this.#value(depth))
      at = skipSpace(bytes, this.end)
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
    }
    this.end = at + 1
    return object
  }

  #list(depth: number): JsonValue[] {
    if (depth > this.#maxDepth) throw new TooDeep()
    const bytes = this.#bytes
    const list: JsonValue[] = []
    this.end = skipSpace(bytes, this.end + 1)
    while (bytes[this.end] !== CLOSE_LIST) {
      list.push(this.#value(depth))
      this.end = skipSpace(bytes, this.end)
      if (bytes[this.end] === COMMA) this.end = skipSpace(bytes, this.end + 1)
    }
    this.end++
    return list
  }

  #name(): string {
    const bytes = this.#bytes
    const from = this.end
    let at = from + 1
    let hash = 0
    for (let byte = bytes[at]!; byte !== QUOTE; byte = bytes[++at]!) {
      if (byte === BACKSLASH) return this.#text()
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    this.end = at + 1
    return this.#names === null ? bytes.toString('utf8', from + 1, at) : this.#names.text(hash, bytes, from + 1, at)
  }

  #text(): string {
    const bytes = this.#bytes
    const from = this.end
    let at = from + 1
    let hasEscape = false
    let seen = 0
    for (let byte = bytes[at]!; byte !== QUOTE; byte = bytes[at]!) {
      seen |= byte
      if (byte === BACKSLASH) {
        hasEscape = true
        at = escapeEnd(bytes, at)
      } else at++
    }
    this.end = at + 1
    if (hasEscape) return readString(bytes, from, at + 1)
    return bytes.toString(seen < 0x80 ? 'latin1' : 'utf8', from + 1, at)
  }
}

/**
 * Short texts that were read lately. Senders repeat the same few names in every event; finding the text again costs a
 * third of making it, and the same text object is found faster in every map that follows.
 */
export class NameCache {
  readonly #texts: string[]

  /** `size` is a power of two. */
  constructor(size = 4096) {
    this.#texts = new Array(size).fill('')
  }

  text(hash: number, bytes: Buffer, from: number, to: number): string {
    const slot = (hash ^ (hash >>> 12)) & (this.#texts.length - 1)
    const known = this.#texts[slot]!
    // Only ASCII is equal to its bytes one by one; other names are read anew.
    if (known.length === to - from) {
      let i = 0
      while (i < known.length && known.charCodeAt(i) === bytes[from + i]) i++
      if (i === known.length) return known
    }
    let seen = 0
    for (let i = from; i < to; i++) seen |= bytes[i]!
    if (seen >= 0x80) return bytes.toString('utf8', from, to)
    const text = bytes.toString('latin1', from, to)
    if (to - from <= LONGEST_CACHED) this.#texts[slot] = text
    return text
  }
}

const LONGEST_CACHED = 128

/** The text between two quotes, `start` and `end - 1`. */
export function readString(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1)
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
}
