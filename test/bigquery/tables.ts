/** Tables of the stand-in, and the rules by which rows and changes of them are taken. */
import type { Column } from './shapes.ts'

export type Table = {
  columns: Column[]
  timePartitioning: { type: string; field: string; expirationMs?: string | undefined }
  clustering: { fields: string[] } | undefined
  rows: Record<string, unknown>[]
  seen: Set<string>
}

export type RowProblem = { reason: string; location: string; message: string; debugInfo: string }

const MOST_LEVELS = 15
const MOST_COLUMNS = 10_000

/** The first thing that is wrong with the columns of a table. */
export function schemaProblem(columns: Column[], level = 0): string | null {
  if (level > MOST_LEVELS) return `Schema has RECORD fields nested deeper than ${MOST_LEVELS} levels.`
  if (level === 0 && countOf(columns) > MOST_COLUMNS) return 'Too many total leaf fields.'
  const names = new Set<string>()
  for (const { name, type, fields } of columns) {
    if (names.has(name.toLowerCase())) return `Duplicate field name: ${name}`
    names.add(name.toLowerCase())
    if (/^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)/i.test(name))
      return `Invalid field name "${name}".`
    if ((type === 'RECORD') !== (fields !== undefined && fields.length > 0))
      return `Field ${name} is type RECORD but has no schema`
    const inner = fields ? schemaProblem(fields, level + 1) : null
    if (inner) return inner
  }
  return null
}

const countOf = (columns: Column[]): number => columns.reduce((sum, { fields = [] }) => sum + 1 + countOf(fields), 0)

/** Columns may only be added. */
export function changeProblem(from: Column[], to: Column[], path = ''): string | null {
  for (const column of from) {
    const other = to.find(({ name }) => name === column.name)
    if (!other) return `Provided Schema does not match Table. Field ${path}${column.name} is missing in new schema`
    if (other.type !== column.type)
      return `Provided Schema does not match Table. Field ${path}${column.name} has changed type from ${column.type} to ${other.type}`
    if (other.mode !== column.mode) return `Field ${path}${column.name} has changed mode`
    const inner = changeProblem(column.fields ?? [], other.fields ?? [], `${path}${column.name}.`)
    if (inner) return inner
  }
  return null
}

export function rowProblem(row: Record<string, unknown>, columns: Column[], path = ''): RowProblem | null {
  const problem = (location: string, message: string): RowProblem => ({
    ...{ reason: 'invalid', location: path + location, message, debugInfo: '' },
  })
  for (const name of Object.keys(row))
    if (!columns.some((column) => column.name.toLowerCase() === name.toLowerCase()))
      return problem(name, `no such field: ${path}${name}.`)
  for (const column of columns) {
    const value = row[column.name]
    if (value === undefined || value === null) {
      if (column.mode === 'REQUIRED') return problem(column.name, `Missing required field: ${column.name}.`)
      continue
    }
    if ((column.mode === 'REPEATED') !== Array.isArray(value))
      return problem(column.name, 'This field: x is not a record or an array.')
    for (const each of Array.isArray(value) ? value : [value]) {
      const found = valueProblem(each, column, `${path}${column.name}`)
      if (found) return typeof found === 'string' ? problem(column.name, found) : found
    }
  }
  return null
}

function valueProblem(value: unknown, { type, fields }: Column, path: string): RowProblem | string | null {
  const text = String(value)
  switch (type) {
    case 'RECORD':
      if (typeof value !== 'object' || value === null) return `This field: ${path} is not a record.`
      return rowProblem({ ...value }, fields ?? [], `${path}.`)
    case 'STRING':
      return typeof value === 'string' ? null : 'Cannot convert value to string (bad value)'
    case 'INTEGER':
      return /^-?\d{1,19}$/.test(text) ? null : `Cannot convert value to integer (bad value): ${text}`
    case 'FLOAT':
      return typeof value === 'number' ? null : `Cannot convert value to floating point (bad value): ${text}`
    case 'BOOLEAN':
      return typeof value === 'boolean' ? null : `Cannot convert value to boolean (bad value): ${text}`
    default: {
      const days = (Date.parse(text) - Date.now()) / 86_400_000
      if (Number.isNaN(days)) return `Invalid timestamp string "${text}"`
      return days < -3650 || days > 366
        ? 'You can only stream to date range within 3650 days in the past and 366 days in the future'
        : null
    }
  }
}
