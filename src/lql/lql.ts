/**
 * LQL, the language in which people say which events they mean: `"gift card" -m.env:dev (m.status:>=500 OR m.retries:>3)`.
 *
 * Promises: a text is read in one pass; a printed query reads back as the same query; rules, drop filters, live tail
 * (`createMatcher`) and search (`toSql`) agree on every event, and a property test holds them to it. Logic has two
 * values: a clause about a missing field is false, a negation is the exact complement.
 *
 * Refuses, with the place and what was expected there (`LqlError`): what cannot be read, patterns that one of the two
 * regular-expression engines would refuse, and (`check`) fields and values that a source does not know.
 */
export type { TimeBounds } from './bounds.ts'
export { check, clausesOf } from './check.ts'
export { LqlError } from './error.ts'
export { createFilterSet, type FilterPath, type FilterSet, type PathValues } from './filter-set.ts'
export { createMatcher, type Matcher, type MatchOptions } from './match.ts'
export { parse } from './parse.ts'
export { fullPath, shortPath } from './paths.ts'
export { print } from './print.ts'
export { problemOf, type TextUse } from './problem.ts'
export type { Aggregate, Chart, Clause, Filter, Literal, Period, Query, Select, Span } from './query.ts'
export type { SqlChart, SqlColumn } from './sql/columns.ts'
export type { Dialect } from './sql/dialect.ts'
export type { SqlParam } from './sql/writer.ts'
export { type DialectName, dialectNamed, type LqlSql, type SqlOptions, toSql } from './to-sql.ts'
export { valuesAt } from './values.ts'
