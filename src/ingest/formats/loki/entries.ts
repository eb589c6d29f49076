/**
 * Writes the entries of a stream as the JSON of their event: what the mapping makes of them, without building a value. It
 * refuses nothing: what it is not sure of is for the mapping to look at.
 */
import { Fields, LENGTH, VARINT } from '../../../base/protobuf/wire.ts'
import type { Intake } from '../../intake.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from '../../json/bytes.ts'
import { printJson } from '../../json/print.ts'
import { JsonObject, type JsonValue } from '../../json/value.ts'
import { bracketEnd, Piece, textEnd } from '../../json/words.ts'
import { cleanFields } from '../../pipeline/clean.ts'
import { Naming } from '../../pipeline/keys.ts'

const TIMESTAMP = new Piece(Buffer.from('{"timestamp":'))
const MESSAGE = new Piece(Buffer.from(',"message":'))
const METADATA = new Piece(Buffer.from(',"metadata":'))
/** What is in an event beside what was sent and the labels. */
const ROOM = 64

export class Entries {
  readonly #intake: Intake
  readonly #naming = new Naming()
  readonly #fields: Fields
  readonly #inner: Fields
  #end = new Piece(Buffer.from('}'))

  constructor(intake: Intake) {
    this.#intake = intake
    this.#fields = new Fields(intake.body)
    this.#inner = new Fields(intake.body)
  }

  /** Entries of another stream follow, with these labels. */
  enter(labels: JsonValue): void {
    const legal = labels instanceof JsonObject ? this.#naming.fields(cleanFields(labels)) : null
    this.#end = new Piece(Buffer.from(legal !== null && legal.size > 0 ? `,"labels":${printJson(legal)}}` : '}'))
  }

  /** Takes the entry that begins here, `["nanoseconds","line",{metadata}]`: the position after it, or -1. */
  taken(from: number): number {
    const { words, scratch } = this.#intake
    const { bytes, view, lastWord } = words
    if (bytes[from] !== OPEN_LIST) return -1
    const timeFrom = skipSpace(bytes, from + 1) + 1
    let timeTo = timeFrom
    while (isDigit(bytes[timeTo])) timeTo++
    if (bytes[timeFrom - 1] !== QUOTE || bytes[timeTo] !== QUOTE) return -1
    const comma = skipSpace(bytes, timeTo + 1)
    const line = skipSpace(bytes, comma + 1)
    if (bytes[comma] !== COMMA || bytes[line] !== QUOTE) return -1
    const lineTo = textEnd(bytes, view, line, lastWord)
    if (lineTo < 0) return -1
    let last = skipSpace(bytes, lineTo)
    let metadata = -1
    let metadataTo = -1
    if (bytes[last] === COMMA) {
      metadata = skipSpace(bytes, last + 1)
      metadataTo = bytes[metadata] === OPEN_OBJECT ? bracketEnd(words, metadata) : -1
      if (metadataTo < 0) return -1
      last = skipSpace(bytes, metadataTo)
    }
    const to = last + 1
    if (bytes[last] !== CLOSE_LIST || !scratch.begin(to - from + this.#end.length + ROOM)) return -1
    scratch.put(TIMESTAMP)
    scratch.copy(words, timeFrom, timeTo)
    scratch.put(MESSAGE)
    scratch.copy(words, line, lineTo)
    // An empty one is not stored.
    if (metadataTo - metadata > 2) {
      scratch.put(METADATA)
      scratch.copy(words, metadata, metadataTo)
    }
    scratch.put(this.#end)
    return this.#intake.written(to) ? to : -1
  }

  /** The same for an entry in protobuf. */
  takenMessage(from: number, to: number): boolean {
    const { words, scratch } = this.#intake
    // An escape is six bytes for one.
    if (!scratch.begin((to - from) * 6 + this.#end.length + ROOM)) return false
    let micros = -1
    let line = -1
    let lineTo = -1
    const fields = this.#fields.reset(from, to)
    while (fields.next()) {
      if (fields.field > 2) continue
      if (fields.type !== LENGTH) return false
      if (fields.field === 1) micros = this.#micros(fields.from, fields.to)
      else {
        line = fields.from
        lineTo = fields.to
      }
    }
    if (micros < 0 || line < 0) return false
    scratch.put(TIMESTAMP)
    scratch.putMicros(micros)
    scratch.put(MESSAGE)
    if (!scratch.putText(words, line, lineTo) || !this.#metadata(from, to)) return false
    scratch.put(this.#end)
    return this.#intake.written(to)
  }

  /** Of the years 2001 to 2286; other times are out of the ordinary. */
  #micros(from: number, to: number): number {
    let seconds = 0
    let nanos = 0
    const fields = this.#inner.reset(from, to)
    while (fields.next()) {
      if (fields.field > 2) continue
      if (fields.type !== VARINT) return -1
      const value = fields.high * 2 ** 32 + fields.low
      if (fields.field === 1) seconds = value
      else nanos = value
    }
    return seconds >= 1e9 && seconds < 1e10 && nanos < 1e9 ? seconds * 1_000_000 + Math.floor(nanos / 1000) : -1
  }

  #metadata(from: number, to: number): boolean {
    const { words, scratch } = this.#intake
    let isFirst = true
    const fields = this.#fields.reset(from, to)
    while (fields.next()) {
      if (fields.field !== 3) continue
      if (fields.type !== LENGTH) return false
      let name = 0
      let nameTo = 0
      let value = 0
      let valueTo = 0
      const pair = this.#inner.reset(fields.from, fields.to)
      while (pair.next()) {
        if (pair.field > 2) continue
        if (pair.type !== LENGTH) return false
        if (pair.field === 1) {
          name = pair.from
          nameTo = pair.to
        } else {
          value = pair.from
          valueTo = pair.to
        }
      }
      if (isFirst) scratch.put(METADATA)
      scratch.putByte(isFirst ? OPEN_OBJECT : COMMA)
      isFirst = false
      // A name that is not legal is not known to the scan.
      if (!scratch.putText(words, name, nameTo)) return false
      scratch.putByte(COLON)
      if (!scratch.putText(words, value, valueTo)) return false
    }
    if (!isFirst) scratch.putByte(CLOSE_OBJECT)
    return true
  }
}
