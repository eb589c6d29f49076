/**
 * The tree of a query. It is plain data (it survives JSON), and it is always in canonical order: `parse` arranges it,
 * so that printing is a walk and two texts with one meaning mostly give one tree.
 */

/** Offsets in the text as typed, `end` exclusive. */
export type Span = { start: number; end: number }

export type Query = {
  from: From | null
  selects: Select[]
  /** `null` matches every event. */
  filter: Filter | null
  chart: Chart | null
}

export type Filter = Clause | Not | All | Any

/** Never holds another `not`: two negations cancel out. */
export type Not = { op: 'not'; of: Clause | All | Any; at: Span }
/** Two or more; clauses first, by path, then groups in the order typed. */
export type All = { op: 'all'; of: (Clause | Not | Any)[]; at: Span }
/** Two or more, in the order typed. */
export type Any = { op: 'any'; of: (Clause | Not | All)[]; at: Span }

/** A value as typed. `quoted` says how it is written canonically, which is quoted wherever bare text would be read otherwise. */
export type Literal = { text: string; quoted: boolean; at: Span }

/** `at` is the whole clause without its sign; `pathAt` the path, or the word when none is written. */
type OnPath = { path: string; at: Span; pathAt: Span }

export type Contains = OnPath & { op: 'contains'; value: Literal }
export type Equals = OnPath & { op: 'equals'; value: Literal }
export type Missing = OnPath & { op: 'missing' }
/** An unquoted `NULL` among the values stands for a missing field. */
export type OneOf = OnPath & { op: 'one_of'; values: Literal[] }
export type Compare = OnPath & { op: 'compare'; sign: Sign; value: Literal }
export type Range = OnPath & { op: 'range'; low: Literal; high: Literal }
export type Levels = OnPath & { op: 'levels'; low: string; high: string }
export type Regex = OnPath & { op: 'regex'; value: Literal }
export type Includes = OnPath & { op: 'includes'; value: Literal }
export type IncludesRegex = OnPath & { op: 'includes_regex'; value: Literal }
export type Time = OnPath & { op: 'time'; sign: Sign | '='; time: TimeValue; valueAt: Span }

export type Clause =
  | Contains
  | Equals
  | Missing
  | OneOf
  | Compare
  | Range
  | Levels
  | Regex
  | Includes
  | IncludesRegex
  | Time

export type Sign = '>' | '>=' | '<' | '<='

/**
 * A point in time as text, so that no digit is lost: `date` alone is a whole day. `absolute` ones are in UTC, the
 * others in the time zone of whoever asks.
 */
export type Point = { date: string; time: string | null; fraction: string; absolute: boolean }

export type TimeValue =
  | { form: 'point'; point: Point }
  | { form: 'span'; low: Point; high: Point }
  | { form: 'word'; word: 'now' | 'today' | 'yesterday' }
  | { form: 'this'; unit: Unit }
  | { form: 'last'; count: number; unit: Unit }

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

export type From = { table: string; at: Span }

/** `path` is `*` for the whole event. */
export type Select = { path: string; alias: string | null; at: Span; pathAt: Span }

export type Aggregate = 'count' | 'countd' | 'sum' | 'avg' | 'min' | 'max' | 'p50' | 'p95' | 'p99'
export type Period = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month'

/** `path` is `*` when whole events are counted. */
export type Chart = { aggregate: Aggregate; path: string; period: Period; at: Span; pathAt: Span }

export const MESSAGE = 'event_message'
export const TIMESTAMP = 'timestamp'
