/** The parts of the wire format that log records are made of, for those who read them without building anything. */
import { FIXED32, FIXED64, LENGTH, VARINT } from '../../../base/protobuf/wire.ts'

/** The first byte of a field: its number and how it is written. */
const tag = (field: number, type: number): number => field * 8 + type

/** Of a record. */
export const TIME = tag(1, FIXED64)
export const SEVERITY = tag(2, VARINT)
export const LEVEL = tag(3, LENGTH)
export const BODY = tag(5, LENGTH)
export const ATTRIBUTE = tag(6, LENGTH)
export const DROPPED = tag(7, VARINT)
export const FLAGS = tag(8, FIXED32)
export const TRACE = tag(9, LENGTH)
export const SPAN = tag(10, LENGTH)
export const SEEN = tag(11, FIXED64)
export const NAME = tag(12, LENGTH)

/** Of an attribute. */
export const KEY = tag(1, LENGTH)
export const VALUE = tag(2, LENGTH)

/** Of a value. */
export const TEXT = tag(1, LENGTH)
export const BOOL = tag(2, VARINT)
export const INT = tag(3, VARINT)
export const DOUBLE = tag(4, FIXED64)
export const LIST = tag(5, LENGTH)
export const LIST_VALUE = tag(1, LENGTH)

class NotSure extends Error {}

/** Thrown to give up on a record; one for all, as it says nothing. */
export const NOT_SURE = new NotSure()

/** Reads lengths. */
export class Lengths {
  /** Where that begins whose end was asked for last. */
  from = 0
  readonly #sent: Buffer

  constructor(sent: Buffer) {
    this.#sent = sent
  }

  /** Where that ends whose length stands here. Two bytes of length are enough here. */
  end(at: number, to: number): number {
    const sent = this.#sent
    let length = sent[at++]!
    if (length >= 0x80) {
      const high = sent[at++]!
      if (high >= 0x80) throw NOT_SURE
      length = (length & 0x7f) | (high << 7)
    }
    this.from = at
    const end = at + length
    // Also when there was no byte at all.
    if (!(end <= to)) throw NOT_SURE
    return end
  }
}
