/**
 * What every operator is: one file with its words, its test in memory and its SQL side by side, so that the two
 * meanings are read and changed together. A test and an SQL condition speak of one value; how a path leads to values
 * (through objects and lists) is the same for all and lives in `match.ts` and `sql/where.ts`.
 */
import type { ColumnType } from '../column-type.ts'
import type { Span } from '../query.ts'
import type { SqlWriter } from '../sql/writer.ts'
import type { When } from '../time/interval.ts'

/** True or false of one stored value; `undefined` is a missing one. Objects are values that equal nothing. */
export type Test = (value: unknown) => boolean

/** Why a clause can never be true of a column of some type, and where that is written. */
export type Misfit = { expected: string; at: Span }

export type Operator = {
  /** The clause without its sign. */
  print(): string
  test(when: When): Test
  /** A condition on the column; NULL counts as false. `null`: it can never be true. */
  sql(column: string, type: ColumnType, write: SqlWriter): string | null
  misfit(type: ColumnType): Misfit | null
}
