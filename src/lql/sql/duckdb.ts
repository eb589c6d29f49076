import type { Aggregate } from '../query.ts'
import type { Dialect } from './dialect.ts'

/** The embedded engine. Objects are STRUCTs, lists are LISTs, `timestamp` is a TIMESTAMP in UTC. */
export const duckdb: Dialect = {
  // The parser ends a statement at a zero byte, so it has to be spelled out.
  literal: (text) =>
    text.includes('\0')
      ? `(${text
          .split('\0')
          .map((part) => `'${part.replaceAll("'", "''")}'`)
          .join(' || chr(0) || ')})`
      : `'${text.replaceAll("'", "''")}'`,
  placeholder: (number) => `$${number}`,
  integer: (value) => `CAST(${value} AS BIGINT)`,
  float: (value) => `CAST(${value} AS DOUBLE)`,
  // A TIMESTAMP like the column: compared with a TIMESTAMPTZ, parts are no longer pruned by time (30 times as slow).
  time: (value) => `make_timestamp(CAST(${value} AS BIGINT))`,

  column: quoteName,
  member: (object, name) => `struct_extract(${object}, '${name.replaceAll("'", "''")}')`,
  scalar: (value) => value,
  list: (value) => value,
  object: (value) => value,
  isNoObject: (value) => `${value} IS NULL`,
  someElement: (list, variable, condition) => `len(list_filter(${list}, lambda ${variable}: ${condition})) > 0`,
  eachElement: (list, variable, value) => `list_transform(${list}, lambda ${variable}: ${value})`,
  element: (variable) => variable,
  isEmptyList: (list) => `coalesce(len(${list}), 0) = 0`,

  eachValue: (list) => ({ value: `unnest(${list}, recursive := true)`, join: '' }),
  start: (text, characters) => `left(${text}, ${characters})`,
  integerOf: (text) => `TRY_CAST(${text} AS BIGINT)`,
  countIf: (condition) => `count(*) FILTER (WHERE ${condition})`,

  contains: (text, part) => `contains(${text}, ${part})`,
  pattern: (text) => (isPlainlyAnchored(text) ? text : `()${text}`),
  matches: (text, pattern) => `regexp_matches(${text}, ${pattern})`,
  not: (condition) => `(${condition}) IS NOT TRUE`,

  bucket: (timestamp, period) => `date_trunc('${period}', ${timestamp})`,
  aggregate: (name, value) => AGGREGATES[name](value),
}

const AGGREGATES: Record<Exclude<Aggregate, 'count'>, (value: string) => string> = {
  countd: (value) => `count(DISTINCT ${value})`,
  sum: (value) => `sum(${value})`,
  avg: (value) => `avg(${value})`,
  min: (value) => `min(${value})`,
  max: (value) => `max(${value})`,
  p50: (value) => `quantile_cont(${value}, 0.5)`,
  p95: (value) => `quantile_cont(${value}, 0.95)`,
  p99: (value) => `quantile_cont(${value}, 0.99)`,
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * The engine turns constant patterns of literals and anchors into comparisons, and takes any anchor for one at the end
 * of the text: `$a` finds "a" (seen with 1.5.5). An empty group keeps it from trying; a `^` in front and a `$` behind
 * are safe and stay fast.
 */
const isPlainlyAnchored = (text: string): boolean => !/[\^$]|\\[Az]/.test(text.replace(/^\^/, '').replace(/\$$/, ''))
