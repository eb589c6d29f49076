/**
 * MessagePack, as far as Fluent's senders write it: reading values into the form of the pipeline, and finding where a
 * value ends without reading it. Integers keep 64 bits, names such as `__proto__` are names, depth is limited.
 */
import { Fault } from '../../../base/faults.ts'
import { JsonObject, type JsonValue, NumberText } from '../../json/value.ts'
import { MAX_DEPTH } from '../../limits.ts'

/** A value as it came: like JSON, and what JSON has no words for. */
export type Packed = string | boolean | null | NumberText | Map<string, Packed> | Packed[] | Buffer | EventTime

/** Seconds and nanoseconds since 1970. */
export class EventTime {
  readonly seconds: number
  readonly nanos: number

  constructor(seconds: number, nanos: number) {
    this.seconds = seconds
    this.nanos = nanos
  }

  get text(): string {
    return `${this.seconds}.${String(this.nanos % 1_000_000_000).padStart(9, '0')}`
  }
}

const EVENT_TIME = 0

/** Envelope, list of entries and entry stand around a record. */
const LEVELS = MAX_DEPTH + 4

const broken = (what: string): Fault => new Fault('bad_request', `The message is not valid MessagePack: ${what}.`)

/** The sizes of a value behind its first byte: own bytes of header, then of content, then how many values it holds. */
function headAt(bytes: Buffer, at: number): { head: number; content: number; values: number } | null {
  const first = bytes[at]!
  const lengthBytes = LENGTH_BYTES.get(first) ?? 0
  if (at + 1 + lengthBytes > bytes.length) return null
  const length = lengthBytes === 0 ? 0 : bytes.readUIntBE(at + 1, lengthBytes)
  const head = 1 + lengthBytes
  if (first <= 0x7f || first >= 0xe0) return { head: 1, content: 0, values: 0 }
  if (first <= 0x8f) return { head: 1, content: 0, values: 2 * (first & 0x0f) }
  if (first <= 0x9f) return { head: 1, content: 0, values: first & 0x0f }
  if (first <= 0xbf) return { head: 1, content: first & 0x1f, values: 0 }
  if (first === 0xc1) throw broken('it has a byte that is never used')
  if (first >= 0xc7 && first <= 0xc9) return { head, content: length + 1, values: 0 }
  if (first === 0xdc || first === 0xdd) return { head, content: 0, values: length }
  if (first === 0xde || first === 0xdf) return { head, content: 0, values: 2 * length }
  if (lengthBytes > 0) return { head, content: length, values: 0 }
  return { head: 1, content: FIXED_BYTES.get(first) ?? 0, values: 0 }
}

const LENGTH_BYTES = new Map([
  ...[0xc4, 0xc7, 0xd9].map((first): [number, number] => [first, 1]),
  ...[0xc5, 0xc8, 0xda, 0xdc, 0xde].map((first): [number, number] => [first, 2]),
  ...[0xc6, 0xc9, 0xdb, 0xdd, 0xdf].map((first): [number, number] => [first, 4]),
])

const FIXED_BYTES = new Map([
  ...[0xcc, 0xd0].map((first): [number, number] => [first, 1]),
  ...[0xcd, 0xd1, 0xd4].map((first): [number, number] => [first, 2]),
  [0xd5, 3],
  ...[0xca, 0xce, 0xd2].map((first): [number, number] => [first, 4]),
  [0xd6, 5],
  ...[0xcb, 0xcf, 0xd3].map((first): [number, number] => [first, 8]),
  [0xd7, 9],
  [0xd8, 17],
])

/** Finds the end of the value that begins at 0, while its bytes arrive: each is looked at once. */
export class EndFinder {
  #at = 0
  #missing = 1

