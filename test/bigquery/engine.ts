/**
 * Answers queries of the stand-in for real: GoogleSQL is read by our own parser and run on DuckDB. On the way it refuses
 * what our language takes and BigQuery does not, as far as that is known.
 */
import {
  DuckDBDateValue,
  DuckDBInstance,
  DuckDBListType,
  DuckDBListValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api'
import type { FieldType, FlatFields } from '../../src/model/fields.ts'
import { bindParameters } from '../../src/query/bind.ts'
import { createSql, MACRO_STATEMENTS, parse } from '../../src/sql/sql.ts'
import type { TypeName } from '../../src/sql/tree.ts'
import { walk } from '../../src/sql/walk.ts'
import { bindValues } from '../../src/warehouse/engine/bind.ts'
import type { Column, QueryParameter } from './shapes.ts'
import type { Table } from './tables.ts'

export type Result = { columns: Column[]; rows: unknown[] }

/** BigQuery's words for a query that it cannot run. */
export class QueryProblem extends Error {
  readonly reason: string
  constructor(message: string, reason = 'invalidQuery') {
    super(message)
    this.reason = reason
  }
}

const TYPES = /^(?:string|bytes|int64|float64|numeric|bignumeric|bool|timestamp|datetime|date|time|interval|json)$/
const FIELD_TYPES: Record<string, FieldType> = { INTEGER: 'integer', FLOAT: 'float', BOOLEAN: 'boolean' }
const ENGINE_TYPES: Record<string, string> = {
  ...{ STRING: 'VARCHAR', INTEGER: 'BIGINT', FLOAT: 'DOUBLE', BOOLEAN: 'BOOLEAN', TIMESTAMP: 'TIMESTAMP' },
}

/** `find` knows tables by `project.dataset.table`. */
export async function runQuery(
  text: string,
  parameters: QueryParameter[],
  find: (name: string) => Table | undefined,
): Promise<Result> {
  const tree = readable(() => parse(text))
  /** A text can be cast to anything, whatever our own language then takes it for. */
  const cast = new Set<string>()
  walk(tree, {
    expr(expr) {
      if (expr.kind !== 'cast') return
      assertType(expr.to)
      if (expr.of.kind === 'parameter') cast.add(expr.of.name)
    },
  })
  const values = Object.fromEntries(
    parameters.map(({ name, parameterValue: given }) => [
      name,
      'value' in given ? given.value : given.arrayValues.map(({ value }) => value),
    ]),
  )
  const prepared = readable(() =>
    createSql().prepare({
      ...{ sql: tree, requireTimestamp: false, nowUs: Date.now() * 1000, parameters: values },
      resolve(name) {
        if (!name.includes('.'))
          throw new QueryProblem(`Table "${name}" must be qualified with a dataset (e.g. dataset.table).`)
        if (!find(name)) {
          const [project, ...rest] = name.split('.')
          throw new QueryProblem(
            `Not found: Table ${project}:${rest.join('.')} was not found in location US`,
            'notFound',
          )
        }
        return name
      },
      fields: (name) => flatOf(find(name)?.columns ?? []),
      note(_relation, { kind }) {
        if (kind === 'object') throw new QueryProblem('Values referenced in UNNEST must be arrays.')
      },
    }),
  )
  for (const { name, type } of prepared.parameters) {
    const given = parameters.find((each) => each.name === name)?.parameterType.type
    if (given === undefined) throw new QueryProblem(`Query parameter '${name}' not found`)
    if (given === 'STRING' && cast.has(name)) continue
    if (type !== null && type !== 'array' && given.toLowerCase() !== type)
      throw new QueryProblem(`No matching signature: ${name} is ${given} and should be ${type}`)
  }
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    for (const statement of MACRO_STATEMENTS) await connection.run(statement)
    for (const { table, token } of prepared.sources) {
      const { columns, rows } = find(token)!
      const json = JSON.stringify(rows).replaceAll("'", "''")
      const structure = JSON.stringify([structureOf(columns)]).replaceAll("'", "''")
      await connection.run(
        `CREATE TEMP TABLE ${table} AS SELECT r.* FROM (SELECT unnest(from_json('${json}', '${structure}')) AS r)`,
      )
    }
    const bound = bindValues({ text: prepared.text, parameters: bindParameters(prepared.parameters, values) })
    const found = await connection.runAndReadAll(prepared.text, bound.values, bound.types)
    const types = found.columnTypes()
    const columns = found.columnNames().map((name, i) => columnOf(name, types[i]!))
    return { columns, rows: found.getRows().map((row) => ({ f: row.map((value) => ({ v: cell(value) })) })) }
  } catch (error) {
    throw new QueryProblem(error instanceof Error ? error.message : String(error))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

function readable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof QueryProblem || !(error instanceof Error)) throw error
    const unknown = /unknown field (\S+?):?(?: |$)/.exec(error.message)?.[1]
    throw new QueryProblem(unknown ? `Unrecognized name: ${unknown} at [1:8]` : `Syntax error: ${error.message}`)
  }
}

