/**
 * Which columns events need: one for each top-level field. Objects are of the type JSON, so fields inside them are
 * queried as they are written (`metadata.request.path`) and need no change of the table when they change.
 */
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { FieldType, FlatFields } from '../../model/fields.ts'

const SCALARS: Record<string, string> = { string: 'String', integer: 'Int64', float: 'Float64', boolean: 'Bool' }

export const STANDARD = ['id', 'timestamp', 'event_message']

export function columnType(type: FieldType): string {
  const isList = type.endsWith('[]')
  const base = isList ? type.slice(0, -2) : type
  if (base === 'object') return isList ? 'Array(JSON)' : 'JSON'
  const scalar = SCALARS[base] ?? 'String'
  return isList ? `Array(${scalar})` : `Nullable(${scalar})`
}

/**
 * Types by name: all fields that the source knows, so that a query may name any of them. A field that is not among them
 * yet is taken for what its value looks like.
 */
export function columnsOf(events: StoredEvent[], fields: FlatFields): Map<string, string> {
  const columns = new Map<string, string>()
  for (const [path, type] of Object.entries(fields))
    if (!path.includes('.') && !STANDARD.includes(path)) columns.set(path, columnType(type))
  for (const event of events)
    for (const name in event)
      if (!columns.has(name) && !STANDARD.includes(name)) columns.set(name, columnType(look(event[name])))
  return columns
}

function look(value: unknown): FieldType {
  if (Array.isArray(value)) return `${scalarLook(value[0])}[]`
  return scalarLook(value)
}

function scalarLook(value: unknown): 'string' | 'integer' | 'float' | 'boolean' | 'object' {
  if (typeof value === 'object' && value !== null) return 'object'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'float') : 'string'
}