  /** `bytes` must begin like those of the last time. The end, or -1 while there are too few. */
  find(bytes: Buffer): number {
    while (this.#missing > 0) {
      if (this.#at >= bytes.length) return -1
      const sizes = headAt(bytes, this.#at)
      if (!sizes) return -1
      const end = this.#at + sizes.head + sizes.content
      if (end > bytes.length) return -1
      this.#at = end
      this.#missing += sizes.values - 1
    }
    return this.#at
  }
}

export class PackedReader {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  /** Whether a list, or bytes or a text, come next. */
  get isAtList(): boolean {
    const first = this.#bytes[this.at] ?? 0
    return (first >= 0x90 && first <= 0x9f) || first === 0xdc || first === 0xdd
  }

  get isAtBytes(): boolean {
    const first = this.#bytes[this.at] ?? 0
    return (first >= 0xa0 && first <= 0xbf) || (first >= 0xc4 && first <= 0xc6) || (first >= 0xd9 && first <= 0xdb)
  }

  /** Goes into a list; answers how many values follow. */
  enterList(): number {
    const sizes = this.isAtList ? headAt(this.#bytes, this.at) : null
    if (!sizes) throw broken('a list was expected')
    this.at += sizes.head
    return sizes.values
  }

  /** Passes over a value; answers where it began. */
  skip(): number {
    const from = this.at
    const end = new EndFinder().find(this.#bytes.subarray(from))
    if (end < 0) throw broken('it ends too early')
    this.at += end
    return from
  }

  /** The next value, or null when it has more bytes than that; a few bytes can stand for a lot of memory. */
  readUpTo(maxBytes: number): { value: Packed } | null {
    const from = this.skip()
    if (this.at - from > maxBytes) return null
    this.at = from
    return { value: this.read() }
  }

  read(levels = LEVELS): Packed {
    const bytes = this.#bytes
    const start = this.at
    if (start >= bytes.length) throw broken('it ends too early')
    const first = bytes[start]!
    const sizes = headAt(bytes, start)
    if (!sizes || start + sizes.head + sizes.content > bytes.length) throw broken('it ends too early')
    const from = start + sizes.head
    this.at = from + sizes.content
    if (first <= 0x7f) return new NumberText(String(first))
    if (first >= 0xe0) return new NumberText(String(first - 256))
    if (first <= 0x8f || first === 0xde || first === 0xdf) return this.#map(sizes.values / 2, levels)
    if (first <= 0x9f || first === 0xdc || first === 0xdd) return this.#list(sizes.values, levels)
    if (first <= 0xbf || (first >= 0xd9 && first <= 0xdb)) return bytes.toString('utf8', from, this.at)
    if (first >= 0xc4 && first <= 0xc6) return bytes.subarray(from, this.at)
    if ((first >= 0xc7 && first <= 0xc9) || (first >= 0xd4 && first <= 0xd8)) return this.#extension(from)
    return scalar(bytes, first, from)
  }

  #map(size: number, levels: number): Packed {
    this.#assertRoom(2 * size, levels)
    const map = new Map<string, Packed>()
    for (let i = 0; i < size; i++) {
      const name = asText(this.read(levels - 1))
      map.set(name, this.read(levels - 1))
    }
    return map
  }

  #list(size: number, levels: number): Packed[] {
    this.#assertRoom(size, levels)
    const list: Packed[] = []
    for (let i = 0; i < size; i++) list.push(this.read(levels - 1))
    return list
  }

  #assertRoom(values: number, levels: number): void {
    if (levels <= 0) throw new Fault('bad_request', `The message is deeper than ${LEVELS} levels.`)
    if (values > this.#bytes.length - this.at) throw broken('it ends too early')
  }

  #extension(from: number): Packed {
    const type = this.#bytes.readInt8(from)
    const content = this.#bytes.subarray(from + 1, this.at)
    if (type === EVENT_TIME && content.length === 8)
      return new EventTime(content.readUInt32BE(0), content.readUInt32BE(4))
    return content
  }
}

function scalar(bytes: Buffer, first: number, from: number): Packed {
  switch (first) {
    case 0xc0:
      return null
    case 0xc2:
      return false
    case 0xc3:
      return true
    case 0xca:
      return decimal(bytes.readFloatBE(from))
    case 0xcb:
      return decimal(bytes.readDoubleBE(from))
    case 0xcc:
      return new NumberText(String(bytes[from]!))
    case 0xcd:
      return new NumberText(String(bytes.readUInt16BE(from)))
    case 0xce:
      return new NumberText(String(bytes.readUInt32BE(from)))
    case 0xcf:
      return new NumberText(String(bytes.readBigUInt64BE(from)))
    case 0xd0:
      return new NumberText(String(bytes.readInt8(from)))
    case 0xd1:
      return new NumberText(String(bytes.readInt16BE(from)))
    case 0xd2:
      return new NumberText(String(bytes.readInt32BE(from)))
    case 0xd3:
      return new NumberText(String(bytes.readBigInt64BE(from)))
  }
  throw broken('it has a byte that is never used')
}

/** What is no number in JSON is a text. A whole number stays a decimal one. */
function decimal(value: number): Packed {
  if (!Number.isFinite(value)) return String(value)
  const text = String(value)
  return new NumberText(/[.e]/.test(text) ? text : `${text}.0`)
}

export function asText(value: Packed): string {
  if (typeof value === 'string') return value
  if (value instanceof Buffer) return value.toString('utf8')
  if (value instanceof NumberText || value instanceof EventTime) return value.text
  return typeof value === 'boolean' ? String(value) : ''
}

export function asJson(value: Packed): JsonValue {
  if (value instanceof EventTime) return new NumberText(value.text)
  if (Buffer.isBuffer(value)) return value.toString('utf8')
  if (Array.isArray(value)) return value.map(asJson)
  if (!(value instanceof Map)) return value
  const object = new JsonObject()
  for (const [name, child] of value) object.add(name, asJson(child))
  return object
}
