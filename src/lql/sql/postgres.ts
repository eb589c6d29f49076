import type { ColumnType } from '../column-type.ts'
import type { Aggregate } from '../query.ts'
import type { Dialect } from './dialect.ts'

const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * PostgreSQL, with events as rows of `id`, `timestamp` (timestamptz), `event_message` and a jsonb column `body` for
 * the other fields. Its regular expressions are POSIX, not RE2: simple ones mean the same, classes like `\pL` do not exist.
 */
export const postgres: Dialect = {
  literal: quoteText,
  placeholder: (number) => `$${number}::text`,
  integer: (value) => `CAST(${value} AS bigint)`,
  float: (value) => `CAST(${value} AS float8)`,
  time: (value) => `(timestamptz 'epoch' + CAST(${value} AS bigint) * interval '1 microsecond')`,

  column: (name) => (STANDARD.includes(name) ? `"${name}"` : `(body -> ${quoteText(name)})`),
  member: (object, name) => `(${object} -> ${quoteText(name)})`,
  scalar: (value, type) => (isStandard(value) ? value : `(${value} #>> '{}')${CASTS[type]}`),
  list: (value) => value,
  object: (value) => value,
  isNoObject: (value) => `${value} IS NULL`,
  someElement: (list, variable, condition) =>
    `EXISTS (SELECT 1 FROM jsonb_array_elements(${list}) AS ${variable}(v) WHERE ${condition})`,
  eachElement: (list, variable, value) =>
    `(SELECT jsonb_agg(${value}) FROM jsonb_array_elements(${list}) AS ${variable}(v))`,
  element: (variable) => `${variable}.v`,
  isEmptyList: (list) => `coalesce(jsonb_array_length(${list}), 0) = 0`,

  // In this mode of paths a level that is no list counts as one element.
  eachValue: (list, type, levels) => ({
    value: `(jsonb_path_query(${list}, 'lax $${'[*]'.repeat(levels)}') #>> '{}')${CASTS[type]}`,
    join: '',
  }),
  start: (text, characters) => `left(${text}, ${characters})`,
  integerOf: (text) => `CASE WHEN ${text} ~ '^[+-]?[0-9]{1,18}$' THEN (${text})::bigint END`,
  countIf: (condition) => `count(*) FILTER (WHERE ${condition})`,

  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  pattern: (text) => text,
  matches: (text, pattern) => `${text} ~ ${pattern}`,
  not: (condition) => `(${condition}) IS NOT TRUE`,

  bucket: (timestamp, period) => `date_trunc('${period}', ${timestamp}, 'UTC')`,
  aggregate: (name, value) => AGGREGATES[name](value),
}

const STANDARD = ['id', 'timestamp', 'event_message']

const isStandard = (value: string): boolean => STANDARD.some((name) => value === `"${name}"`)

const CASTS: Record<ColumnType, string> = {
  string: ' COLLATE "C"',
  integer: '::bigint',
  float: '::float8',
  boolean: '::boolean',
  timestamp: '',
}

const AGGREGATES: Record<Exclude<Aggregate, 'count'>, (value: string) => string> = {
  countd: (value) => `count(DISTINCT ${value})`,
  sum: (value) => `sum(${value})`,
  avg: (value) => `avg(${value})`,
  min: (value) => `min(${value})`,
  max: (value) => `max(${value})`,
  p50: (value) => `percentile_cont(0.5) WITHIN GROUP (ORDER BY ${value})`,
  p95: (value) => `percentile_cont(0.95) WITHIN GROUP (ORDER BY ${value})`,
  p99: (value) => `percentile_cont(0.99) WITHIN GROUP (ORDER BY ${value})`,
}
