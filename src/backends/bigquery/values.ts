/** Values of rows as answers have them: times in microseconds, integers beyond 2^53 as text, records as objects. */
import { z } from 'zod'
import type { Column } from './columns.ts'

const Cell = z.object({ v: z.unknown() })
const Row = z.object({ f: z.array(Cell).default([]) })

export function readRow(row: unknown, columns: readonly Column[]): Record<string, unknown> {
  const { f } = Row.parse(row)
  return Object.fromEntries(columns.map((column, i) => [column.name, readCell(f[i]?.v ?? null, column)]))
}

function readCell(value: unknown, column: Column): unknown {
  if (column.mode !== 'REPEATED') return readOne(value, column)
  return Array.isArray(value) ? value.map((each) => readOne(Cell.parse(each).v ?? null, column)) : []
}

function readOne(value: unknown, { type, fields }: Column): unknown {
  if (value === null) return null
  if (fields) return readRow(value, fields)
  const text = String(value)
  switch (type) {
    case 'INTEGER':
    case 'TIMESTAMP':
      return Number.isSafeInteger(Number(text)) ? Number(text) : text
    case 'FLOAT':
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'BOOLEAN':
      return text === 'true'
    case 'JSON':
      return JSON.parse(text)
    default:
      return text
  }
}

const NAMES: Record<string, string> = {
  ...{ INTEGER: 'BIGINT', FLOAT: 'DOUBLE', NUMERIC: 'DOUBLE', BIGNUMERIC: 'DOUBLE', BOOLEAN: 'BOOLEAN' },
  ...{ TIMESTAMP: 'TIMESTAMP', DATE: 'DATE', JSON: 'JSON', RECORD: 'JSON' },
}

export const typeName = ({ type, mode }: Column): string => (mode === 'REPEATED' ? 'JSON' : (NAMES[type] ?? 'VARCHAR'))
