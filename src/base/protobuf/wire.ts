/**
 * The wire format of Protocol Buffers, read in place: positions in a buffer, no objects. What a field means is the
 * caller's; here it only has a number, a wire type and a place.
 *
 * Promises: never reads outside the given range, whatever the bytes say; every refusal names the byte.
 * Refuses: truncated values, lengths beyond the end, field number 0, groups (deprecated, and the only way to nest without a
 * length), integers of more than ten bytes.
 */

export const VARINT = 0
export const FIXED64 = 1
export const LENGTH = 2
export const FIXED32 = 5

export class BrokenProtobuf extends Error {
  /** The byte at which it stops making sense. */
  readonly at: number

  constructor(at: number, problem: string) {
    super(`${problem} at byte ${at}`)
    this.name = 'BrokenProtobuf'
    this.at = at
  }
}

/**
 * Walks the fields of one message. After `next()` answers true, `field` and `type` say what was found, and by the type:
 * `low` and `high` are the 64 bits of a number, `from` and `to` the bytes of anything.
 */
export class Fields {
  field = 0
  type = 0
  /** Unsigned 32 bits each. */
  low = 0
  high = 0
  from = 0
  to = 0
  readonly bytes: Buffer
  #at: number
  #end: number

  constructor(bytes: Buffer, from = 0, to = bytes.length) {
    this.bytes = bytes
    this.#at = from
    this.#end = to
  }

  /** Begins anew with another message of the same buffer. */
  reset(from: number, to: number): this {
    this.#at = from
    this.#end = to
    return this
  }

  get isDone(): boolean {
    return this.#at >= this.#end
  }

  next(): boolean {
    if (this.#at >= this.#end) return false
    const start = this.#at
    let tag = this.bytes[this.#at]!
    if (tag < 0x80) this.#at++
    else {
      this.#varint(start)
      if (this.high !== 0) throw new BrokenProtobuf(start, 'a field number is too large')
      tag = this.low
    }
    this.field = tag >>> 3
    this.type = tag & 7
    if (this.field === 0) throw new BrokenProtobuf(start, 'a field has the number 0')
    switch (this.type) {
      case VARINT:
        this.from = this.#at
        this.#varint(this.#at)
        this.to = this.#at
        return true
      case LENGTH: {
        const at = this.#at
        const short = at < this.#end ? this.bytes[at]! : 0x80
        if (short < 0x80) {
          this.#at = at + 1
          this.high = 0
          this.low = short
        } else this.#varint(at)
        if (this.high !== 0 || this.low > this.#end - this.#at)
          throw new BrokenProtobuf(at, 'a length reaches beyond the end')
        this.from = this.#at
        this.to = this.#at += this.low
        return true
      }
      case FIXED64:
        this.#fixed(start, 8)
        this.high = this.bytes.readUInt32LE(this.from + 4)
        return true
      case FIXED32:
        this.#fixed(start, 4)
        this.high = 0
        return true
    }
    throw new BrokenProtobuf(start, this.type === 3 || this.type === 4 ? 'groups are not read' : 'an unknown wire type')
  }

  #fixed(start: number, size: number): void {
    if (this.#end - this.#at < size) throw new BrokenProtobuf(start, 'the message ends inside a number')
    this.from = this.#at
    this.to = this.#at += size
    this.low = this.bytes.readUInt32LE(this.from)
  }

  #varint(start: number): void {
    let low = 0
    let high = 0
    const { bytes } = this
    const end = this.#end
    let at = start
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= end) throw new BrokenProtobuf(start, 'the message ends inside a number')
      const byte = bytes[at++]!
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else if (shift < 63) high |= bits << (shift - 32)
      else high |= (bits & 1) << 31
      if (byte < 0x80) {
        this.low = low >>> 0
        this.high = high >>> 0
        this.#at = at
        return
      }
    }
    throw new BrokenProtobuf(start, 'a number is longer than ten bytes')
  }
}

const TWO_32 = 4_294_967_296

/** 64 bits as decimal digits. */
export function unsignedText(low: number, high: number): string {
  return high < 0x20_0000 ? String(high * TWO_32 + low) : String((BigInt(high) << 32n) | BigInt(low))
}

export function signedText(low: number, high: number): string {
  if (high < 0x20_0000) return String(high * TWO_32 + low)
  return String(BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)))
}

/** As `sint32` and `sint64` write them: small negative numbers are short. */
export function zigzagText(low: number, high: number): string {
  const value = (BigInt(high) << 32n) | BigInt(low)
  return String((value >> 1n) ^ -(value & 1n))
}
