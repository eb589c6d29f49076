import { type FieldType, type FlatFields, UNFIT, UNLISTED, widens } from '../../model/fields.ts'
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
  /** Where the scan meets the two fields that can hold the message, and the time. */
  readonly eventMessage = new FieldNode(this.root, 'event_message', 'event_message', 'string', FIT.eventMessage)
  readonly message = new FieldNode(this.root, 'message', 'message', 'string', FIT.message)
  readonly timestamp = new FieldNode(this.root, 'timestamp', 'timestamp', 'string', FIT.timestamp)
  /** Both `message` and `event_message` were sent once: `message` is a field of its own then. */
  keepsMessage = false
  /** Grows with every change of the tree, for those who keep nodes of it. */
  version = 0
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
  /** Added or widened by the event that is being fitted, with what it takes to undo that. */
  #fresh: Fresh[] = []

  constructor(initial: FlatFields) {
    this.root.addForScan(new FieldNode(this.root, 'id', 'id', 'string', FIT.id))
    this.root.addForScan(this.timestamp)
    this.root.addForScan(this.eventMessage)
    this.root.addForScan(this.message)
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
    this.#fresh.push({ node, level, typeBefore: null, unjournaledBefore: undefined })
    return node
  }

  widen(node: FieldNode): void {
    this.#fresh.push({
      node,
      level: null,
      typeBefore: node.type,
      unjournaledBefore: this.#unjournaled.get(node.path),
    })
    this.#setType(node, node.type === 'integer[]' ? 'float[]' : 'float')
    this.#unjournaled.set(node.path, node.type)
  }

  get hasFresh(): boolean {
    return this.#fresh.length > 0
  }

  /** Ends an event: its new fields are shown at once, or when their rows are loaded. */
  settle(isSampled: boolean): void {
    for (const { node } of this.#fresh) {
      if (isSampled) this.#show(node)
      else this.#hidden.set(node.path, Number.POSITIVE_INFINITY)
    }
    this.#fresh = []
  }

  /** Ends an event that is not stored after all: it leaves no trace. */
  takeBack(): void {
    for (const { node, level, typeBefore, unjournaledBefore } of this.#fresh.reverse()) {
      if (unjournaledBefore === undefined) this.#unjournaled.delete(node.path)
      else this.#unjournaled.set(node.path, unjournaledBefore)
      if (typeBefore !== null) this.#setType(node, typeBefore)
      if (level !== null) this.#remove(level, node)
    }
    this.#fresh = []
  }

  /** Fields that events elsewhere brought, as far as there is room. Answers what is to be journaled for them. */
  learn(fields: FlatFields): FlatFields | null {
    const learned = new Map<string, FieldType>()
    for (const [path, type] of Object.entries(fields)) {
      const dot = path.lastIndexOf('.')
      const level = dot < 0 ? this.root : this.#find(path.slice(0, dot))?.level
      const known = level?.named(path.slice(dot + 1))
      if (!level || (known ? !widens(known.type, type) : this.room <= 0)) continue
      if (known) this.#setType(known, type)
      const node = known ?? this.#insert(level, path.slice(dot + 1), path, type)
      this.#unjournaled.set(node.path, type)
      this.#show(node)
      learned.set(node.path, type)
    }
    return learned.size === 0 ? null : flat(learned)
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
    const node = new FieldNode(level, name, path, type, isOwn ? FIT.nothing : fitOf(type))
    this.version++
    if (isOwn) this.#ownCount++
    else this.#count++
    if (path !== 'message') level.add(node)
    else {
      this.keepsMessage = true
      level.addByName(node)
    }
    return node
  }

  #remove(level: Level, node: FieldNode): void {
    this.version++
    if (node.fit === FIT.nothing) this.#ownCount--
    else this.#count--
    if (node.path === 'message') this.keepsMessage = false
    level.remove(node)
  }

  #setType(node: FieldNode, type: FieldType): void {
    this.version++
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

type Fresh = {
  node: FieldNode
  /** Where it was added; null when it was only widened. */
  level: Level | null
  typeBefore: FieldType | null
  unjournaledBefore: FieldType | undefined
}

/** A record without a prototype: `__proto__` is a legal field name. */
function flat(types: Iterable<[string, FieldType]>): FlatFields {
  const fields: FlatFields = Object.create(null)
  for (const [path, type] of types) fields[path] = type
  return fields
}
