import { valuesAt } from '../../lql/lql.ts'
import { JsonReader, readString } from '../json/read.ts'
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'
import { MAX_DEPTH } from '../limits.ts'
import type { Scan } from '../scan/scan.ts'
import type { SourceFields } from '../schema/source-fields.ts'
import { FIT, type FieldNode, type Level } from '../schema/tree.ts'
import { WantedTexts } from './wanted-texts.ts'

/**
 * One path that filters look at, and how its value is found: in the bytes of an event that the scan just walked, or in
 * an event that the pipeline built. Both give what is stored, so that a rule and a search mean the same.
 */
export class Look {
  readonly what: 'id' | 'timestamp' | 'event_message' | 'message' | 'field'
  readonly #names: readonly string[]
  readonly #wanted: WantedTexts | null
  #eventMessage: FieldNode | null = null
  #message: FieldNode | null = null
  #node: FieldNode | null = null
  /** What is left of the path behind a list. */
  #rest: readonly string[] = []

  /** `texts` are those that make a difference, or null when all do. */
  constructor(path: string, texts: ReadonlySet<string> | null) {
    this.#wanted = texts && new WantedTexts(texts)
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
        return scan.idFrom < 0 ? undefined : this.#text(bytes, scan.idFrom, scan.idTo)
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
    return wasSeen(node, scan) ? this.#text(bytes, node.valueAt, node.valueTo) : undefined
  }

  #fieldIn(bytes: Buffer, scan: Scan, node: FieldNode): unknown {
    if (!wasSeen(node, scan)) return undefined
    const at = node.valueAt
    switch (node.fit) {
      case FIT.string:
        return this.#text(bytes, at, node.valueTo)
      case FIT.integer:
        return integerAt(bytes, at)
      case FIT.boolean:
        return bytes[at] === 0x74
      default: {
        const value = new JsonReader(bytes, MAX_DEPTH, null).read(at)
        return plain(valuesAt(value, this.#rest))
      }
    }
  }

  #text(bytes: Buffer, from: number, to: number): string {
    return this.#wanted?.find(bytes, from, to) ?? readString(bytes, from, to)
  }
}

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
