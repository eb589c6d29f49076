import type { Dialect } from './dialects/dialect.ts'
import { type Emitted, quoteName } from './emitted.ts'
import type { Name } from './tree.ts'
import type { Column } from './value-types.ts'

/** One thing in FROM that names can refer to. */
export type Range = {
  /** What a path may start with to mean this range; the alias, or the table's name and the last part of it. */
  names: string[]
  /** How the engine text calls it. */
  alias: string
  columns: Column[]
  /** An UNNEST is a column of values rather than a table; its fields can be named without it. */
  value: Emitted | null
  /** Number of the source reference, when it is one. */
  source: number | null
}

/** Names visible at one place; what is not found here is looked for in the query around it. */
export type Scope = {
  ranges: Range[]
  /** Columns that a USING made one of two. */
  merged: Column[]
  /** Aliases of the select list, visible only to the clauses that run after it. */
  aliases: Map<string, Emitted> | null
  outer: Scope | null
  /** Set when a query inside has read a name from here. */
  isReadInside?: boolean
}

export const createScope = (outer: Scope | null): Scope => ({ ranges: [], merged: [], aliases: null, outer })

export type Found =
  | { kind: 'value'; value: Emitted; rest: Name[] }
  | { kind: 'row'; range: Range; rest: Name[] }
  | { kind: 'ambiguous'; name: string }
  | { kind: 'missing'; name: string }

const same = (a: string, b: string): boolean => a === b || a.toLowerCase() === b.toLowerCase()

export const columnNamed = (columns: Column[], name: string): Column | undefined =>
  columns.find((column) => column.name === name) ?? columns.find((column) => same(column.name, name))

/** What a dotted path starts with, and the parts that are left as fields of it. */
export function resolve(path: Name[], scope: Scope): Found {
  for (let at: Scope | null = scope; at; at = at.outer) {
    const found = resolveHere(path, at)
    if (!found) continue
    if (at !== scope) at.isReadInside = true
    return found
  }
  return { kind: 'missing', name: path.map((part) => part.text).join('.') }
}

function resolveHere(path: Name[], scope: Scope): Found | null {
  const [first, ...rest] = path
  const alias = rest.length === 0 ? scope.aliases?.get(first!.text.toLowerCase()) : undefined
  if (alias) return { kind: 'value', value: alias, rest }
  return (rest.length > 0 ? qualified(path, scope) : null) ?? unqualified(path, scope)
}

/** `range.column…`, where a dotted table name may itself take several parts. */
function qualified(path: Name[], scope: Scope): Found | null {
  for (let length = path.length - 1; length > 0; length--) {
    const prefix = path
      .slice(0, length)
      .map((part) => part.text)
      .join('.')
    const range = scope.ranges.findLast(({ names }) => names.some((name) => same(name, prefix)))
    if (!range) continue
    const rest = path.slice(length)
    if (range.value) return { kind: 'value', value: range.value, rest }
    const column = columnNamed(range.columns, rest[0]!.text)
    if (column) return { kind: 'value', value: columnOf(range, column), rest: rest.slice(1) }
    return { kind: 'missing', name: path.map((part) => part.text).join('.') }
  }
  return null
}

function unqualified(path: Name[], scope: Scope): Found | null {
  const [first, ...rest] = path
  const name = first!.text
  const value = scope.ranges.findLast((range) => range.value && range.names.some((each) => same(each, name)))
  if (value?.value) return { kind: 'value', value: value.value, rest }

  const merged = columnNamed(scope.merged, name)
  if (merged) return { kind: 'value', value: { sql: quoteName(merged.name), type: merged.type }, rest }

  const columns = scope.ranges.flatMap((range) => {
    const column = range.value ? undefined : columnNamed(range.columns, name)
    return column ? [columnOf(range, column)] : []
  })
  if (columns.length > 1) return { kind: 'ambiguous', name }
  if (columns[0]) return { kind: 'value', value: columns[0], rest }

  const fields = scope.ranges.filter(
    ({ value }) => value?.type.kind === 'struct' && columnNamed(value.type.fields, name),
  )
  if (fields.length > 1) return { kind: 'ambiguous', name }
  if (fields[0]?.value) return { kind: 'value', value: fields[0].value, rest: path }

  const row = scope.ranges.find((range) => range.names.some((each) => same(each, name)))
  return row ? { kind: 'row', range: row, rest } : null
}

export function columnOf(range: Range, column: Column): Emitted {
  const emitted: Emitted = { sql: `${range.alias}.${quoteName(column.name)}`, type: column.type }
  if (range.source === null) return emitted
  emitted.fieldOf = { source: range.source, path: column.name }
  if (column.name === 'timestamp') emitted.timestampOf = range.source
  return emitted
}

/** The columns `*` stands for. */
export function starColumns(scope: Scope, dialect: Dialect): (Column & { value: Emitted })[] {
  const merged = scope.merged.map((column) => ({
    ...column,
    value: { sql: quoteName(column.name), type: column.type },
  }))
  const own = scope.ranges.flatMap((range) => rangeColumns(range, dialect))
  return [...merged, ...own.filter((column) => !columnNamed(scope.merged, column.name))]
}

export function rangeColumns(range: Range, dialect: Dialect): (Column & { value: Emitted })[] {
  if (!range.value) return range.columns.map((column) => ({ ...column, value: columnOf(range, column) }))
  const { value } = range
  if (value.type.kind !== 'struct') return [{ name: range.names[0] ?? 'f0_', type: value.type, value }]
  return fieldColumns(value, dialect)
}

export function fieldColumns(value: Emitted, dialect: Dialect): (Column & { value: Emitted })[] {
  if (value.type.kind !== 'struct') return []
  return value.type.fields.map((field) => ({
    ...field,
    value: { sql: dialect.field(value, field.name, field.type), type: field.type },
  }))
}
