/**
 * Terms of Erlang's external format, as far as data goes: numbers, atoms, binaries, lists, tuples, maps, packed or not.
 * Bounded: depth, digits, the number of terms and the unpacked size have limits, and no term is made of bytes that are
 * not there. Processes, references and functions are no data and are refused by name.
 */
import { inflateSync } from 'node:zlib'
import { Fault } from '../../../base/faults.ts'
import { MAX_BODY_BYTES } from '../../limits.ts'

export class Atom {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export class Tuple {
  readonly terms: readonly Term[]

  constructor(terms: readonly Term[]) {
    this.terms = terms
  }
}

export type Term = number | bigint | Decimal | Buffer | Atom | Tuple | Term[] | TermMap

/** A float, also a whole one. */
export class Decimal {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

export class TermMap {
  readonly pairs: readonly [Term, Term][]

  constructor(pairs: readonly [Term, Term][]) {
    this.pairs = pairs
  }
}

const VERSION = 131
const PACKED = 80

/** Levels of terms: an event has 32, and tuples around values are levels too. */
const MAX_LEVELS = 128
/** A byte can be a term, and a term costs many bytes of memory. */
const MAX_TERMS = 4_000_000
/** Bytes of one integer; 64-bit numbers have 8. */
const MAX_INTEGER_BYTES = 64

const STRANGE = new Map([
  [88, 'process'],
  [89, 'port'],
  [90, 'reference'],
  [101, 'reference'],
  [102, 'port'],
  [103, 'process'],
  [112, 'function'],
  [113, 'function'],
  [114, 'reference'],
  [117, 'function'],
  [120, 'port'],
  [77, 'bit string'],
])

export const broken = (what: string): Fault => new Fault('bad_request', `The body is not valid BERT: ${what}.`)

export const tooLarge = (): Fault =>
  new Fault('too_large', `The unpacked body is over ${MAX_BODY_BYTES / 1_000_000} MB. Send smaller batches.`)

export function readTerm(bytes: Buffer): Term {
  if (bytes[0] !== VERSION) throw broken('it does not begin with 131')
  const isPacked = bytes[1] === PACKED
  const reader = new Reader(isPacked ? unpacked(bytes) : bytes.subarray(1))
  const term = reader.term(MAX_LEVELS)
  if (!reader.isAtEnd) throw broken('something follows its term')
  return term
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes.length < 6) throw broken('it ends too early')
  const size = bytes.readUInt32BE(2)
  if (size > MAX_BODY_BYTES) throw tooLarge()
  try {
    const content = inflateSync(bytes.subarray(6), { maxOutputLength: Math.max(1, size) })
    if (content.length === size) return content
  } catch {
    // Told below, with the other way to be wrong.
  }
  throw broken('its packed term is not what it says')
}

class Reader {
  readonly #bytes: Buffer
  #at = 0
  #terms = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  term(levels: number): Term {
    if (levels === 0) throw broken(`it is deeper than ${MAX_LEVELS} levels`)
    if (++this.#terms > MAX_TERMS) throw new Fault('too_large', `The body has over ${MAX_TERMS} terms.`)
    const tag = this.#number(1)
    switch (tag) {
      case 97:
        return this.#number(1)
      case 98:
        return this.#number(4) | 0
      case 70:
        return new Decimal(this.#take(8).readDoubleBE())
      case 99:
        return oldFloat(this.#take(31))
      case 110:
        return this.#integer(this.#number(1))
      case 111:
        return this.#integer(this.#number(4))
      case 109:
        return this.#take(this.#number(4))
      case 115:
        return new Atom(this.#take(this.#number(1)).toString('latin1'))
      case 100:
        return new Atom(this.#take(this.#number(2)).toString('latin1'))
      case 119:
        return new Atom(this.#take(this.#number(1)).toString('utf8'))
      case 118:
        return new Atom(this.#take(this.#number(2)).toString('utf8'))
      case 104:
        return new Tuple(this.#list(this.#number(1), levels))
      case 105:
        return new Tuple(this.#list(this.#number(4), levels))
      case 106:
        return []
      case 107:
        return characters(this.#take(this.#number(2)))
      case 108:
        return this.#properList(levels)
      case 116:
        return this.#map(levels)
    }
    const strange = STRANGE.get(tag)
    throw broken(strange ? `a ${strange} is no data` : `it has an unknown tag ${tag}`)
  }

  #number(size: 1 | 2 | 4): number {
    return this.#take(size).readUIntBE(0, size)
  }

  #take(length: number): Buffer {
    const from = this.#at
    if (length > this.#bytes.length - from) throw broken('it ends too early')
    this.#at += length
    return this.#bytes.subarray(from, this.#at)
  }

  #integer(size: number): bigint {
    if (size > MAX_INTEGER_BYTES) throw broken(`an integer has over ${MAX_INTEGER_BYTES} bytes`)
    const isNegative = this.#number(1) !== 0
    const hex = Buffer.from(this.#take(size)).reverse().toString('hex')
    const value = BigInt(`0x0${hex}`)
    return isNegative ? -value : value
  }

  #list(size: number, levels: number): Term[] {
    // A term has a byte at least.
    if (size > this.#bytes.length - this.#at) throw broken('it ends too early')
    const terms: Term[] = []
    for (let i = 0; i < size; i++) terms.push(this.term(levels - 1))
    return terms
  }

  #properList(levels: number): Term[] {
    const terms = this.#list(this.#number(4), levels)
    const tail = this.term(levels - 1)
    if (!Array.isArray(tail) || tail.length > 0) throw broken('a list has a tail')
    return terms
  }

  #map(levels: number): TermMap {
    const size = this.#number(4)
    if (2 * size > this.#bytes.length - this.#at) throw broken('it ends too early')
    const pairs: [Term, Term][] = []
    for (let i = 0; i < size; i++) pairs.push([this.term(levels - 1), this.term(levels - 1)])
    return new TermMap(pairs)
  }
}

function oldFloat(text: Buffer): Decimal {
  const value = Number(text.toString('latin1').replace(/\0.*$/s, ''))
  if (Number.isNaN(value)) throw broken('a float cannot be read')
  return new Decimal(value)
}

/** How Erlang writes short lists of small integers; nearly always they are a text. */
function characters(bytes: Buffer): Term {
  const isText = bytes.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13))
  return isText ? Buffer.from(bytes.toString('latin1')) : [...bytes]
}
