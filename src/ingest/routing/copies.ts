import type { Rows } from '../scan/rows.ts'
import type { Sieve } from './sieve.ts'

/** A row that is to be copied: where it stands among the rows of its source, and its time. */
export type Mark = { rowFrom: number; eventFrom: number; rowTo: number; timestampUs: number }

/** Which rows of a request go to which target. Copies are made when all rows are there, one target after the other. */
export class Copies {
  /** By target; four numbers a mark, as most requests mark every row or none. */
  readonly #marks: number[][]

  constructor(targets: number) {
    this.#marks = Array.from({ length: targets }, () => [])
  }

  /** Marks the row written last for every target whose rules are true of it; the sieve has seen it. */
  mark(sieve: Sieve, rows: Rows): void {
    for (const target of sieve.hitTargets) {
      this.#marks[target]!.push(rows.rowFrom, rows.eventFrom, rows.rowTo, rows.rowUs)
    }
  }

  *of(target: number): Generator<Mark> {
    const marks = this.#marks[target]!
    for (let i = 0; i < marks.length; i += 4) {
      yield { rowFrom: marks[i]!, eventFrom: marks[i + 1]!, rowTo: marks[i + 2]!, timestampUs: marks[i + 3]! }
    }
  }

  /** Bytes of the rows that go to a target. */
  bytesOf(target: number): number {
    let bytes = 0
    for (const { rowFrom, rowTo } of this.of(target)) bytes += rowTo - rowFrom
    return bytes
  }
}
