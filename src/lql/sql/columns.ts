/** Fields as values: what `s:` shows and what `c:` computes. */
import type { KnownField, KnownFields } from '../known-fields.ts'
import { type Chart, type Query, type Select, TIMESTAMP } from '../query.ts'
import type { Dialect } from './dialect.ts'
import { filterSql, lastName } from './where.ts'
import type { SqlWriter } from './writer.ts'

export type SqlColumn = { sql: string; name: string }

/** `null`: the whole event. A path through a list gives the list of its values; an unknown one gives NULL. */
export function selectColumns({ selects }: Query, fields: KnownFields, dialect: Dialect): SqlColumn[] | null {
  if (selects.length === 0 || selects.some(({ path }) => path === '*')) return null
  const byPath = new Map<string, Select>()
  for (const select of selects) if (!byPath.has(select.path)) byPath.set(select.path, select)
  return [...byPath.values()].map(({ path, alias }) => ({
    sql: valueSql(path, fields, dialect),
    name: alias ?? path.replaceAll('.', '_'),
  }))
}

export type SqlChart = { bucket: string; value: string }

/** One row per bucket that has events: group and order by `bucket`. Gaps are the caller's to fill with 0. */
export function chartColumns({ aggregate, path, period }: Chart, fields: KnownFields, write: SqlWriter): SqlChart {
  const { dialect } = write
  const bucket = dialect.bucket(dialect.column(TIMESTAMP), period)
  if (aggregate === 'count') return { bucket, value: path === '*' ? 'count(*)' : countOf(path, fields, write) }
  const value = path === '*' ? dialect.column(TIMESTAMP) : valueSql(path, fields, dialect)
  return { bucket, value: dialect.aggregate(aggregate, value) }
}

/** Events that have the field. */
function countOf(path: string, fields: KnownFields, write: SqlWriter): string {
  const nowhere = { start: 0, end: 0 }
  const isMissing = filterSql({ op: 'missing', path, at: nowhere, pathAt: nowhere }, fields, write)
  return `sum(CASE WHEN ${isMissing ?? 'FALSE'} THEN 0 ELSE 1 END)`
}

function valueSql(path: string, fields: KnownFields, dialect: Dialect): string {
  const [name = '', ...rest] = path.split('.')
  const field = fields.find(name)
  return field ? fieldValue(field, dialect.column(field.path), rest, fields, dialect, 1) : 'NULL'
}

function fieldValue(
  field: KnownField,
  value: string,
  rest: string[],
  fields: KnownFields,
  dialect: Dialect,
  depth: number,
): string {
  const [name, ...further] = rest
  if (name === undefined) {
    if (field.isList) return value
    return field.type === 'object' ? dialect.object(value) : dialect.scalar(value, field.type)
  }
  const member = fields.find(`${field.path}.${name}`)
  if (!member) return 'NULL'
  const step = (object: string, next: number): string =>
    fieldValue(member, dialect.member(object, lastName(member.path)), further, fields, dialect, next)
  const variable = `e${depth}`
  return field.isList
    ? dialect.eachElement(dialect.list(value, field.type), variable, step(dialect.element(variable), depth + 1))
    : step(value, depth)
}
