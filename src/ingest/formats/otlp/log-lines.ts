/**
 * Writes log records straight from protobuf as the JSON line of their event: what `logEvent` makes of them, without
 * building a value. Objects cost some fifteen times as much as these bytes.
 *
 * Promises: what it writes is what the mapping would give, with legal names. Where nothing else must see the events it asks
 * the fields of the source itself, as a scan of what it has just written would cost as much as the writing.
 * It refuses nothing: whatever it is not sure of (a body that is no text, a time out of the ordinary, text that is no
 * UTF-8, a value that does not fit its field) is for the mapping to look at.
 */
import type { Intake } from '../../intake.ts'
import { COMMA, OPEN_OBJECT } from '../../json/bytes.ts'
import { printJson } from '../../json/print.ts'
import { Piece, type Words } from '../../json/words.ts'
import { cleanFields } from '../../pipeline/clean.ts'
import { Naming } from '../../pipeline/keys.ts'
import type { Scratch } from '../../scan/scratch.ts'
import { FIT } from '../../schema/tree.ts'
import { type AttributeName, AttributeNames } from './attribute-names.ts'
import { LogFields, takes, takesNumber } from './log-fields.ts'
import { LogValues } from './log-values.ts'
import {
  ATTRIBUTE,
  BODY,
  DROPPED,
  FLAGS,
  KEY,
  LEVEL,
  Lengths,
  LIST,
  NAME,
  NOT_SURE,
  SEEN,
  SEVERITY,
  SPAN,
  TEXT,
  TIME,
  TRACE,
  VALUE,
} from './log-wire.ts'
import type { Group } from './signal.ts'

const piece = (text: string): Piece => new Piece(Buffer.from(text))
/** Each field is written with the comma behind it; what the group ends with comes last. */
const MESSAGE = piece('"event_message":"')
const BODY_NAME = piece('"body":"')
const EVENT_NAME = piece('"event_name":"')
const TIMESTAMP = piece('"timestamp":')
const SEVERITY_NUMBER = piece('"severity_number":')
const SEVERITY_TEXT = piece('"severity_text":"')
const TRACE_ID = piece('"trace_id":"')
const SPAN_ID = piece('"span_id":"')
const ID_END = piece('",')
const ATTRIBUTES = piece('"attributes":{')
const ATTRIBUTES_END = piece('},')

export class LogLines {
  readonly #intake: Intake
  readonly #sent: Buffer
  readonly #words: Words
  readonly #scratch: Scratch
  readonly #names = new AttributeNames()
  readonly #naming = new Naming()
  readonly #fields: LogFields
  readonly #lengths: Lengths
  readonly #values: LogValues
  /** Whether the events are not scanned once they are written. */
  readonly #isFitted: boolean
  #group: Group | null = null
  #groupEnd: Piece = piece('')
  #isGroupFit = false
  /** The time of the record, or -1. */
  #timestampUs = -1

  constructor(intake: Intake) {
    const { words, scratch, fieldsToFit } = intake
    this.#intake = intake
    this.#sent = words.bytes
    this.#words = words
    this.#scratch = scratch
    this.#fields = new LogFields(fieldsToFit)
    this.#lengths = new Lengths(words.bytes)
    this.#values = new LogValues(words, scratch, this.#lengths)
    this.#isFitted = fieldsToFit !== null
  }

