import type { SourceFields } from '../schema/source-fields.ts'
import { FIT, FieldNode, Level } from '../schema/tree.ts'

/**
 * Fields that the settings of a source drop and nothing else reads. They are never stored, so the tree does not know
 * them, and without this every event that has one would have to be built only to lose it again.
 */
export class Drops {
  readonly #paths: readonly (readonly string[])[]
  readonly #levels = new Map<Level, Level>()
  #fields: SourceFields | null = null
  #version = -1

  constructor(paths: readonly (readonly string[])[]) {
    this.#paths = paths
  }

  /** The field that is dropped at this level under exactly this name. */
  spelled(level: Level, hash: number, bytes: Uint8Array, from: number, to: number): FieldNode | null {
    return this.#levels.get(level)?.spelled(hash, bytes, from, to) ?? null
  }

  /** Finds the levels in the tree; again when the tree changed. */
  settle(fields: SourceFields): void {
    if (fields === this.#fields && fields.version === this.#version) return
    this.#fields = fields
    this.#version = fields.version
    this.#levels.clear()
    for (const path of this.#paths) {
      let level: Level | null = fields.root
      for (const name of path.slice(0, -1)) {
        const node: FieldNode | undefined = level?.named(name)
        // Lists are not entered by drop rules.
        level = node?.type === 'object' ? node.level : null
      }
      const name = path.at(-1)!
      if (level === null || level.named(name)) continue
      const dropped = this.#levels.get(level) ?? new Level()
      dropped.addForScan(new FieldNode(level, name, path.join('.'), 'string', FIT.nothing))
      this.#levels.set(level, dropped)
    }
  }
}
