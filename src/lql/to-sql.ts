/** A query in the words of an engine: a condition with its bound values, and what the other clauses ask for. */
import type { FlatFields } from '../model/fields.ts'
import type { Needles } from '../model/needles.ts'
import { type TimeBounds, timeBounds } from './bounds.ts'
import { createKnownFields } from './known-fields.ts'
import { needlesOf } from './needles.ts'
import type { Query } from './query.ts'
import { bigquery } from './sql/bigquery.ts'
import { clickhouse } from './sql/clickhouse.ts'
import { chartColumns, type SqlChart, type SqlColumn, selectColumns } from './sql/columns.ts'
import type { Dialect } from './sql/dialect.ts'
import { duckdb } from './sql/duckdb.ts'
import { postgres } from './sql/postgres.ts'
import { filterSql } from './sql/where.ts'
import { createWriter, type SqlParam } from './sql/writer.ts'
import { createZone } from './time/zone.ts'

const DIALECTS = { duckdb, postgres, clickhouse, bigquery } satisfies Record<string, Dialect>

export type DialectName = keyof typeof DIALECTS

export const dialectNamed = (name: DialectName): Dialect => DIALECTS[name]

export type SqlOptions = {
  dialect: DialectName
  /** The fields that the table has; a field that is not among them is missing in every event. */
  fields: FlatFields
  nowMs: number
  /** For times without an offset; UTC unless given. */
  timeZone?: string
  /** `inline` writes the values as literals, for engines that take one text. */
  values?: 'bind' | 'inline'
}

export type LqlSql = {
  /** Never empty; NULL counts as false. */
  where: string
  params: SqlParam[]
  /** `null`: the whole event. */
  select: SqlColumn[] | null
  chart: SqlChart | null
  bounds: TimeBounds
  needles: Needles
}

/** Meant for a query that was checked against the same fields; of one that was not, the misfits match nothing. */
export function toSql(query: Query, { dialect, fields, nowMs, timeZone = 'UTC', values = 'bind' }: SqlOptions): LqlSql {
  const params: SqlParam[] = []
  const when = { nowMs: () => nowMs, zone: createZone(timeZone) }
  const write = createWriter(DIALECTS[dialect], when, values === 'bind' ? params : null)
  const known = createKnownFields(fields)
  return {
    where: query.filter ? (filterSql(query.filter, known, write) ?? 'FALSE') : 'TRUE',
    params,
    select: selectColumns(query, known, write.dialect),
    chart: query.chart ? chartColumns(query.chart, known, write) : null,
    bounds: timeBounds(query, when),
    needles: needlesOf(query, known),
  }
}