  /** Whether the record could be written, and its event taken. */
  isTaken(from: number, to: number, group: Group): boolean {
    const hasChanged = this.#fields.begin()
    if (group !== this.#group || hasChanged) this.#enter(group)
    // An escape is six bytes for one, and the message is written twice.
    if (!this.#isGroupFit || !this.#scratch.begin((to - from) * 12 + this.#groupEnd.length + 1_024)) return false
    try {
      this.#record(from, to)
    } catch (error) {
      if (error === NOT_SURE) return false
      throw error
    }
    return this.#isFitted ? this.#intake.fitted(to, this.#timestampUs) : this.#intake.written(to)
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
      if (legal.size > 0) text += `"${name}":${printJson(legal)},`
    }
    text += '"metadata":{"type":"otel_log"}}'
    this.#groupEnd = piece(text)
    this.#isGroupFit = !this.#isFitted || this.#intake.wouldFit(Buffer.from(`{${text}`))
  }

  /** Written in the order in which it was sent. Of a field that comes twice the last one counts; that is rare, and not for here. */
  #record(from: number, to: number): void {
    const sent = this.#sent
    const fields = this.#fields
    let seen = 0
    let timeAt = -1
    let observedAt = -1
    let at = from
    this.#scratch.putByte(OPEN_OBJECT)
    while (at < to) {
      const tag = sent[at]!
      const bit = 1 << (tag >>> 3)
      if ((seen & bit) !== 0) throw NOT_SURE
      seen |= bit
      switch (tag) {
        case ATTRIBUTE:
          at = this.#attributes(at, to)
          break
        case TIME:
          timeAt = at + 1
          at += 9
          break
        case SEVERITY:
          this.#severity(sent[at + 1]!)
          at += 2
          break
        case LEVEL:
          at = this.#lengths.end(at + 1, to)
          this.#named(SEVERITY_TEXT, fields.severityText, this.#lengths.from, at)
          break
        case BODY:
          at = this.#lengths.end(at + 1, to)
          this.#message(this.#lengths.from, at)
          break
        case TRACE:
          at = this.#lengths.end(at + 1, to)
          this.#id(TRACE_ID, fields.traceId, this.#lengths.from, at)
          break
        case SPAN:
          at = this.#lengths.end(at + 1, to)
          this.#id(SPAN_ID, fields.spanId, this.#lengths.from, at)
          break
        case SEEN:
          observedAt = at + 1
          at += 9
          break
        case NAME:
          at = this.#lengths.end(at + 1, to)
          this.#named(EVENT_NAME, fields.eventName, this.#lengths.from, at)
          break
        case FLAGS:
          at += 5
          break
        case DROPPED:
          if (sent[at + 1]! >= 0x80) throw NOT_SURE
          at += 2
          break
        default:
          throw NOT_SURE
      }
    }
    // Without a body the message is another.
    if (at !== to || (seen & (1 << (BODY >>> 3))) === 0) throw NOT_SURE
    this.#time(timeAt, observedAt)
    this.#scratch.put(this.#groupEnd)
  }

  /** The text of the body, as message and as body. */
  #message(from: number, to: number): void {
    if (this.#sent[from] !== TEXT || !takes(this.#fields.body, FIT.string)) throw NOT_SURE
    const end = this.#lengths.end(from + 1, to)
    if (end !== to || this.#lengths.from === end) throw NOT_SURE
    const scratch = this.#scratch
    const start = scratch.length + MESSAGE.length
    this.#field(MESSAGE, this.#lengths.from, end)
    const written = scratch.length
    scratch.put(BODY_NAME)
    scratch.repeat(start, written)
  }

  #named(opening: Piece, fit: number, from: number, to: number): void {
    if (from === to) return
    if (!takes(fit, FIT.string)) throw NOT_SURE
    this.#field(opening, from, to)
  }

  #field(opening: Piece, from: number, to: number): void {
    if (!this.#scratch.putField(opening, this.#words, from, to)) throw NOT_SURE
  }