function assertType(type: TypeName): void {
  if (type.kind === 'array') assertType(type.of)
  else if (type.kind === 'struct') for (const field of type.fields) assertType(field.type)
  else if (!TYPES.test(type.name)) throw new QueryProblem(`Type not found: ${type.name}`)
}

function flatOf(columns: Column[], prefix = '', flat: FlatFields = {}): FlatFields {
  for (const { name, type, mode, fields } of columns) {
    if (prefix === '' && ['id', 'timestamp', 'event_message'].includes(name)) continue
    const base = fields ? 'object' : (FIELD_TYPES[type] ?? 'string')
    flat[prefix + name] = mode === 'REPEATED' ? (`${base}[]` as FieldType) : base
    if (fields) flatOf(fields, `${prefix}${name}.`, flat)
  }
  return flat
}

function structureOf(columns: Column[]): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, type, mode, fields }) => {
      const one = fields ? structureOf(fields) : ENGINE_TYPES[type]
      return [name, mode === 'REPEATED' ? [one] : one]
    }),
  )
}

const RESULT_TYPES: Partial<Record<DuckDBTypeId, string>> = {
  ...{ [DuckDBTypeId.BIGINT]: 'INTEGER', [DuckDBTypeId.INTEGER]: 'INTEGER', [DuckDBTypeId.HUGEINT]: 'INTEGER' },
  ...{ [DuckDBTypeId.DOUBLE]: 'FLOAT', [DuckDBTypeId.DECIMAL]: 'NUMERIC', [DuckDBTypeId.BOOLEAN]: 'BOOLEAN' },
  ...{ [DuckDBTypeId.TIMESTAMP]: 'TIMESTAMP', [DuckDBTypeId.DATE]: 'DATE' },
}

function columnOf(name: string, type: DuckDBType): Column {
  if (type instanceof DuckDBListType) return { ...columnOf(name, type.valueType), mode: 'REPEATED' }
  if (type instanceof DuckDBStructType)
    return {
      ...{ name, type: 'RECORD', mode: 'NULLABLE' },
      fields: type.entryNames.map((each, i) => columnOf(each, type.entryTypes[i]!)),
    }
  return { name, type: RESULT_TYPES[type.typeId] ?? 'STRING', mode: 'NULLABLE' }
}

/** Every scalar is a text, as it is in answers of the real one. */
function cell(value: DuckDBValue): unknown {
  if (value === null) return null
  if (value instanceof DuckDBListValue) return value.items.map((each) => ({ v: cell(each) }))
  if (value instanceof DuckDBStructValue) return { f: Object.values(value.entries).map((each) => ({ v: cell(each) })) }
  if (value instanceof DuckDBTimestampValue) return String(value.micros)
  return value instanceof DuckDBDateValue ? value.toString() : String(value)
}
