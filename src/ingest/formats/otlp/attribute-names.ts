import { Piece, type Words } from '../../json/words.ts'
import { legalName } from '../../pipeline/keys.ts'

type Name = {
  /** As sent. */
  key: Piece
  /** `"legal_name":` */
  quoted: Piece
  /** The name that stood behind it in the last record. */
  next: Name | null
}

/** Beyond these a sender has put values into names. */
const MAX_KNOWN = 1_000

const NONE = new Piece(Buffer.alloc(0))

/**
 * The legal names of attributes, found by the bytes they were sent as. Records of one sender name their attributes in one
 * order, so the name that stood there last time is tried first, and no text is made of it.
 */
export class AttributeNames {
  readonly #known = new Map<string, Name>()
  readonly #start: Name = { key: NONE, quoted: NONE, next: null }
  #before: Name = this.#start

  /** A new record. */
  begin(): void {
    this.#before = this.#start
  }

  quoted(sent: Words, from: number, to: number): Piece {
    const before = this.#before
    const expected = before.next
    if (expected?.key.is(sent, from, to)) {
      this.#before = expected
      return expected.quoted
    }
    const name = this.#find(sent.bytes, from, to)
    before.next = name
    this.#before = name
    return name.quoted
  }

  #find(bytes: Buffer, from: number, to: number): Name {
    // One character for each byte: different bytes are different names here.
    const spelled = bytes.toString('latin1', from, to)
    let name = this.#known.get(spelled)
    if (name === undefined) {
      const quoted = new Piece(Buffer.from(`"${legalName(bytes.toString('utf8', from, to))}":`))
      name = { key: new Piece(Buffer.from(bytes.subarray(from, to))), quoted, next: null }
      if (this.#known.size >= MAX_KNOWN) this.#known.clear()
      this.#known.set(spelled, name)
    }
    return name
  }
}
