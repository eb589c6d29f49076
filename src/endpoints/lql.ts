/**
 * LQL as warehouse SQL text: over one of an endpoint's WITH queries, or, where a whole query is written in LQL, over the one
 * table it names with `f:`. Values become literals of that text, quoted by its rules.
 */
import { Fault } from '../base/faults.ts'
import { check, parse, toSql } from '../lql/lql.ts'
import type { FieldType, FlatFields } from '../model/fields.ts'
import type { ValueType } from '../sql/value-types.ts'

type Column = { name: string; type: ValueType }

export function lqlOver(
  text: string,
  { ctes, columnsOf, nowMs }: { ctes: string[]; columnsOf(cte: string): Column[]; nowMs: number },
): string {
  const query = parse(text)
  const cte = pick(ctes, query.from?.table ?? null)
  const columns = columnsOf(cte)
  const fields = flatColumns(columns)
  checkStandard(columns, query.selects)
  check(query, text, fields)
  const { where, select, chart } = toSql(query, { dialect: 'bigquery', fields, nowMs, values: 'inline' })
  const from = `FROM ${quoteName(cte)} WHERE ${where}`
  if (chart)
    return `SELECT ${chart.bucket} AS timestamp, ${chart.value} AS count ${from} GROUP BY timestamp ORDER BY timestamp`
  const list = select?.map(({ sql, name }) => `${sql} AS ${quoteName(name)}`).join(', ') ?? '*'
  return `SELECT ${list} ${from}`
}

/**
 * A query that is LQL and nothing else. Times are relative to `nowMs`, values follow the types the columns have now, which
 * `columnsOf` knows of a query.
 */
export function lqlAsSql(
  lql: string,
  { columnsOf, nowMs }: { columnsOf(query: string): Column[]; nowMs: number },
): string {
  const columns = columnsOf(everythingOf(lql))
  return lqlOver(lql, { ctes: [tableOf(lql)], columnsOf: () => columns, nowMs })
}

/** The table that the LQL reads, as a query of its own. */
export const everythingOf = (lql: string): string => `select * from ${quoteName(tableOf(lql))}`

function tableOf(lql: string): string {
  const { from } = parse(lql)
  if (from === null) throw new Fault('bad_request', 'say what to read with f:name, the name of a source')
  return from.table
}

function pick(ctes: string[], wanted: string | null): string {
  if (ctes.length === 0) throw new Fault('bad_request', 'this endpoint has no WITH queries for LQL to read')
  const names = ctes.join(', ')
  if (wanted === null) {
    if (ctes.length === 1) return ctes[0]!
    throw new Fault('bad_request', `say which WITH query to read with f:name; there are ${names}`)
  }
  const found = ctes.find((name) => name.toLowerCase() === wanted.toLowerCase())
  if (!found) throw new Fault('bad_request', `there is no WITH query ${wanted} here; there are ${names}`)
  return found
}

/** Every source has these three; a WITH query need not. */
function checkStandard(columns: Column[], selects: { path: string }[]): void {
  for (const { path } of selects) {
    if (!['id', 'timestamp', 'event_message'].includes(path)) continue
    if (!columns.some(({ name }) => name.toLowerCase() === path))
      throw new Fault('bad_request', `unknown field ${path}`)
  }
}

export const quoteName = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``

/** Columns as the fields of a source: what has no type of those is text to LQL. */
function flatColumns(columns: Column[], prefix = '', into: FlatFields = Object.create(null)): FlatFields {
  for (const { name, type } of columns) {
    // A dot in a name would be read as the path of another field.
    if (name.includes('.')) continue
    into[prefix + name] = wordOf(type)
    const fields = type.kind === 'array' ? type.of : type
    if (fields.kind === 'struct') flatColumns(fields.fields, `${prefix + name}.`, into)
  }
  return into
}

function wordOf(type: ValueType): FieldType {
  switch (type.kind) {
    case 'array':
      return type.of.kind === 'struct' ? 'object[]' : `${scalarWord(type.of)}[]`
    case 'struct':
      return 'object'
    default:
      return scalarWord(type)
  }
}

function scalarWord({ kind }: ValueType): 'string' | 'integer' | 'float' | 'boolean' {
  if (kind === 'int64') return 'integer'
  if (kind === 'float64' || kind === 'numeric') return 'float'
  return kind === 'bool' ? 'boolean' : 'string'
}
