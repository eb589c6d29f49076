import { UNFIT } from '../../model/fields.ts'
import { printJson } from '../json/print.ts'
import { JsonObject, type JsonValue } from '../json/value.ts'
import type { SourceFields } from './source-fields.ts'
import type { Level } from './tree.ts'

/** Holds a value whose own place in `_unfit` is taken by an object. */
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
  for (const [name, inner] of branch.branches) {
    const known = level.named(name)
    const isLeaf = known ? known.level === null : inner.branches.size === 0
    const node = known ?? fields.add(level, path, name, isLeaf ? 'string' : 'object')
    if (isLeaf) {
      stored.add(node.name, textOf(inner))
      continue
    }
    const object = storeBranches(inner, fields, node.level!, node.path)
    if (inner.values.length > 0) {
      if (!node.level!.named(OWN_VALUE)) fields.add(node.level!, node.path, OWN_VALUE, 'string')
      const own = valuesOf(inner)
      const other = object.get(OWN_VALUE)
      object.set(
        OWN_VALUE,
        typeof own === 'string' && other === undefined ? own : printJson(other === undefined ? own : [own, other]),
      )
    }
    stored.add(node.name, object)
  }
  return stored
}

/** A text as itself, anything else as JSON; several values of one path (from a list of objects) as a list. */
function textOf(branch: Branch): string {
  const value = valuesOf(branch)
  return typeof value === 'string' ? value : printJson(value)
}

function valuesOf(branch: Branch): JsonValue {
  const own = branch.values.length === 1 ? branch.values[0]! : branch.values
  if (branch.branches.size === 0) return own
  const whole = new JsonObject()
  for (const [name, inner] of branch.branches) whole.add(name, valuesOf(inner))
  if (branch.values.length > 0) whole.add(OWN_VALUE, own)
  return whole
}
