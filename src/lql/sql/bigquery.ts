import type { Aggregate, Period } from '../query.ts'
import type { Dialect } from './dialect.ts'

const ESCAPES: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\0': '\\x00' }

const quoteText = (text: string): string => `'${text.replace(/[\\'\n\r\0]/g, (char) => ESCAPES[char]!)}'`
const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``

/** BigQuery (GoogleSQL), with objects as STRUCTs and lists as repeated fields. */
export const bigquery: Dialect = {
  literal: quoteText,
  placeholder: (number) => `@p${number}`,
  integer: (value) => `CAST(${value} AS INT64)`,
  float: (value) => `CAST(${value} AS FLOAT64)`,
  time: (value) => `TIMESTAMP_MICROS(CAST(${value} AS INT64))`,

  column: quoteName,
  member: (object, name) => `${object}.${quoteName(name)}`,
  scalar: (value) => value,
  list: (value) => value,
  object: (value) => value,
  isNoObject: (value) => `${value} IS NULL`,
  someElement: (list, variable, condition) =>
    `EXISTS (SELECT 1 FROM UNNEST(${list}) AS ${variable} WHERE ${condition})`,
  eachElement: (list, variable, value) => `ARRAY(SELECT ${value} FROM UNNEST(${list}) AS ${variable})`,
  element: (variable) => variable,
  isEmptyList: (list) => `COALESCE(ARRAY_LENGTH(${list}), 0) = 0`,

  eachValue: (list) => ({ value: 'each_value', join: `, UNNEST(${list}) AS each_value` }),
  start: (text, characters) => `LEFT(${text}, ${characters})`,
  integerOf: (text) => `SAFE_CAST(${text} AS INT64)`,
  countIf: (condition) => `COUNTIF(${condition})`,

  contains: (text, part) => `STRPOS(${text}, ${part}) > 0`,
  pattern: (text) => text,
  matches: (text, pattern) => `REGEXP_CONTAINS(${text}, ${pattern})`,
  not: (condition) => `(${condition}) IS NOT TRUE`,

  bucket: (timestamp, period) => `TIMESTAMP_TRUNC(${timestamp}, ${PERIODS[period]}, 'UTC')`,
  aggregate: (name, value) => AGGREGATES[name](value),
}

const PERIODS: Record<Period, string> = {
  second: 'SECOND',
  minute: 'MINUTE',
  hour: 'HOUR',
  day: 'DAY',
  week: 'WEEK(MONDAY)',
  month: 'MONTH',
}

const AGGREGATES: Record<Exclude<Aggregate, 'count'>, (value: string) => string> = {
  countd: (value) => `COUNT(DISTINCT ${value})`,
  sum: (value) => `SUM(${value})`,
  avg: (value) => `AVG(${value})`,
  min: (value) => `MIN(${value})`,
  max: (value) => `MAX(${value})`,
  p50: (value) => `APPROX_QUANTILES(${value}, 100)[OFFSET(50)]`,
  p95: (value) => `APPROX_QUANTILES(${value}, 100)[OFFSET(95)]`,
  p99: (value) => `APPROX_QUANTILES(${value}, 100)[OFFSET(99)]`,
}
