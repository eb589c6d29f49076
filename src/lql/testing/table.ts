/** Events as a table of the engine, with the columns that the warehouse gives them. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { duckdb } from '../sql/duckdb.ts'
import type { Schema, SchemaField, StoredEvent, Value } from './events.ts'

const SCALAR: Record<string, string> = { string: 'VARCHAR', integer: 'BIGINT', float: 'DOUBLE', boolean: 'BOOLEAN' }

function columnType({ type, fields }: SchemaField): string {
  const isList = type.endsWith('[]')
  const members = fields.map((field) => `${duckdb.column(field.name)} ${columnType(field)}`)
  const base = members.length > 0 ? `STRUCT(${members.join(', ')})` : SCALAR[isList ? type.slice(0, -2) : type]
  return isList ? `${base}[]` : `${base}`
}

function literal(value: Value | undefined, field: SchemaField): string {
  if (value === undefined) return 'NULL'
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, field)).join(', ')}]`
  if (typeof value === 'string') return duckdb.literal(value)
  if (typeof value !== 'object') return `'${value}'`
  const members = field.fields.map((member) => `${duckdb.literal(member.name)}: ${literal(value[member.name], member)}`)
  return `{${members.join(', ')}}`
}

export async function fillTable(connection: DuckDBConnection, schema: Schema, events: StoredEvent[]): Promise<void> {
  const columns = schema.map((field) => `, ${duckdb.column(field.name)} ${columnType(field)}`).join('')
  await connection.run(
    `CREATE OR REPLACE TABLE events (id VARCHAR, "timestamp" TIMESTAMP, event_message VARCHAR${columns})`,
  )
  const rows = events.map(({ id, timestamp, event_message, fields }) => {
    const message = event_message === undefined ? 'NULL' : duckdb.literal(event_message)
    const values = schema.map((field) => `, CAST(${literal(fields[field.name], field)} AS ${columnType(field)})`)
    return `('${id}', make_timestamp(${timestamp}), ${message}${values.join('')})`
  })
  await connection.run(`INSERT INTO events VALUES ${rows.join(', ')}`)
}

export async function idsWhere(connection: DuckDBConnection, where: string, params: string[]): Promise<string[]> {
  const result = await connection.runAndReadAll(`SELECT id FROM events WHERE ${where}`, params)
  return result.getRows().map(([id]) => String(id))
}
