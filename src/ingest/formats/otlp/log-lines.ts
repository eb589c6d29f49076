/**
 * Writes log records straight from protobuf as the JSON line of their event: what `logEvent` makes of them, without
 * building a value. Objects cost some fifteen times as much as these bytes.
 *
 * Promises: what it writes is what the mapping would give, with legal names, so that the scan can take it as it is.
 * It refuses nothing: whatever it is not sure of (a body that is no text, a time out of the ordinary, text that is no
 * UTF-8, a record that does not fit) is for the mapping to look at.
 */
import { isUtf8 } from 'node:buffer'
import { FIXED64, Fields, LENGTH, signedText, VARINT } from '../../../base/protobuf/wire.ts'
import { printJson } from '../../json/print.ts'
import { cleanFields } from '../../pipeline/clean.ts'
import { Naming } from '../../pipeline/keys.ts'
import { floatText } from '../protobuf/message.ts'
import { AttributeNames } from './attribute-names.ts'
import type { Group } from './signal.ts'

const LINE_BYTES = 64 * 1024
/** A smaller request needs less. */
const LEAST_BYTES = 4 * 1024
const TIMES_LONGER = 8

/** Attributes within attributes; more of them are rare. */
const NESTED = 4

const MESSAGE = Buffer.from('{"event_message":')
const BODY = Buffer.from(',"body":')
const EVENT_NAME = Buffer.from(',"event_name":')
const TIMESTAMP = Buffer.from(',"timestamp":')
const SEVERITY_NUMBER = Buffer.from(',"severity_number":')
const SEVERITY_TEXT = Buffer.from(',"severity_text":')
const TRACE_ID = Buffer.from(',"trace_id":"')
const SPAN_ID = Buffer.from(',"span_id":"')
const ATTRIBUTES = Buffer.from(',"attributes":{')

const HEX = Buffer.from('0123456789abcdef')
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
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

/** Thrown to give up on a record; one for all, as it says nothing. */
class NotSure extends Error {}
const NOT_SURE = new NotSure()

