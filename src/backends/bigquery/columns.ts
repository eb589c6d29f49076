/**
 * Columns of a source's table: one for each field, with objects as RECORD and lists as REPEATED. Names need no care but
 * one: the pipeline cleans them by BigQuery's own rules, and BigQuery does not tell upper from lower case.
 */
import { z } from 'zod'
import type { StoredEvent } from '../../model/event-of-row.ts'
import type { FieldType, FlatFields } from '../../model/fields.ts'

export type Column = { name: string; type: string; mode: string; fields?: Column[] }

/** As BigQuery writes it; it calls some types by two names. */
export const ColumnList: z.ZodType<Column[]> = z.array(
  z
    .object({
      name: z.string(),
      type: z.string(),
      mode: z.string().default('NULLABLE'),
      get fields() {
        return ColumnList.optional()
      },
    })
    .transform(({ name, type, mode, fields }) => ({
      ...{ name, mode, type: LONG_NAMES[type] ?? type },
      ...(fields ? { fields } : {}),
    })),
)

const LONG_NAMES: Record<string, string> = { INT64: 'INTEGER', FLOAT64: 'FLOAT', BOOL: 'BOOLEAN', STRUCT: 'RECORD' }

const SCALARS: Record<string, string> = { string: 'STRING', integer: 'INTEGER', float: 'FLOAT', boolean: 'BOOLEAN' }

/** What has no column of its own: JSON text of an object, by path. */
export const REST = '_rest'

export const STANDARD: readonly Column[] = [
  { name: 'id', type: 'STRING', mode: 'REQUIRED' },
  { name: 'timestamp', type: 'TIMESTAMP', mode: 'REQUIRED' },
  { name: 'event_message', type: 'STRING', mode: 'NULLABLE' },
  { name: REST, type: 'STRING', mode: 'NULLABLE' },
]

/** Limits of BigQuery: records within records, and columns of a table with all that are inside others. */
export const MOST_LEVELS = 15
export const MOST_COLUMNS = 10_000

/** All fields that the source knows, so that a query may name any of them, and what is in the events besides. */
export function columnsOf(events: StoredEvent[], fields: FlatFields): Column[] {
  const columns: Column[] = []
  const levels = new Map([['', columns]])
  for (const [path, type] of Object.entries(fields)) {
    const cut = path.lastIndexOf('.')
    const level = levels.get(path.slice(0, Math.max(cut, 0)))
    if (!level || (cut < 0 && isStandard(path))) continue
    const column = columnFor(path.slice(cut + 1), type, path.split('.').length)
    if (columnNamed(level, column.name)) continue
    level.push(column)
    if (column.fields) levels.set(path, column.fields)
  }
  for (const event of events) look(event, columns, 1)
  return columns.map(withoutEmpty).filter((column) => column !== null)
}

/** Columns by their names in lower case, for as long as a list of columns lives; lists only grow. */
const indexes = new WeakMap<readonly Column[], Map<string, Column>>()

export function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  const index = indexes.get(columns) ?? new Map<string, Column>()
  indexes.set(columns, index)
  for (let at = index.size; at < columns.length; at++) index.set(columns[at]!.name.toLowerCase(), columns[at]!)
  return index.get(name.toLowerCase())
}

const isStandard = (name: string): boolean => columnNamed(STANDARD, name) !== undefined

function columnFor(name: string, type: FieldType, level: number): Column {
  const isList = type.endsWith('[]')
  const base = isList ? type.slice(0, -2) : type
  const mode = isList ? 'REPEATED' : 'NULLABLE'
  if (base !== 'object') return { name, type: SCALARS[base] ?? 'STRING', mode }
  return level > MOST_LEVELS ? { name, type: 'STRING', mode } : { name, type: 'RECORD', mode, fields: [] }
}

/** A field that is not among those of the source yet is taken for what its value looks like. */
function look(object: Record<string, unknown>, columns: Column[], level: number): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === null || value === undefined || (level === 1 && isStandard(name))) continue
    let column = columnNamed(columns, name)
    if (!column) {
      column = columnFor(name, typeOf(value), level)
      columns.push(column)
    }
    if (!column.fields) continue
    for (const each of Array.isArray(value) ? value : [value]) if (isObject(each)) look(each, column.fields, level + 1)
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function typeOf(value: unknown): FieldType {
  return Array.isArray(value) ? `${lookOf(value[0])}[]` : lookOf(value)
}

function lookOf(value: unknown): 'string' | 'integer' | 'float' | 'boolean' | 'object' {
  if (isObject(value)) return 'object'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'float') : 'string'
}

/** A record without columns is none to BigQuery. */
function withoutEmpty(column: Column): Column | null {
  if (!column.fields) return column
  const fields = column.fields.map(withoutEmpty).filter((each) => each !== null)
  return fields.length === 0 ? null : { ...column, fields }
}

export const countOf = (columns: readonly Column[]): number =>
  columns.reduce((sum, { fields = [] }) => sum + 1 + countOf(fields), 0)

/** `has` with what `wants` has besides; null when that is nothing. A type once set changes from integer to float only. */
export function widened(has: readonly Column[], wants: readonly Column[], room = MOST_COLUMNS): Column[] | null {
  let left = room - countOf(has)
  let isChanged = false

  function merge(these: readonly Column[], those: readonly Column[]): Column[] {
    const merged = these.map((column) => {
      const other = columnNamed(those, column.name)
      if (!column.fields || !other?.fields || column.mode !== other.mode) return column
      return { ...column, fields: merge(column.fields, other.fields) }
    })
    for (const column of those) {
      if (columnNamed(these, column.name) || left < countOf([column])) continue
      left -= countOf([column])
      isChanged = true
      merged.push(column)
    }
    return merged
  }
  const merged = merge(has, wants)
  return isChanged ? merged : null
}

/** Top-level columns in which an integer must become a float, as they are to be. */
export function floated(has: readonly Column[], wants: readonly Column[]): Column[] {
  return has.flatMap((column) => {
    const other = columnNamed(wants, column.name)
    const changed = other ? withFloats(column, other) : column
    return changed === column ? [] : [changed]
  })
}

function withFloats(column: Column, wants: Column): Column {
  if (column.mode !== wants.mode) return column
  if (column.type === 'INTEGER' && wants.type === 'FLOAT') return { ...column, type: 'FLOAT' }
  if (!column.fields || !wants.fields) return column
  const { fields: wanted } = wants
  const fields = column.fields.map((each) => {
    const other = columnNamed(wanted, each.name)
    return other ? withFloats(each, other) : each
  })
  return fields.every((each, i) => each === column.fields?.[i]) ? column : { ...column, fields }
}

const SHORT_NAMES: Record<string, string> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' }

/** As a statement writes it. */
export function printType({ type, mode, fields }: Column): string {
  const text = fields
    ? `STRUCT<${fields.map((each) => `\`${each.name}\` ${printType(each)}`).join(', ')}>`
    : (SHORT_NAMES[type] ?? type)
  return mode === 'REPEATED' ? `ARRAY<${text}>` : text
}