  #severity(number: number): void {
    if (number === 0) return
    if (number >= 0x80 || !takesNumber(this.#fields.severityNumber)) throw NOT_SURE
    this.#scratch.put(SEVERITY_NUMBER)
    this.#scratch.putInteger(number)
    this.#scratch.putByte(COMMA)
  }

  /** A record that was not timed where it happened was timed where it was seen. */
  #time(at: number, observedAt: number): void {
    const micros = this.#micros(at)
    this.#timestampUs = micros < 0 ? this.#micros(observedAt) : micros
    if (this.#timestampUs < 0 || this.#isFitted) return
    this.#scratch.put(TIMESTAMP)
    this.#scratch.putMicros(this.#timestampUs)
    this.#scratch.putByte(COMMA)
  }

  /** Nanoseconds of the years 2001 to 2286, as microseconds; -1 when there are none. */
  #micros(at: number): number {
    if (at < 0) return -1
    const { view } = this.#words
    const low = view.getUint32(at, true)
    const high = view.getUint32(at + 4, true)
    if (low === 0 && high === 0) return -1
    // 2^32 is 4,294,967 thousands and 296.
    const micros = high * 4_294_967 + Math.floor((high * 296 + low) / 1000)
    if (!(micros >= 1e15 && micros < 1e16) || high > 0x7fff_ffff) throw NOT_SURE
    return micros
  }

  #id(name: Piece, fit: number, from: number, to: number): void {
    const sent = this.#sent
    let seen = 0
    for (let i = from; i < to; i++) seen |= sent[i]!
    if (seen === 0) return
    if (!takes(fit, FIT.string)) throw NOT_SURE
    this.#scratch.put(name)
    this.#scratch.putHex(sent, from, to)
    this.#scratch.put(ID_END)
  }

  /** All attributes, which stand side by side; the position after them. */
  #attributes(from: number, to: number): number {
    if (!this.#fields.takesAttributes) throw NOT_SURE
    const sent = this.#sent
    const scratch = this.#scratch
    const start = scratch.length
    scratch.put(ATTRIBUTES)
    const first = scratch.length
    this.#names.begin()
    let at = from
    while (at < to && sent[at] === ATTRIBUTE) {
      const length = sent[at + 1]!
      if (length >= 0x80) {
        at = this.#lengths.end(at + 1, to)
        this.#attribute(this.#lengths.from, at)
        continue
      }
      // The usual one is so short that every length in it is one byte.
      const inner = at + 2
      at = inner + length
      if (!(at <= to)) throw NOT_SURE
      const key = inner + 2
      const keyTo = key + sent[inner + 1]!
      const value = keyTo + 2
      const hasBoth = key < keyTo && value + 2 <= at && sent[inner] === KEY && sent[keyTo] === VALUE
      if (!hasBoth || value + sent[keyTo + 1]! !== at) {
        this.#attribute(inner, at)
        continue
      }
      const name = this.#names.find(this.#words, key, keyTo)
      if (sent[value] === TEXT && value + 2 + sent[value + 1]! === at) {
        if (!takes(this.#fields.ofAttribute(name), FIT.string)) throw NOT_SURE
        this.#field(name.opening, value + 2, at)
      } else this.#other(name, value, at)
    }
    // An object that stays empty is not there.
    if (scratch.length === first) scratch.length = start
    else {
      scratch.length--
      scratch.put(ATTRIBUTES_END)
    }
    return at
  }

  #attribute(from: number, to: number): void {
    const sent = this.#sent
    if (sent[from] !== KEY) throw NOT_SURE
    const keyTo = this.#lengths.end(from + 1, to)
    const key = this.#lengths.from
    // Neither an attribute without a name nor one without a value is stored.
    if (keyTo === to) return
    if (sent[keyTo] !== VALUE || this.#lengths.end(keyTo + 1, to) !== to) throw NOT_SURE
    const value = this.#lengths.from
    if (key === keyTo || value === to) return
    this.#other(this.#names.find(this.#words, key, keyTo), value, to)
  }

  #other(name: AttributeName, value: number, to: number): void {
    const fit = this.#fields.ofAttribute(name)
    this.#scratch.put(name.quoted)
    if (this.#sent[value] === LIST) this.#values.putList(value, to, fit)
    else this.#values.put(value, to, fit)
    this.#scratch.putByte(COMMA)
  }
}
