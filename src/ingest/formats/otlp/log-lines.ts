/**
 * Writes log records straight from protobuf as the JSON line of their event: what `logEvent` makes of them, without
 * building a value. Objects cost some fifteen times as much as these bytes.
 *
 * Promises: what it writes is what the mapping would give, with legal names, so that the scan can take it as it is.
 * It refuses nothing: whatever it is not sure of (a body that is no text, a time out of the ordinary, text that is no
 * UTF-8, a record that does not fit) is for the mapping to look at.
 */
import { LENGTH, signedText, VARINT } from '../../../base/protobuf/wire.ts'
import { CLOSE_LIST, CLOSE_OBJECT, COMMA, OPEN_LIST, QUOTE } from '../../json/bytes.ts'
import { printJson } from '../../json/print.ts'
import { Piece, type Words } from '../../json/words.ts'
import { cleanFields } from '../../pipeline/clean.ts'
import { Naming } from '../../pipeline/keys.ts'
import type { Scratch } from '../../scan/scratch.ts'
import { floatText } from '../protobuf/message.ts'
import { AttributeNames } from './attribute-names.ts'
import type { Group } from './signal.ts'

/** Lists within lists; more of them are rare. */
const NESTED = 4

const piece = (text: string): Piece => new Piece(Buffer.from(text))
const MESSAGE = piece('{"event_message":')
const BODY = piece(',"body":')
const EVENT_NAME = piece(',"event_name":')
const TIMESTAMP = piece(',"timestamp":')
const SEVERITY_NUMBER = piece(',"severity_number":')
const SEVERITY_TEXT = piece(',"severity_text":')
const TRACE_ID = piece(',"trace_id":"')
const SPAN_ID = piece(',"span_id":"')
const ATTRIBUTES = piece(',"attributes":{')
const TRUE = piece('true')
const FALSE = piece('false')

/** The first byte of a field: its number and how it is written. */
const tag = (field: number, type: number): number => field * 8 + type
const FIXED32 = 5
const FIXED64 = 1

/** Of a record. */
const TIME = tag(1, FIXED64)
const SEVERITY = tag(2, VARINT)
const LEVEL = tag(3, LENGTH)
const RECORD_BODY = tag(5, LENGTH)
const ATTRIBUTE = tag(6, LENGTH)
const DROPPED = tag(7, VARINT)
const FLAGS = tag(8, FIXED32)
const TRACE = tag(9, LENGTH)
const SPAN = tag(10, LENGTH)
const SEEN = tag(11, FIXED64)
const NAME = tag(12, LENGTH)

/** Of an attribute. */
const KEY = tag(1, LENGTH)
const VALUE = tag(2, LENGTH)

/** Of a value. */
const TEXT = tag(1, LENGTH)
const BOOL = tag(2, VARINT)
const INT = tag(3, VARINT)
const DOUBLE = tag(4, FIXED64)
const LIST = tag(5, LENGTH)
const LIST_VALUE = tag(1, LENGTH)

/** Thrown to give up on a record; one for all, as it says nothing. */
class NotSure extends Error {}
const NOT_SURE = new NotSure()

export class LogLines {
  readonly #sent: Buffer
  readonly #words: Words
  readonly #scratch: Scratch
  readonly #names = new AttributeNames()
  readonly #naming = new Naming()
  readonly #attributes: number[] = []
  #group: Group | null = null
  #groupEnd: Piece = piece('')
  /** Where the record is being read. */
  #at = 0

  constructor(words: Words, scratch: Scratch) {
    this.#sent = words.bytes
    this.#words = words
    this.#scratch = scratch
  }

