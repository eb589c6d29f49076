import type { Position } from '../model/journal.ts'
import type { Positions } from './positions.ts'

/** A named place in the journal that is kept across restarts and holds the segments behind it. */
export type Reader = {
  readonly name: string
  readonly position: Position
  /** Everything before this frame border is done with; a position already passed changes nothing. */
  advance(position: Position): void
  /** Forgets the name for good: it holds nothing back any more. */
  release(): void
}

type Parts = { positions: Positions; start(): Position; end(): Position }

export function createReaders({ positions, start, end }: Parts): (name: string, from?: Position) => Reader {
  return function reader(name, from = start()) {
    const position = (): Position => Math.max(positions.get(name) ?? 0, start())
    if (positions.get(name) === undefined) positions.set(name, Math.max(from, start()))
    return {
      name,
      get position() {
        return position()
      },
      advance(to) {
        if (to > end()) throw new Error(`reader ${name} cannot be at ${to}: the journal ends at ${end()}`)
        // A released reader that still runs must not come back as one that holds segments.
        if (positions.get(name) !== undefined && to > position()) positions.set(name, to)
      },
      release() {
        positions.remove(name)
      },
    }
  }
}
