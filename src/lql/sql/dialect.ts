import type { ColumnType } from '../column-type.ts'
import type { Aggregate, Period } from '../query.ts'

/** What differs between engines. `condition` and `value` are SQL; names are plain. */
export type Dialect = {
  /** A text literal. */
  literal(text: string): string
  /** The place of the bound text with this number, from 1. */
  placeholder(number: number): string
  /** 64-bit integer, double and time (microseconds since the epoch), each out of a literal or a place. */
  integer(value: string): string
  float(value: string): string
  time(value: string): string

  /** A top-level field. */
  column(name: string): string
  member(object: string, name: string): string
  /** The value as this type, where the engine does not know it already. */
  scalar(value: string, type: ColumnType): string
  /** A list as one of this type, where the engine does not know it already. */
  list(value: string, type: ColumnType | 'object'): string
  /** An object as a value of its own. */
  object(value: string): string
  /** The object is absent; never NULL. */
  isNoObject(value: string): string
  /** There is an element for which the condition holds; NULL or false otherwise. */
  someElement(list: string, variable: string, condition: string): string
  /** The list of what becomes of each element. */
  eachElement(list: string, variable: string, value: string): string
  /** The variable of the two above as a value. */
  element(variable: string): string
  /** The list is absent or has no elements; never NULL. */
  isEmptyList(list: string): string

  /** A row for each element of a list in so many levels: what stands in the SELECT list, and behind the table. */
  eachValue(list: string, type: ColumnType, levels: number): { value: string; join: string }
  /** The first characters of a text. */
  start(text: string, characters: number): string
  /** The integer that a text is; NULL when it is none. */
  integerOf(text: string): string
  countIf(condition: string): string

  contains(text: string, part: string): string
  /** An RE2 pattern as this engine must get it to mean the same. */
  pattern(text: string): string
  /** Some part of the text matches. */
  matches(text: string, pattern: string): string
  /** True where the condition is false or NULL. */
  not(condition: string): string

  /** The start of the UTC period; weeks start on Monday. */
  bucket(timestamp: string, period: Period): string
  aggregate(name: Exclude<Aggregate, 'count'>, value: string): string
}
