import type { ColumnType } from '../column-type.ts'
import type { Aggregate, Period } from '../query.ts'
import type { Dialect } from './dialect.ts'

const quoteText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`
const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``

/**
 * ClickHouse, with top-level objects as columns of the type JSON, lists as Arrays, scalars Nullable and `timestamp` as
 * DateTime64(6, 'UTC'). Fields inside objects have the types of their values, and are read as the type of the field.
 */
export const clickhouse: Dialect = {
  literal: quoteText,
  placeholder: (number) => `{p${number}:String}`,
  integer: (value) => `toInt64(${value})`,
  float: (value) => `toFloat64(${value})`,
  time: (value) => `fromUnixTimestamp64Micro(toInt64(${value}), 'UTC')`,

  column: quoteName,
  member: (object, name) => `${object}.${quoteName(name)}`,
  scalar: (value, type) => (isInside(value) ? `CAST(${value}, 'Nullable(${TYPES[type]})')` : value),
  list: (value, type) => {
    if (!isInside(value)) return value
    return type === 'object' ? `${value}.:\`Array(JSON)\`` : `CAST(${value}, 'Array(Nullable(${TYPES[type]}))')`
  },
  object: wholeObject,
  isNoObject: (value) => `empty(JSONAllPaths(${wholeObject(value)}))`,
  someElement: (list, variable, condition) => `arrayExists(${variable} -> ifNull(${condition}, false), ${list})`,
  eachElement: (list, variable, value) => `arrayMap(${variable} -> ${value}, ${list})`,
  element: (variable) => variable,
  isEmptyList: (list) => `empty(${list})`,

  eachValue: (list, type, levels) => {
    const lists = `${'Array('.repeat(levels)}Nullable(${TYPES[type]})${')'.repeat(levels)}`
    return { value: `arrayJoin(arrayFlatten(CAST(${list}, '${lists}')))`, join: '' }
  },
  start: (text, characters) => `substringUTF8(${text}, 1, ${characters})`,
  integerOf: (text) => `toInt64OrNull(${text})`,
  countIf: (condition) => `countIf(${condition})`,

  contains: (text, part) => `position(${text}, ${part}) > 0`,
  // The engine lets a dot match a newline unless told otherwise, RE2 itself does not.
  pattern: (text) => `(?-s)${text}`,
  matches: (text, pattern) => `match(${text}, ${pattern})`,
  not: (condition) => `NOT ifNull(${condition}, false)`,

  bucket: (timestamp, period) => BUCKETS[period](timestamp),
  aggregate: (name, value) => AGGREGATES[name](value),
}

/** A path to an object gives no value; `^` asks for the object itself. */
function wholeObject(value: string): string {
  return value.replace('.`', '.^`')
}

const isInside = (value: string): boolean => value.includes('.`')

const TYPES: Record<ColumnType, string> = {
  string: 'String',
  integer: 'Int64',
  float: 'Float64',
  boolean: 'Bool',
  timestamp: "DateTime64(6, \\'UTC\\')",
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
