import { UNFIT } from '../../model/fields.ts'
import { printJson } from '../json/print.ts'
import { JsonObject, type JsonValue } from '../json/value.ts'
import type { SourceFields } from './source-fields.ts'
import type { Level } from './tree.ts'

/** Holds what has no place of its own in `_unfit`: its place is an object, or there are too many places already. */
const OWN_VALUE = '_value'

/** The values of one event that did not fit their fields, by path. They are stored as text under `_unfit`. */
export class Strays {
  readonly #root = new Branch()
  count = 0

  add(path: readonly string[], value: JsonValue): void {
    this.#root.at(path).values.push(value)
    this.count++
  }

  /** The object to store as `_unfit`, with every field it uses added to the tree. */
  store(fields: SourceFields): JsonObject {
    const level = (fields.root.named(UNFIT) ?? fields.add(fields.root, '', UNFIT, 'object')).level!
    return storeBranches(this.#root, fields, level, UNFIT)
  }
}

class Branch {
  readonly values: JsonValue[] = []
  readonly branches = new Map<string, Branch>()

  at(path: readonly string[]): Branch {
    let branch: Branch = this
    for (const name of path) {
      let inner = branch.branches.get(name)
      if (!inner) {
        inner = new Branch()
        branch.branches.set(name, inner)
      }
      branch = inner
    }
    return branch
  }
}

function storeBranches(branch: Branch, fields: SourceFields, level: Level, path: string): JsonObject {
  const stored = new JsonObject()
  const own: JsonValue[] = [...branch.values]
  for (const [name, inner] of branch.branches) {
    const known = level.named(name)
    if (!known && fields.isUnfitFull) {
      own.push(new JsonObject().add(name, valuesOf(inner)))
      continue
    }
    const isLeaf = known ? known.level === null : inner.branches.size === 0
    const node = known ?? fields.add(level, path, name, isLeaf ? 'string' : 'object')
    stored.add(node.name, isLeaf ? textOf(valuesOf(inner)) : storeBranches(inner, fields, node.level!, node.path))
  }
  if (own.length > 0) {
    if (!level.named(OWN_VALUE)) fields.add(level, path, OWN_VALUE, 'string')
    const other = stored.get(OWN_VALUE)
    if (other !== undefined) own.push(other)
    stored.set(OWN_VALUE, textOf(own.length === 1 ? own[0]! : own))
  }
  return stored
}

/** A text as itself, anything else as JSON. */
const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : printJson(value))

/** Several values of one path, from a list of objects, are a list. */
function valuesOf(branch: Branch): JsonValue {
  const own = branch.values.length === 1 ? branch.values[0]! : branch.values
  if (branch.branches.size === 0) return own
  const whole = new JsonObject()
  for (const [name, inner] of branch.branches) whole.add(name, valuesOf(inner))
  if (branch.values.length > 0) whole.add(OWN_VALUE, own)
  return whole
}
