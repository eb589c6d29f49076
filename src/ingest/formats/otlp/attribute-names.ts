import { Piece, type Words } from '../../json/words.ts'
import { legalName } from '../../pipeline/keys.ts'
import type { FieldNode } from '../../schema/tree.ts'

export type AttributeName = {
  /** As sent. */
  key: Piece
  legal: string
  /** `"legal_name":` */
  quoted: Piece
  /** The same with the quote of a text behind it. */
  opening: Piece
  /** The field of this name, as of this version of the tree. */
  field: FieldNode | null
  version: number
  /** The name that stood behind it in the last record. */
  next: AttributeName | null
}

/** Beyond these a sender has put values into names. */
const MAX_KNOWN = 1_000

/**
 * The legal names of attributes, found by the bytes they were sent as. Records of one sender name their attributes in one
 * order, so the name that stood there last time is tried first, and no text is made of it.
 */
export class AttributeNames {
  readonly #known = new Map<string, AttributeName>()
  readonly #start = nameOf(Buffer.alloc(0))
  #before = this.#start

  /** A new record. */
  begin(): void {
    this.#before = this.#start
  }

  find(sent: Words, from: number, to: number): AttributeName {
    const before = this.#before
    let name = before.next
    if (name === null || !name.key.is(sent, from, to)) {
      name = this.#named(sent.bytes, from, to)
      before.next = name
    }
    this.#before = name
    return name
  }

  #named(bytes: Buffer, from: number, to: number): AttributeName {
    // One character for each byte: different bytes are different names here.
    const spelled = bytes.toString('latin1', from, to)
    let name = this.#known.get(spelled)
    if (name === undefined) {
      name = nameOf(Buffer.from(bytes.subarray(from, to)))
      if (this.#known.size >= MAX_KNOWN) this.#known.clear()
      this.#known.set(spelled, name)
    }
    return name
  }
}

function nameOf(key: Buffer): AttributeName {
  const legal = legalName(key.toString())
  const quoted = new Piece(Buffer.from(`"${legal}":`))
  const opening = new Piece(Buffer.from(`"${legal}":"`))
  return { key: new Piece(key), legal, quoted, opening, field: null, version: -1, next: null }
}
