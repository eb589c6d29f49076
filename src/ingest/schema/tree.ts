import type { FieldType } from '../../model/fields.ts'

/**
 * The fields of a source as the write path walks them: the tree of `model/fields`, with what a byte scanner needs
 * beside it (the name's bytes, a number for the type, the field that followed last time).
 */
export class FieldNode {
  readonly name: string
  readonly path: string
  /** The name as it stands in the sender's bytes, without quotes. */
  readonly key: Uint8Array
  /** `"name":` four bytes at a time; the last word is its last four bytes and may overlap the one before. */
  readonly keyWords: Int32Array
  readonly quotedName: Buffer
  readonly keyBytes: number
  readonly level: Level | null
  /** The level it is a field of. */
  readonly parent: Level
  type: FieldType
  fit: number
  /** The field that came after this one in the event before: senders rarely change the order of their keys. */
  next: FieldNode | null = null
  /** The object this field was last seen in, by number: a second time in the same object is a duplicate. */
  seenIn = 0
  /** Where its value stood, in the bytes of the event that it was last seen in. */
  valueAt = 0
  valueTo = 0
  /** The next field of the same level whose name has the same hash. */
  sameHash: FieldNode | null = null

  constructor(parent: Level, name: string, path: string, type: FieldType, fit: number) {
    this.parent = parent
    this.name = name
    this.path = path
    this.key = Buffer.from(name)
    this.keyBytes = this.key.length + 3
    this.quotedName = Buffer.from(`"${name}":`)
    this.keyWords = wordsOf(this.quotedName)
    this.type = type
    this.fit = fit
    this.level = type === 'object' || type === 'object[]' ? new Level() : null
  }
}

function wordsOf(bytes: Buffer): Int32Array {
  const words = new Int32Array(Math.ceil(bytes.length / 4))
  for (let i = 0; i < words.length - 1; i++) words[i] = bytes.readInt32LE(i * 4)
  words[words.length - 1] = bytes.readInt32LE(bytes.length - 4)
  return words
}

export class Level {
  /** The field that came first in the object before. */
  first: FieldNode | null = null
  readonly #byName = new Map<string, FieldNode>()
  readonly #byHash = new Map<number, FieldNode>()

  /** Names that differ only in case are one field, because the engine's columns are. */
  named(name: string): FieldNode | undefined {
    return this.#byName.get(name.toLowerCase())
  }

  nodes(): Iterable<FieldNode> {
    return this.#byName.values()
  }

  add(node: FieldNode): void {
    this.addByName(node)
    this.addForScan(node)
  }

  /** Known to the slow path only: the scanner meets this name as a standard field. */
  addByName(node: FieldNode): void {
    this.#byName.set(node.name.toLowerCase(), node)
  }

  /** Known to the scanner only, as the standard fields are. */
  addForScan(node: FieldNode): void {
    const hash = hashName(node.key, 0, node.key.length)
    node.sameHash = this.#byHash.get(hash) ?? null
    this.#byHash.set(hash, node)
  }

  /** Takes back the field added last. */
  remove(node: FieldNode): void {
    this.#byName.delete(node.name.toLowerCase())
    const hash = hashName(node.key, 0, node.key.length)
    if (this.#byHash.get(hash) !== node) return
    if (node.sameHash === null) this.#byHash.delete(hash)
    else this.#byHash.set(hash, node.sameHash)
  }

  /** The field whose name is spelled exactly like these bytes. */
  spelled(hash: number, bytes: Uint8Array, from: number, to: number): FieldNode | null {
    let node = this.#byHash.get(hash) ?? null
    while (node !== null && !isSpelled(node.key, bytes, from, to)) node = node.sameHash
    return node
  }
}

export function hashName(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0
  for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0
  return hash
}

function isSpelled(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (key.length !== to - from) return false
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[from + i]) return false
  return true
}

/** What a value must be to stand in a field as it is. */
export const FIT = {
  /** Never as it is: the service writes such a field itself. */
  nothing: 0,
  string: 1,
  integer: 2,
  float: 3,
  boolean: 4,
  object: 5,
  /** Added to one of the above. */
  list: 8,
  id: 16,
  timestamp: 17,
  message: 18,
  eventMessage: 19,
} as const

export function fitOf(type: FieldType): number {
  switch (type) {
    case 'string':
    case 'integer':
    case 'float':
    case 'boolean':
    case 'object':
      return FIT[type]
    case 'string[]':
      return FIT.string | FIT.list
    case 'integer[]':
      return FIT.integer | FIT.list
    case 'float[]':
      return FIT.float | FIT.list
    case 'boolean[]':
      return FIT.boolean | FIT.list
    case 'object[]':
      return FIT.object | FIT.list
  }
}