export class LogLines {
  /** The line written last, from the beginning. */
  readonly bytes: Buffer
  readonly #sent: Buffer
  readonly #fields: Fields
  readonly #inner: Fields[] = []
  readonly #names = new AttributeNames()
  readonly #naming = new Naming()
  readonly #attributes: number[] = []
  #group: Group | null = null
  #groupEnd: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(sent: Buffer) {
    this.#sent = sent
    this.bytes = Buffer.allocUnsafe(Math.min(LINE_BYTES, LEAST_BYTES + sent.length * TIMES_LONGER))
    this.#fields = new Fields(sent)
    for (let i = 0; i <= NESTED; i++) this.#inner.push(new Fields(sent))
  }

  /** Writes the record; whether it could be. */
  write(from: number, to: number, group: Group): boolean {
    if (group !== this.#group) this.#enter(group)
    // An escape is six bytes for one, and the message is written twice.
    if ((to - from) * 12 + this.#groupEnd.length + 1_024 > this.bytes.length) return false
    try {
      this.#record(from, to)
      return true
    } catch (error) {
      if (error === NOT_SURE) return false
      throw error
    }
  }

  /** What all records of a group end with. */
  #enter(group: Group): void {
    this.#group = group
    let text = ''
    for (const [name, value] of [
      ['scope', group.scope],
      ['resource', group.resource],
    ] as const) {
      const legal = this.#naming.fields(cleanFields(value))
      if (legal.size > 0) text += `,"${name}":${printJson(legal)}`
    }
    this.#groupEnd = Buffer.from(`${text},"metadata":{"type":"otel_log"}}`)
  }

  #record(from: number, to: number): void {
    let bodyFrom = -1
    let bodyTo = -1
    let nameFrom = 0
    let nameTo = 0
    let levelFrom = 0
    let levelTo = 0
    let severity = 0
    let low = 0
    let high = 0
    let seenLow = 0
    let seenHigh = 0
    let traceFrom = 0
    let traceTo = 0
    let spanFrom = 0
    let spanTo = 0
    const attributes = this.#attributes
    attributes.length = 0
    const fields = this.#fields.reset(from, to)
    while (fields.next()) {
      const { field, type } = fields
      switch (field) {
        case 1:
          low = this.#is(type, FIXED64, fields.low)
          high = fields.high
          break
        case 2:
          severity = this.#is(type, VARINT, fields.low)
          if (fields.high !== 0) throw NOT_SURE
          break
        case 3:
          levelFrom = this.#is(type, LENGTH, fields.from)
          levelTo = fields.to
          break
        case 5:
          bodyFrom = this.#is(type, LENGTH, fields.from)
          bodyTo = fields.to
          break
        case 6:
          attributes.push(this.#is(type, LENGTH, fields.from), fields.to)
          break
        case 9:
          traceFrom = this.#is(type, LENGTH, fields.from)
          traceTo = fields.to
          break
        case 10:
          spanFrom = this.#is(type, LENGTH, fields.from)
          spanTo = fields.to
          break
        case 11:
          seenLow = this.#is(type, FIXED64, fields.low)
          seenHigh = fields.high
          break
        case 12:
          nameFrom = this.#is(type, LENGTH, fields.from)
          nameTo = fields.to
          break
      }
    }
    this.#at = 0
    this.#message(bodyFrom, bodyTo)
    if (nameTo > nameFrom) this.#named(EVENT_NAME, nameFrom, nameTo)
    if (low !== 0 || high !== 0) this.#time(low, high)
    else if (seenLow !== 0 || seenHigh !== 0) this.#time(seenLow, seenHigh)
    if (severity !== 0) {
      this.#put(SEVERITY_NUMBER)
      this.#ascii(String(severity))
    }
    if (levelTo > levelFrom) this.#named(SEVERITY_TEXT, levelFrom, levelTo)
    this.#id(TRACE_ID, traceFrom, traceTo)
    this.#id(SPAN_ID, spanFrom, spanTo)
    if (attributes.length > 0) this.#attributesObject()
    this.#at += this.#groupEnd.copy(this.bytes, this.#at)
  }

  /** The number, if the field has the wire type it should have. */
  #is(type: number, expected: number, value: number): number {
    if (type !== expected) throw NOT_SURE
    return value
  }

  /** The text of the body, as message and as body. */
  #message(from: number, to: number): void {
    if (from < 0) throw NOT_SURE
    const value = this.#inner[0]!.reset(from, to)
    if (!value.next() || value.field !== 1 || value.type !== LENGTH || value.to !== to || value.from === value.to)
      throw NOT_SURE
    this.#put(MESSAGE)
    const start = this.#at
    this.#text(value.from, value.to)
    const end = this.#at
    this.#put(BODY)
    this.bytes.copyWithin(this.#at, start, end)
    this.#at += end - start
  }

  #named(name: Buffer, from: number, to: number): void {
    this.#put(name)
    this.#text(from, to)
  }

  /** Nanoseconds of the years 2001 to 2286, as microseconds. */
  #time(low: number, high: number): void {
    // 2^32 is 4,294,967 thousands and 296.
    const micros = high * 4_294_967 + Math.floor((high * 296 + low) / 1000)
    if (!(micros >= 1e15 && micros < 1e16) || high > 0x7fff_ffff) throw NOT_SURE
    this.#put(TIMESTAMP)
    this.#ascii(String(micros))
  }

  #id(name: Buffer, from: number, to: number): void {
    const { bytes } = this
    const sent = this.#sent
    let isZero = true
    for (let i = from; i < to; i++) if (sent[i] !== 0) isZero = false
    if (isZero) return
    this.#put(name)
    let at = this.#at
    for (let i = from; i < to; i++) {
      const byte = sent[i]!
      bytes[at++] = HEX[byte >>> 4]!
      bytes[at++] = HEX[byte & 15]!
    }
    bytes[at++] = QUOTE
    this.#at = at
  }

  #attributesObject(): void {
    const start = this.#at
    this.#put(ATTRIBUTES)
    const first = this.#at
    this.#names.begin()
    for (let i = 0; i < this.#attributes.length; i += 2)
      this.#attribute(this.#attributes[i]!, this.#attributes[i + 1]!, first, 0)
    this.#close(start, first)
  }

  /** An object that stays empty is not there. */
  #close(start: number, first: number): void {
    if (this.#at === first) this.#at = start
    else this.bytes[this.#at++] = 0x7d
  }

  #attribute(from: number, to: number, first: number, depth: number): void {
    const fields = this.#inner[depth]!.reset(from, to)
    let keyFrom = 0
    let keyTo = 0
    let valueFrom = -1
    let valueTo = -1
    while (fields.next()) {
      if (fields.field > 2) continue
      if (fields.type !== LENGTH) throw NOT_SURE
      if (fields.field === 1) {
        keyFrom = fields.from
        keyTo = fields.to
      } else {
        valueFrom = fields.from
        valueTo = fields.to
      }
    }
    // Neither an attribute without a name nor one without a value is stored.
    if (keyFrom === keyTo || valueFrom < 0 || valueFrom === valueTo) return
    if (this.#at > first) this.bytes[this.#at++] = COMMA
    this.#put(this.#names.quoted(this.#sent, keyFrom, keyTo))
    this.#value(valueFrom, valueTo, depth)
  }

  #value(from: number, to: number, depth: number): void {
    const fields = this.#inner[depth]!.reset(from, to)
    if (!fields.next() || !fields.isDone) throw NOT_SURE
    switch (fields.field * 8 + fields.type) {
      case 8 + LENGTH:
        this.#text(fields.from, fields.to)
        break
      case 16 + VARINT:
        this.#ascii(fields.low !== 0 || fields.high !== 0 ? 'true' : 'false')
        break
      case 24 + VARINT:
        this.#ascii(fields.high === 0 ? String(fields.low) : signedText(fields.low, fields.high))
        break
      case 32 + FIXED64:
        this.#double(this.#sent.readDoubleLE(fields.from))
        break
      case 40 + LENGTH:
        this.#list(fields.from, fields.to, depth + 1)
        break
      default:
        throw NOT_SURE
    }
  }

  #double(value: number): void {
    if (!Number.isFinite(value)) throw NOT_SURE
    this.#ascii(floatText(value))
  }

  #list(from: number, to: number, depth: number): void {
    if (depth >= NESTED || from === to) throw NOT_SURE
    this.bytes[this.#at++] = 0x5b
    const first = this.#at
    const fields = this.#inner[depth]!.reset(from, to)
    while (fields.next()) {
      if (fields.field !== 1 || fields.type !== LENGTH || fields.from === fields.to) throw NOT_SURE
      if (this.#at > first) this.bytes[this.#at++] = COMMA
      this.#value(fields.from, fields.to, depth + 1)
    }
    this.bytes[this.#at++] = 0x5d
  }

  /** A JSON string. */
  #text(from: number, to: number): void {
    const { bytes } = this
    const sent = this.#sent
    let at = this.#at
    let isAscii = true
    bytes[at++] = QUOTE
    for (let i = from; i < to; i++) {
      const byte = sent[i]!
      if (byte >= 0x80) isAscii = false
      if (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH) {
        bytes[at++] = byte
        continue
      }
      const letter = ESCAPES.get(byte)
      bytes[at++] = BACKSLASH
      if (letter === undefined) {
        at += bytes.write(`u00${byte < 16 ? '0' : '1'}`, at, 'latin1')
        bytes[at++] = HEX[byte & 15]!
      } else bytes[at++] = letter
    }
    bytes[at++] = QUOTE
    this.#at = at
    if (!isAscii && !isUtf8(sent.subarray(from, to))) throw NOT_SURE
  }

  #ascii(text: string): void {
    const { bytes } = this
    let at = this.#at
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.#at = at
  }

  #put(piece: Buffer): void {
    const { bytes } = this
    let at = this.#at
    for (let i = 0; i < piece.length; i++) bytes[at++] = piece[i]!
    this.#at = at
  }
}
