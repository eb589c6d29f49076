import { valuesAt } from '../../lql/lql.ts'
import { BACKSLASH, QUOTE } from '../json/bytes.ts'
import { JsonReader, NameCache } from '../json/read.ts'
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'
import { MAX_DEPTH } from '../limits.ts'
import type { Scan } from '../scan/scan.ts'
import type { SourceFields } from '../schema/source-fields.ts'
import { FIT, type FieldNode, type Level } from '../schema/tree.ts'

/**
 * One path that filters look at, and how its value is found: in the bytes of an event that the scan just walked, or in
 * an event that the pipeline built. Both give what is stored, so that a rule and a search mean the same.
 */
export class Look {
  readonly what: 'id' | 'timestamp' | 'event_message' | 'message' | 'field'
  readonly #names: readonly string[]
  readonly #texts = new NameCache(REMEMBERED_TEXTS)
  #eventMessage: FieldNode | null = null
  #message: FieldNode | null = null
  #node: FieldNode | null = null
  /** What is left of the path behind a list. */
  #rest: readonly string[] = []

  constructor(path: string) {
    this.#names = path.split('.')
    this.what = this.#names.length === 1 ? standardOf(path.toLowerCase()) : 'field'
  }

  /** Finds the field in the tree, for `inBytes`; again when the tree changed. */
  settle(fields: SourceFields): void {
    this.#eventMessage = fields.eventMessage
    this.#message = fields.message
    this.#node = null
    this.#rest = []
    let level: Level | null = fields.root
    for (let i = 0; i < this.#names.length; i++) {
      const node: FieldNode | null = level?.named(this.#names[i]!) ?? null
      if (node === null) return
      if (i === this.#names.length - 1 || (node.fit & FIT.list) !== 0) {
        this.#node = node
        this.#rest = this.#names.slice(i + 1)
        return
      }
      level = node.level
    }
  }

  inBytes(bytes: Buffer, scan: Scan, timestampUs: number): unknown {
    switch (this.what) {
      case 'field':
        return this.#node === null ? undefined : this.#fieldIn(bytes, scan, this.#node)
      case 'id':
        return scan.idFrom < 0 ? undefined : this.#textAt(bytes, scan.idFrom)
      case 'timestamp':
        return timestampUs
      case 'event_message':
        return this.#messageIn(bytes, scan)
      case 'message':
        // Alone it is the message; beside `event_message` it is a field of its own.
        return wasSeen(this.#eventMessage!, scan) ? this.#sentIn(bytes, scan, this.#message!) : undefined
    }
  }

  inEvent(event: JsonObject, id: string, timestampUs: number): unknown {
    if (this.what === 'id') return id
    if (this.what === 'timestamp') return timestampUs
    let value: JsonValue | undefined = event
    for (let i = 0; i < this.#names.length; i++) {
      if (!(value instanceof JsonObject)) return plain(valuesAt(value, this.#names, i))
      value = value.opened(this.#names[i]!)
    }
    return plain(valuesAt(value, this.#names, this.#names.length))
  }

  #messageIn(bytes: Buffer, scan: Scan): unknown {
    return this.#sentIn(bytes, scan, this.#eventMessage!) ?? this.#sentIn(bytes, scan, this.#message!)
  }

  #sentIn(bytes: Buffer, scan: Scan, node: FieldNode): string | undefined {
    return wasSeen(node, scan) ? this.#textAt(bytes, node.valueAt) : undefined
  }

  #fieldIn(bytes: Buffer, scan: Scan, node: FieldNode): unknown {
    if (!wasSeen(node, scan)) return undefined
    const at = node.valueAt
    switch (node.fit) {
      case FIT.string:
        return this.#textAt(bytes, at)
      case FIT.integer:
        return integerAt(bytes, at)
      case FIT.boolean:
        return bytes[at] === 0x74
      default: {
        const value = new JsonReader(bytes, MAX_DEPTH, this.#texts).read(at)
        return plain(valuesAt(value, this.#rest))
      }
    }
  }

  /** The text whose opening quote stands here. Values repeat as names do, so short ones are found again. */
  #textAt(bytes: Buffer, at: number): string {
    const from = at + 1
    const last = from + LONGEST_CACHED
    let hash = 0
    let end = from
    for (let byte = bytes[end]!; byte !== QUOTE; byte = bytes[++end]!) {
      if (end === last || byte === BACKSLASH) return this.#longTextAt(bytes, at)
      hash = (Math.imul(hash, 31) + byte) | 0
    }
    return this.#texts.text(hash, bytes, from, end)
  }

  #longTextAt(bytes: Buffer, at: number): string {
    const value = new JsonReader(bytes, MAX_DEPTH, this.#texts).read(at)
    return typeof value === 'string' ? value : ''
  }
}

/** Longer texts seldom repeat. */
const LONGEST_CACHED = 32
const REMEMBERED_TEXTS = 256

function standardOf(name: string): Look['what'] {
  return name === 'id' || name === 'timestamp' || name === 'event_message' || name === 'message' ? name : 'field'
}

const wasSeen = (node: FieldNode, scan: Scan): boolean => node.seenIn >= scan.firstObject

/** The scan lets no integer through that 64 bits might not hold. */
function integerAt(bytes: Buffer, at: number): number | bigint {
  const isNegative = bytes[at] === 0x2d
  let value = 0
  let end = isNegative ? at + 1 : at
  for (let byte = bytes[end]!; byte >= 0x30 && byte <= 0x39; byte = bytes[++end]!) value = value * 10 + byte - 0x30
  if (value > Number.MAX_SAFE_INTEGER) return BigInt(bytes.toString('latin1', at, end))
  return isNegative ? -value : value
}

/** Numbers as numbers: the filters compare these fastest. */
function plain(value: unknown): unknown {
  if (value instanceof NumberText) return numberOf(value)
  return Array.isArray(value) ? value.map(plain) : value
}

function numberOf({ text, isInteger }: NumberText): number | bigint {
  const double = Number(text)
  return isInteger && !Number.isSafeInteger(double) ? BigInt(text) : double
}
