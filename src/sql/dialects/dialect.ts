/**
 * What an engine writes differently. The tree is read by one walk (`translate.ts`, `values.ts`, `relations.ts`); it asks
 * the dialect for the forms below, and functions have their own texts per engine beside each other in `functions/`.
 *
 * A type of GoogleSQL is the same SQL type everywhere in an engine's text, so a dialect may rely on it: see
 * `value-types.ts` for the names. `null` in place of a text means that the engine has nothing of the kind; the walk
 * refuses it by name.
 */
import type { Emitted } from '../emitted.ts'
import type { Engine } from '../engine.ts'
import type { DatePart } from '../time-units.ts'
import type { Column, ValueType } from '../value-types.ts'

export type TimeKind = 'timestamp' | 'datetime' | 'date' | 'time'

export type Dialect = {
  engine: Engine
  /** What messages call it. */
  label: string
  /** Bytes of the longest name that a column of an answer may have. */
  longestName: number

  /** Literals. */
  text(text: string): string
  bytes(hex: string): string
  /** FLOAT64 of these digits. */
  float(digits: string): string
  /** A whole number with the width of INT64. */
  wide(number: string): string
  /** `text` is a UTC time of the form `2025-03-03 08:15:30.25`, a date or a time of day. */
  timeLiteral(kind: TimeKind, text: string): string
  /** The place of a parameter, numbered from 0. */
  parameter(index: number, type: ValueType): string

  /** The field of an object or of a JSON value. */
  field(of: Emitted, name: string, type: ValueType): string
  /** `index` is a text or a number; out of bounds gives NULL. */
  jsonElement(of: string, index: { name: string } | { position: string }): string
  /** Positions count from 0. Out of bounds is an error, or NULL when `safe`. */
  element(list: Emitted, position: string, safe: boolean): string
  list(items: Emitted[], declared: string | null): string
  object(fields: { name: string; value: Emitted }[], declared: string | null): string
  /** All columns of a range as one object. */
  row(alias: string, columns: Column[]): string
  listOfQuery(sql: string, column: Column | undefined): string
  contains(list: Emitted, value: Emitted): string
  /** The list or object is absent (or there). */
  isNull(of: Emitted, not: boolean): string

  /** A value in the select list of a query, and one to order by. */
  selected(value: Emitted): string
  ordered(value: Emitted): string
  compare(left: Emitted, operator: string, right: Emitted): string
  /** `nonZero`: the divisor is a literal that is not 0. */
  divide(left: string, right: string, nonZero: boolean): string
  calculate(left: Emitted, operator: string, right: Emitted): string
  cast(of: Emitted, to: ValueType, engineType: string, safe: boolean): string
  toTime(of: Emitted, kind: TimeKind, safe: boolean): string
  /** The value, or NULL where computing it fails. */
  attempt(sql: string): string | null

  /** Where the engine does not take the standard's own form. */
  instead?: Instead

  time: TimeWords

  /** Whether the engine has the clauses QUALIFY and GROUP BY ALL, and orders what is DISTINCT by expressions. */
  hasQualify: boolean
  hasGroupByAll: boolean
  /** Whether ORDER BY after a UNION is the whole's, UNION alone means DISTINCT, WITH RECURSIVE may name columns, and brackets follow WITH. */
  hasStandardUnion: boolean
  ordersDistinct: boolean
  /** Whether an index serves ORDER BY only where it does not say NULLS FIRST or LAST. */
  ordersKeysPlainly: boolean
  /** Elements of a list as rows: FROM text, the element, and its position from 0. */
  unnest(list: Emitted, alias: string, withPosition: boolean): Unnested
  /** One side of a UNION, whose columns become those of the whole. */
  united(sql: string, columns: Column[], whole: Column[]): string
  /** The finished statement; values that leave as something else (a DATETIME is text) are turned here. */
  output(sql: string, columns: Column[]): string
  /** The query that makes a source's columns out of what stands in FROM for it. */
  relation(columns: Column[], from: string, isRead: (name: string) => boolean): string
}

export type Instead = {
  /** `IS TRUE` and so on. */
  isTruth(of: string, what: 'true' | 'false', not: boolean): string
  isDistinct(left: string, right: string, not: boolean): string
  bitNot(of: string): string
  /** A pattern after LIKE, whose escapes are backslashes. */
  likePattern(pattern: string): string
  /** A value after LIMIT and OFFSET. */
  rows(count: string): string
  /** What a scalar query over no rows gives, when that is not NULL. */
  ofNoRows(query: string, value: string): string
}

export type Unnested = {
  from: string
  value: string
  position: string
  /** How it is joined to what stands before it; a lateral join of `from` when not given. */
  join?(kind: 'inner' | 'left', condition: string | null): string
}

export type TimeWords = {
  now: string
  /** The wall clock of an instant in a zone (UTC when null). */
  inZone(of: Emitted, zone: string | null): string
  /** The instant at which a zone's clock shows this. */
  fromZone(clock: Emitted, zone: string | null): string
  micros(of: string): string
  fromMicros(micros: string): string
  interval(unit: string, amount: string): string
  /** The instant or the date, moved by an interval. */
  moved(of: string, sign: '+' | '-', interval: string, kind: TimeKind): string
  truncated(of: Emitted, part: DatePart, zone: string | null): string
  /** How many boundaries of the unit lie between two times. */
  boundaries(later: string, earlier: string, part: DatePart): string
  extract(part: DatePart, clock: string): string | null
  /** A GoogleSQL format, or the element of it that has no translation. */
  format(format: string, of: string): { sql: string } | { unknown: string }
  /** By a format that is known only when the query runs. */
  formatBy(format: string, of: string): string | null
  /** `safe`: what is not of the format gives NULL, where the engine has no general way to attempt a value. */
  parse(text: string, format: string, kind: TimeKind, safe: boolean): string | null
  parseBy(text: string, format: string, kind: TimeKind): string | null
}
