/** Writes messages in the wire format of Protocol Buffers. Values that are the default of their type are the caller's to leave out. */
import { FIXED64, LENGTH, VARINT } from './wire.ts'

const FIRST_BYTES = 1_024
/** 64 bits, seven to a byte. */
const LONGEST_NUMBER = 10
export class ProtobufWriter {
  #bytes: Buffer
  #length = 0

  constructor(expectedBytes = FIRST_BYTES) {
    this.#bytes = Buffer.allocUnsafe(expectedBytes)
  }

  /** What was written; valid until more is. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Whole numbers up to 2^53; negative ones and larger ones as `bigint`. */
  integer(field: number, value: number | bigint): this {
    this.#tag(field, VARINT)
    if (typeof value === 'number' && value >= 0) this.#varint(value)
    else this.#long(BigInt.asUintN(64, BigInt(value)))
    return this
  }

  boolean(field: number, value: boolean): this {
    return this.integer(field, value ? 1 : 0)
  }

  fixed64(field: number, value: bigint): this {
    this.#tag(field, FIXED64)
    this.#reserve(8)
    this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length)
    return this
  }

  double(field: number, value: number): this {
    this.#tag(field, FIXED64)
    this.#reserve(8)
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
    return this
  }

  text(field: number, value: string): this {
    this.#tag(field, LENGTH)
    const size = Buffer.byteLength(value)
    this.#varint(size)
    this.#reserve(size)
    this.#length += this.#bytes.write(value, this.#length)
    return this
  }

  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, LENGTH)
    this.#varint(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
    return this
  }

  /** An inner message, written in place. Most have a length of one byte, for which room is left; a longer one moves. */
  message(field: number, write: (inner: ProtobufWriter) => void): this {
    this.#tag(field, LENGTH)
    this.#reserve(1)
    const at = this.#length++
    write(this)
    const size = this.#length - at - 1
    let more = 0
    for (let rest = size; rest >= 0x80; rest = Math.floor(rest / 0x80)) more++
    // While the end is still known: what is written is kept only up to it.
    this.#reserve(LONGEST_NUMBER)
    if (more > 0) this.#bytes.copyWithin(at + 1 + more, at + 1, this.#length)
    this.#length = at
    this.#varint(size)
    this.#length += size
    return this
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type)
  }

  #varint(value: number): void {
    this.#reserve(LONGEST_NUMBER)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  #long(value: bigint): void {
    this.#reserve(LONGEST_NUMBER)
    let rest = value
    while (rest >= 0x80n) {
      this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80
      rest >>= 7n
    }
    this.#bytes[this.#length++] = Number(rest)
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