  /** Writes the record; whether it could be. */
  write(from: number, to: number, group: Group): boolean {
    if (group !== this.#group) this.#enter(group)
    // An escape is six bytes for one, and the message is written twice.
    if (!this.#scratch.begin((to - from) * 12 + this.#groupEnd.length + 1_024)) return false
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
    this.#groupEnd = piece(`${text},"metadata":{"type":"otel_log"}}`)
  }

  #record(from: number, to: number): void {
    let bodyFrom = -1
    let bodyTo = -1
    let nameFrom = 0
    let nameTo = 0
    let levelFrom = 0
    let levelTo = 0
    let severity = 0
    let timeAt = -1
    let seenAt = -1
    let traceFrom = 0
    let traceTo = 0
    let spanFrom = 0
    let spanTo = 0
    const sent = this.#sent
    const attributes = this.#attributes
    let count = 0
    let attributeTo = 0
    this.#at = from
    while (this.#at < to) {
      switch (sent[this.#at++]) {
        case ATTRIBUTE:
          attributeTo = this.#end(to)
          attributes[count++] = this.#at
          attributes[count++] = attributeTo
          this.#at = attributeTo
          break
        case TIME:
          timeAt = this.#fixed(8, to)
          break
        case SEVERITY:
          severity = sent[this.#at++]!
          if (severity >= 0x80) throw NOT_SURE
          break
        case LEVEL:
          levelTo = this.#end(to)
          levelFrom = this.#at
          this.#at = levelTo
          break
        case RECORD_BODY:
          bodyTo = this.#end(to)
          bodyFrom = this.#at
          this.#at = bodyTo
          break
        case TRACE:
          traceTo = this.#end(to)
          traceFrom = this.#at
          this.#at = traceTo
          break
        case SPAN:
          spanTo = this.#end(to)
          spanFrom = this.#at
          this.#at = spanTo
          break
        case SEEN:
          seenAt = this.#fixed(8, to)
          break
        case NAME:
          nameTo = this.#end(to)
          nameFrom = this.#at
          this.#at = nameTo
          break
        case FLAGS:
          this.#fixed(4, to)
          break
        case DROPPED:
          if (sent[this.#at++]! >= 0x80) throw NOT_SURE
          break
        default:
          throw NOT_SURE
      }
    }
    if (this.#at !== to) throw NOT_SURE
    this.#message(bodyFrom, bodyTo)
    if (nameTo > nameFrom) this.#named(EVENT_NAME, nameFrom, nameTo)
    if (!this.#time(timeAt)) this.#time(seenAt)
    if (severity !== 0) {
      this.#scratch.put(SEVERITY_NUMBER)
      this.#scratch.putInteger(severity)
    }
    if (levelTo > levelFrom) this.#named(SEVERITY_TEXT, levelFrom, levelTo)
    this.#id(TRACE_ID, traceFrom, traceTo)
    this.#id(SPAN_ID, spanFrom, spanTo)
    if (count > 0) this.#attributesObject(count)
    this.#scratch.put(this.#groupEnd)
  }

  /** Where what begins with its length here ends; `#at` goes to its first byte. Two bytes of length are enough here. */
  #end(to: number): number {
    const sent = this.#sent
    let length = sent[this.#at++]!
    if (length >= 0x80) {
      const high = sent[this.#at++]!
      if (high >= 0x80) throw NOT_SURE
      length = (length & 0x7f) | (high << 7)
    }
    const end = this.#at + length
    // Also when there was no byte at all.
    if (!(end <= to)) throw NOT_SURE
    return end
  }

  /** Where so many bytes stand. */
  #fixed(bytes: number, to: number): number {
    const from = this.#at
    this.#at = from + bytes
    if (this.#at > to) throw NOT_SURE
    return from
  }

  /** The text of the body, as message and as body. */
  #message(from: number, to: number): void {
    if (from < 0 || this.#sent[from] !== TEXT) throw NOT_SURE
    this.#at = from + 1
    const end = this.#end(to)
    if (end !== to || this.#at === end) throw NOT_SURE
    const scratch = this.#scratch
    scratch.put(MESSAGE)
    const start = scratch.length
    this.#text(this.#at, end)
    const written = scratch.length
    scratch.put(BODY)
    scratch.repeat(start, written)
  }

  #named(name: Piece, from: number, to: number): void {
    this.#scratch.put(name)
    this.#text(from, to)
  }

  /** Nanoseconds of the years 2001 to 2286, as microseconds; false when there are none. */
  #time(at: number): boolean {
    if (at < 0) return false
    const { view } = this.#words
    const low = view.getUint32(at, true)
    const high = view.getUint32(at + 4, true)
    if (low === 0 && high === 0) return false
    // 2^32 is 4,294,967 thousands and 296.
    const micros = high * 4_294_967 + Math.floor((high * 296 + low) / 1000)
    if (!(micros >= 1e15 && micros < 1e16) || high > 0x7fff_ffff) throw NOT_SURE
    this.#scratch.put(TIMESTAMP)
    this.#scratch.putMicros(micros)
    return true
  }

  #id(name: Piece, from: number, to: number): void {
    const sent = this.#sent
    let seen = 0
    for (let i = from; i < to; i++) seen |= sent[i]!
    if (seen === 0) return
    this.#scratch.put(name)
    this.#scratch.putHex(sent, from, to)
    this.#scratch.putByte(QUOTE)
  }

  #attributesObject(count: number): void {
    const scratch = this.#scratch
    const start = scratch.length
    scratch.put(ATTRIBUTES)
    const first = scratch.length
    this.#names.begin()
    for (let i = 0; i < count; i += 2) this.#attribute(this.#attributes[i]!, this.#attributes[i + 1]!, first)
    // An object that stays empty is not there.
    if (scratch.length === first) scratch.length = start
    else scratch.putByte(CLOSE_OBJECT)
  }

  #attribute(from: number, to: number, first: number): void {
    const sent = this.#sent
    if (sent[from] !== KEY) throw NOT_SURE
    this.#at = from + 1
    const keyTo = this.#end(to)
    const key = this.#at
    // Neither an attribute without a name nor one without a value is stored.
    if (keyTo === to) return
    if (sent[keyTo] !== VALUE) throw NOT_SURE
    this.#at = keyTo + 1
    if (this.#end(to) !== to) throw NOT_SURE
    const value = this.#at
    if (key === keyTo || value === to) return
    if (this.#scratch.length > first) this.#scratch.putByte(COMMA)
    this.#scratch.put(this.#names.quoted(this.#words, key, keyTo))
    this.#value(value, to, 0)
  }

  #value(from: number, to: number, depth: number): void {
    const sent = this.#sent
    this.#at = from + 1
    switch (sent[from]) {
      case TEXT:
        if (this.#end(to) !== to) throw NOT_SURE
        this.#text(this.#at, to)
        break
      case BOOL:
        if (from + 2 !== to) throw NOT_SURE
        this.#scratch.put(sent[from + 1] === 0 ? FALSE : TRUE)
        break
      case INT:
        this.#integer(from + 1, to)
        break
      case DOUBLE:
        if (from + 9 !== to) throw NOT_SURE
        this.#double(this.#words.view.getFloat64(from + 1, true))
        break
      case LIST:
        if (this.#end(to) !== to) throw NOT_SURE
        this.#list(this.#at, to, depth + 1)
        break
      default:
        throw NOT_SURE
    }
  }

  /** A varint, which must end with the value. */
  #integer(from: number, to: number): void {
    const sent = this.#sent
    let low = 0
    let high = 0
    let shift = 0
    let at = from
    for (; at < to; at++, shift += 7) {
      const bits = sent[at]! & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else if (shift < 63) high |= bits << (shift - 32)
      else if (shift === 63) high |= (bits & 1) << 31
      else throw NOT_SURE
      if (sent[at]! < 0x80) break
    }
    if (at !== to - 1) throw NOT_SURE
    if (high === 0 && low >= 0) this.#scratch.putInteger(low)
    else this.#scratch.putAscii(signedText(low >>> 0, high >>> 0))
  }

  #double(value: number): void {
    if (!Number.isFinite(value)) throw NOT_SURE
    this.#scratch.putAscii(floatText(value))
  }

  #list(from: number, to: number, depth: number): void {
    if (depth >= NESTED || from === to) throw NOT_SURE
    const scratch = this.#scratch
    scratch.putByte(OPEN_LIST)
    for (let at = from; at < to; ) {
      if (this.#sent[at] !== LIST_VALUE) throw NOT_SURE
      this.#at = at + 1
      const end = this.#end(to)
      if (this.#at === end) throw NOT_SURE
      if (at > from) scratch.putByte(COMMA)
      this.#value(this.#at, end, depth)
      at = end
    }
    scratch.putByte(CLOSE_LIST)
  }

  #text(from: number, to: number): void {
    if (!this.#scratch.putText(this.#words, from, to)) throw NOT_SURE
  }
}
