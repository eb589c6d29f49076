import { type FieldType, type FlatFields, UNFIT, UNLISTED } from '../../model/fields.ts'
import type { Position } from '../../model/journal.ts'
import { MAX_FIELDS } from '../limits.ts'
import { FIT, FieldNode, fitOf, Level } from './tree.ts'

/**
 * The fields of one source: the tree that events are fitted to, which of them the journal does not hold yet, and
 * which of them users may see.
 *
 * Promises: fields are only added and only widen from integer to float; a field that a row uses is in the journal
 * before that row, even when the append that first carried it failed.
 */
export class SourceFields {
  readonly root = new Level()
  /** Both `message` and `event_message` were sent once: `message` is a field of its own then. */
  keepsMessage = false
  /** Numbers the objects that scans walk through, for `FieldNode.seenIn`. */
  objectCount = 0
  #count = 0
  #ownCount = 0
  readonly #unjournaled = new Map<string, FieldType>()
  readonly #journaled = new Map<string, FieldType>()
  #journaledFlat: FlatFields | null = null
  /** Journaled, but not yet shown: path → the position after its frame. */
  readonly #hidden = new Map<string, Position>()
  readonly #visible = new Map<string, FieldType>()
  /** Added by the event that is being fitted. */
  #fresh: FieldNode[] = []

  constructor(initial: FlatFields) {
    for (const [name, fit] of STANDARD) this.root.addForScan(new FieldNode(name, name, 'string', fit))
    for (const [path, type] of Object.entries(initial)) {
      const dot = path.lastIndexOf('.')
      const level = dot < 0 ? this.root : this.#find(path.slice(0, dot))?.level
      if (!level) throw new Error(`field ${path} comes before its parent`)
      const known = level.named(path.slice(dot + 1))
      if (known) this.#setType(known, type)
      else this.#insert(level, path.slice(dot + 1), path, type)
      this.#visible.set(path, type)
      this.#journaled.set(path, type)
      this.#journaledFlat = null
    }
  }

  /** How many more fields senders may make. */
  get room(): number {
    return MAX_FIELDS - this.#count
  }

  /** No sender can make `_unfit` grow without end either. */
  get isUnfitFull(): boolean {
    return this.#ownCount >= MAX_FIELDS
  }

  /** How many fields senders have made; what the service writes itself does not count. */
  get count(): number {
    return this.#count
  }

  add(level: Level, parent: string, name: string, type: FieldType): FieldNode {
    const node = this.#insert(level, name, parent === '' ? name : `${parent}.${name}`, type)
    this.#unjournaled.set(node.path, type)
    this.#fresh.push(node)
    return node
  }

  widen(node: FieldNode): void {
    this.#setType(node, node.type === 'integer[]' ? 'float[]' : 'float')
    this.#unjournaled.set(node.path, node.type)
    this.#fresh.push(node)
  }

  get hasFresh(): boolean {
    return this.#fresh.length > 0
  }

  /** Ends an event: its new fields are shown at once, or when their rows are loaded. */
  settle(isSampled: boolean): void {
    for (const node of this.#fresh) {
      if (isSampled) this.#show(node)
      else this.#hidden.set(node.path, Number.POSITIVE_INFINITY)
    }
    this.#fresh = []
  }

  /** What the next append must carry ahead of its rows; parents before children. */
  unjournaled(): FlatFields | null {
    return this.#unjournaled.size === 0 ? null : flat(this.#unjournaled)
  }

  /** These fields are durable; `end` is the position after them. */
  confirmed(fields: FlatFields, end: Position): void {
    for (const [path, type] of Object.entries(fields)) {
      this.#journaled.set(path, type)
      this.#journaledFlat = null
      // A field that widened meanwhile still has its wider type to journal.
      if (this.#unjournaled.get(path) === type) this.#unjournaled.delete(path)
      if (this.#hidden.has(path)) this.#hidden.set(path, Math.min(this.#hidden.get(path)!, end))
    }
  }

  /** Everything before `position` is loaded, so what was found there can be searched and is shown. */
  publish(position: Position): void {
    for (const [path, end] of this.#hidden) {
      const node = end <= position ? this.#find(path) : undefined
      if (node) this.#show(node)
    }
  }

  visible(): FlatFields {
    return flat(this.#visible)
  }

  /** What every reader of the journal knows: a query may count on these. The same object until they change. */
  journaled(): FlatFields {
    this.#journaledFlat ??= flat(this.#journaled)
    return this.#journaledFlat
  }

  all(): FlatFields {
    const types = new Map<string, FieldType>()
    const collect = (level: Level): void => {
      for (const node of level.nodes()) {
        types.set(node.path, node.type)
        if (node.level) collect(node.level)
      }
    }
    collect(this.root)
    return flat(types)
  }

  #show(node: FieldNode): void {
    // A child is only reachable through its parents.
    for (let dot = node.path.indexOf('.'); dot > 0; dot = node.path.indexOf('.', dot + 1)) {
      const parent = this.#find(node.path.slice(0, dot))
      if (parent && !this.#visible.has(parent.path)) this.#visible.set(parent.path, parent.type)
    }
    this.#visible.set(node.path, node.type)
    this.#hidden.delete(node.path)
  }

  #insert(level: Level, name: string, path: string, type: FieldType): FieldNode {
    const isOwn = path === UNLISTED || path === UNFIT || path.startsWith(`${UNFIT}.`)
    const node = new FieldNode(name, path, type, isOwn ? FIT.nothing : fitOf(type))
    if (isOwn) this.#ownCount++
    else this.#count++
    if (path !== 'message') level.add(node)
    else {
      this.keepsMessage = true
      level.addByName(node)
    }
    return node
  }

  #setType(node: FieldNode, type: FieldType): void {
    node.type = type
    if (node.fit !== FIT.nothing) node.fit = fitOf(type)
  }

  #find(path: string): FieldNode | undefined {
    let level: Level | null | undefined = this.root
    let node: FieldNode | undefined
    for (const name of path.split('.')) {
      node = level?.named(name)
      level = node?.level
    }
    return node
  }
}

const STANDARD: readonly [string, number][] = [
  ['id', FIT.id],
  ['timestamp', FIT.timestamp],
  ['event_message', FIT.eventMessage],
  ['message', FIT.message],
]

/** A record without a prototype: `__proto__` is a legal field name. */
function flat(types: Iterable<[string, FieldType]>): FlatFields {
  const fields: FlatFields = Object.create(null)
  for (const [path, type] of types) fields[path] = type
  return fields
}
