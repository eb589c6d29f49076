/**
 * Writes messages as the JSON of their event: what `readSyslog` makes of them, without building a value.
 *
 * It refuses nothing: what it is not sure of (structured data, JSON or colours in the text, a header that is not plain
 * ASCII, a time out of the ordinary) is for the mapping to look at.
 */
import type { Intake } from '../../intake.ts'
import { isDigit } from '../../json/bytes.ts'
import { Piece } from '../../json/words.ts'
import { gradeOf, isPlatform, timeWithoutYear } from './line.ts'

const piece = (text: string): Piece => new Piece(Buffer.from(text))
const HOSTNAME = piece(',"hostname":')
const APPNAME = piece(',"appname":')
const PROCESS_ID = piece(',"process_id":')
const MESSAGE_ID = piece(',"message_id":')
const RAW = piece(',"message_raw":"')
const TEXT = piece('","message_text":"')
const MESSAGE = piece('"},"event_message":"')
const TIMESTAMP = piece('","timestamp":')
const UNTIMED_END = piece('"}')
const END = piece('}')
/** What is in an event beside what was sent. */
const ROOM = 512

const SPACE = 0x20
const DASH = 0x2d
const ESCAPE = 0x1b
const OPEN = 0x5b
const CLOSE = 0x5d
const COLON = 0x3a
const TIME_BYTES = 'Nov 15 10:00:00'.length

export class SyslogLines {
  readonly #intake: Intake
  readonly #body: Buffer
  /** How events begin, by priority. */
  readonly #begins: (Piece | null)[] = []
  /** The time without a year that was read last. */
  #oldTime: Piece | null = null
  #oldTimeRead: Piece | null = null
  /** Where the header is being read. */
  #at = 0

  constructor(intake: Intake) {
    this.#intake = intake
    this.#body = intake.body
  }

