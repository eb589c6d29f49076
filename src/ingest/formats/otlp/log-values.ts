/** Writes the values of attributes as JSON, each only into a field that takes it as it is. */
import { signedText } from '../../../base/protobuf/wire.ts'
import { CLOSE_LIST, COMMA, OPEN_LIST } from '../../json/bytes.ts'
import { Piece, type Words } from '../../json/words.ts'
import type { Scratch } from '../../scan/scratch.ts'
import { FIT } from '../../schema/tree.ts'
import { floatText } from '../protobuf/message.ts'
import { ANY, takes, takesList, takesNumber } from './log-fields.ts'
import { BOOL, DOUBLE, INT, type Lengths, LIST_VALUE, NOT_SURE, TEXT } from './log-wire.ts'

const TRUE = new Piece(Buffer.from('true'))
const FALSE = new Piece(Buffer.from('false'))

/** How long numbers are that the scan would take: whole ones that a double holds, that 64 bits hold, and any other. */
const EXACT_DIGITS = 15
const INTEGER_DIGITS = 18
const FINITE_DIGITS = 24

export class LogValues {
  readonly #sent: Buffer
  readonly #words: Words
  readonly #scratch: Scratch
  readonly #lengths: Lengths

  constructor(words: Words, scratch: Scratch, lengths: Lengths) {
    this.#sent = words.bytes
    this.#words = words
    this.#scratch = scratch
    this.#lengths = lengths
  }

  /** A single value. */
  put(from: number, to: number, fit: number): void {
    const sent = this.#sent
    switch (sent[from]) {
      case TEXT:
        if (this.#lengths.end(from + 1, to) !== to || !takes(fit, FIT.string)) throw NOT_SURE
        if (!this.#scratch.putText(this.#words, this.#lengths.from, to)) throw NOT_SURE
        break
      case BOOL:
        if (from + 2 !== to || !takes(fit, FIT.boolean)) throw NOT_SURE
        this.#scratch.put(sent[from + 1] === 0 ? FALSE : TRUE)
        break
      case INT:
        if (!takesNumber(fit)) throw NOT_SURE
        this.#integer(from + 1, to, fit)
        break
      case DOUBLE:
        if (from + 9 !== to || !takes(fit, FIT.float)) throw NOT_SURE
        this.#double(this.#words.view.getFloat64(from + 1, true), fit)
        break
      default:
        throw NOT_SURE
    }
  }

  /** A varint, which must end with the value. */
  #integer(from: number, to: number, fit: number): void {
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
    else this.#digits(signedText(low >>> 0, high >>> 0), fit, fit === FIT.float ? EXACT_DIGITS : INTEGER_DIGITS)
  }

  #double(value: number, fit: number): void {
    if (!Number.isFinite(value)) throw NOT_SURE
    this.#digits(floatText(value), fit, FINITE_DIGITS)
  }

  /** `most`: with the sign. */
  #digits(text: string, fit: number, most: number): void {
    if (fit !== ANY && text.length > most) throw NOT_SURE
    this.#scratch.putAscii(text)
  }

  /** A list within a list is no value, here as in the scan. */
  putList(from: number, to: number, fit: number): void {
    if (this.#lengths.end(from + 1, to) !== to || this.#lengths.from === to) throw NOT_SURE
    if (!takesList(fit)) throw NOT_SURE
    const element = fit === ANY ? ANY : fit & ~FIT.list
    const scratch = this.#scratch
    scratch.putByte(OPEN_LIST)
    for (let at = this.#lengths.from; at < to; ) {
      if (this.#sent[at] !== LIST_VALUE) throw NOT_SURE
      at = this.#lengths.end(at + 1, to)
      if (this.#lengths.from === at) throw NOT_SURE
      this.put(this.#lengths.from, at, element)
      scratch.putByte(at < to ? COMMA : CLOSE_LIST)
    }
  }
}
