import type { Aggregate, Period } from '../query.ts'
import type { Dialect } from './dialect.ts'

const quoteText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``

/** ClickHouse, with objects as named Tuples, lists as Arrays, scalars Nullable and `timestamp` as DateTime64(6, 'UTC'). */
export const clickhouse: Dialect = {
  literal: quoteText,
  placeholder: (number) => `{p${number}:String}`,
  integer: (value) => `toInt64(${value})`,
  float: (value) => `toFloat64(${value})`,
  time: (value) => `fromUnixTimestamp64Micro(toInt64(${value}), 'UTC')`,

  column: quoteName,
  member: (object, name) => `tupleElement(${object}, ${quoteText(name)})`,
  scalar: (value) => value,
  someElement: (list, variable, condition) => `arrayExists(${variable} -> ifNull(${condition}, false), ${list})`,
  eachElement: (list, variable, value) => `arrayMap(${variable} -> ${value}, ${list})`,
  element: (variable) => variable,
  isEmptyList: (list) => `empty(${list})`,

  contains: (text, part) => `position(${text}, ${part}) > 0`,
  // The engine lets a dot match a newline unless told otherwise, RE2 itself does not.
  pattern: (text) => `(?-s)${text}`,
  matches: (text, pattern) => `match(${text}, ${pattern})`,
  not: (condition) => `NOT ifNull(${condition}, false)`,

  bucket: (timestamp, period) => BUCKETS[period](timestamp),
  aggregate: (name, value) => AGGREGATES[name](value),
}

const BUCKETS: Record<Period, (timestamp: string) => string> = {
  second: (timestamp) => `toStartOfSecond(${timestamp}, 'UTC')`,
  minute: (timestamp) => `toStartOfMinute(${timestamp}, 'UTC')`,
  hour: (timestamp) => `toStartOfHour(${timestamp}, 'UTC')`,
  day: (timestamp) => `toStartOfDay(${timestamp}, 'UTC')`,
  week: (timestamp) => `toDateTime(toStartOfWeek(${timestamp}, 1, 'UTC'), 'UTC')`,
  month: (timestamp) => `toDateTime(toStartOfMonth(${timestamp}, 'UTC'), 'UTC')`,
}

const AGGREGATES: Record<Exclude<Aggregate, 'count'>, (value: string) => string> = {
  countd: (value) => `uniqExact(${value})`,
  sum: (value) => `sum(${value})`,
  avg: (value) => `avg(${value})`,
  min: (value) => `min(${value})`,
  max: (value) => `max(${value})`,
  p50: (value) => `quantileExactInclusive(0.5)(${value})`,
  p95: (value) => `quantileExactInclusive(0.95)(${value})`,
  p99: (value) => `quantileExactInclusive(0.99)(${value})`,
}