  /** Takes the message; whether it could. */
  taken(from: number, end: number): boolean {
    const body = this.#body
    let to = end
    while (to > from && isSpace(body[to - 1]!)) to--
    // The message is in it three times, and an escape is six bytes for one. There may be spaces beyond ASCII.
    if (to === from || body[to - 1]! >= 0x80 || !this.#intake.scratch.begin((to - from) * 18 + ROOM)) return false
    const begin = this.#priority(from)
    if (begin === null) return false
    this.#intake.scratch.put(begin)
    if (body[this.#at] === 0x31 && body[this.#at + 1] === SPACE) return this.#new(from, to, end)
    return this.#old(from, to, end)
  }

  /** `<n>`, as how the event begins. */
  #priority(from: number): Piece | null {
    const body = this.#body
    let at = from + 1
    let priority = 0
    while (isDigit(body[at])) priority = priority * 10 + body[at++]! - 0x30
    if (body[from] !== 0x3c || body[at] !== 0x3e || at === from + 1 || at > from + 4) return null
    this.#at = at + 1
    let begin = this.#begins[priority]
    if (begin === undefined) {
      const grade = gradeOf(priority)
      begin = grade && piece(`{"metadata":${JSON.stringify({ priority, ...grade }).slice(0, -1)}`)
      this.#begins[priority] = begin
    }
    return begin
  }

  /** RFC 5424: `1 time host program process id - text`. */
  #new(from: number, to: number, end: number): boolean {
    const body = this.#body
    const time = this.#at + 2
    const timeTo = this.#wordEnd(time, to)
    const isTimed = !isDash(body, time, timeTo)
    if (timeTo < 0 || (isTimed && !this.#isTime(time))) return false
    if (!this.#given(HOSTNAME, timeTo + 1, to) || !this.#given(APPNAME, this.#at, to)) return false
    const process = this.#at
    if (!this.#given(PROCESS_ID, process, to) || this.#isPlatform(process, this.#at - 1)) return false
    if (!this.#given(MESSAGE_ID, this.#at, to)) return false
    let text = this.#at
    // Structured data, or a mark at the beginning of the text.
    if (body[text] === OPEN) return false
    if (body[text] === DASH && (text + 1 === to || body[text + 1] === SPACE)) text++
    if (text < to && body[text] === SPACE) text++
    if (text < to && body[text] === 0xef) return false
    if (!this.#texts(from, text, to)) return false
    const { scratch, words } = this.#intake
    if (isTimed) {
      scratch.put(TIMESTAMP)
      scratch.putText(words, time, timeTo)
      scratch.put(END)
    } else scratch.put(UNTIMED_END)
    return this.#intake.written(end)
  }

  /** RFC 3164: `time host program[process]: text`, without the program in some. */
  #old(from: number, to: number, end: number): boolean {
    const time = this.#at
    const isDated = isDigit(this.#body[time])
    const timeTo = isDated ? this.#wordEnd(time, to) : time + TIME_BYTES
    if (timeTo < 0 || this.#body[timeTo] !== SPACE) return false
    if (isDated ? !this.#isTime(time) : !this.#readOldTime(time, timeTo)) return false
    if (!this.#given(HOSTNAME, timeTo + 1, to) || !this.#tag(this.#at, to)) return false
    if (!this.#texts(from, this.#at, to)) return false
    const { scratch, words } = this.#intake
    scratch.put(TIMESTAMP)
    if (isDated) scratch.putText(words, time, timeTo)
    else scratch.put(this.#oldTimeRead!)
    scratch.put(END)
    return this.#intake.written(end)
  }

  /** The program and its process, if they are there; then `#at` stands behind. */
  #tag(from: number, to: number): boolean {
    const body = this.#body
    let at = from
    while (at < to && isPlain(body[at]!) && body[at] !== COLON && body[at] !== OPEN) at++
    // A character that this does not know may be part of it.
    if (at < to && !isPlain(body[at]!) && body[at] !== SPACE) return false
    const nameTo = at
    let process = -1
    let processTo = -1
    if (body[at] === OPEN) {
      process = at + 1
      processTo = process
      while (processTo < to && body[processTo] !== CLOSE) processTo++
      at = processTo + 1
    }
    if (nameTo === from || at >= to || body[at] !== COLON) return true
    const { scratch, words } = this.#intake
    if (!isDash(body, from, nameTo)) {
      scratch.put(APPNAME)
      scratch.putText(words, from, nameTo)
    }
    if (process >= 0) {
      if (this.#isPlatform(process, processTo)) return false
      if (!isDash(body, process, processTo)) {
        scratch.put(PROCESS_ID)
        if (!scratch.putText(words, process, processTo)) return false
      }
    }
    at++
    this.#at = at < to && body[at] === SPACE ? at + 1 : at
    return true
  }

  /** A word of the header; a dash is nothing. `#at` then stands behind the space that ends it. */
  #given(name: Piece, from: number, to: number): boolean {
    const end = this.#wordEnd(from, to)
    if (end < 0) return false
    this.#at = end + 1
    if (isDash(this.#body, from, end)) return true
    const { scratch, words } = this.#intake
    scratch.put(name)
    scratch.putText(words, from, end)
    return true
  }

  /** Where a word of plain characters ends, before a space; -1: it does not. */
  #wordEnd(from: number, to: number): number {
    const body = this.#body
    let at = from
    while (at < to && isPlain(body[at]!)) at++
    return at > from && at < to && body[at] === SPACE ? at : -1
  }

  /** Whether it begins as a date does; the scan reads it. */
  #isTime(at: number): boolean {
    const body = this.#body
    return body[at + 4] === DASH && body[at + 7] === DASH && body[at + 10] === 0x54
  }

  #readOldTime(from: number, to: number): boolean {
    const { words, nowMs } = this.#intake
    if (this.#oldTime?.is(words, from, to)) return true
    const text = this.#body.toString('latin1', from, to)
    const read = /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d$/.test(text) ? timeWithoutYear(text, nowMs) : undefined
    if (read === undefined) return false
    this.#oldTime = piece(text)
    this.#oldTimeRead = piece(`"${read}"`)
    return true
  }

  #isPlatform(from: number, to: number): boolean {
    const first = this.#body[from]
    return (first === 0x72 || first === 0x68) && isPlatform(this.#body.toString('latin1', from, to))
  }

  /** The whole message, its text, and its text without colours, which must not be there. */
  #texts(from: number, text: number, to: number): boolean {
    const body = this.#body
    if (body[to - 1] === 0x7d && text < to && body.subarray(text, to).includes(0x7b)) return false
    const { scratch, words } = this.#intake
    scratch.put(RAW)
    if (!scratch.putEscaped(words, from, text)) return false
    const start = scratch.length
    if (!scratch.putEscaped(words, text, to)) return false
    const end = scratch.length
    if (end - start > to - text && body.subarray(text, to).includes(ESCAPE)) return false
    scratch.put(TEXT)
    scratch.repeat(start, end)
    scratch.put(MESSAGE)
    scratch.repeat(start, end)
    return true
  }
}

const isPlain = (byte: number): boolean => byte > 0x20 && byte < 0x7f

const isSpace = (byte: number): boolean => byte === SPACE || (byte >= 0x09 && byte <= 0x0d)

const isDash = (body: Buffer, from: number, to: number): boolean => to - from === 1 && body[from] === DASH
