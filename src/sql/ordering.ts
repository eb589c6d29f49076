/** ORDER BY, LIMIT and OFFSET, and QUALIFY where an engine has only WHERE. */
import { type Emitted, quoteName } from './emitted.ts'
import { type Emitter, wholeNumber } from './emitter.ts'
import { columnNamed } from './scope.ts'
import type { Expr, Order, Query, Select } from './tree.ts'
import { type Column, INT64 } from './value-types.ts'
import { orderText } from './values.ts'

/** An item of a select list. */
export type Selected = { name: string | null; value: Emitted; aggregate: boolean }

export function orderAndLimit(
  query: Query,
  columns: Column[],
  emitter: Emitter,
  isNeverNull: (order: Order) => boolean = () => false,
): string {
  const orders = query.orderBy.map((order) => orderText(order, position(order, columns, emitter), isNeverNull(order)))
  const ordered = orders.length > 0 ? ` ORDER BY ${orders.join(', ')}` : ''
  const rows = (count: Expr): string => {
    const { sql } = emitter.value(count, INT64)
    return emitter.dialect.instead?.rows(sql) ?? sql
  }
  const limit = query.limit ? ` LIMIT ${rows(query.limit)}` : ''
  const offset = query.offset ? ` OFFSET ${rows(query.offset)}` : ''
  return `${ordered}${limit}${offset}`
}

function position(order: Order, columns: Column[], emitter: Emitter): string {
  return ordinal(order.value, columns, emitter) ?? emitter.dialect.ordered(emitter.value(order.value))
}

/** A select alias or a written position as the number of the column, which means the same in both engines. */
export function ordinal(expr: Expr, columns: Column[], emitter: Emitter): string | null {
  const written = wholeNumber(expr)
  if (written !== null) {
    if (written < 1 || written > columns.length) throw emitter.fail(expr.at, `there is no column ${written}`)
    return String(written)
  }
  if (expr.kind !== 'path' || expr.parts.length !== 1) return null
  const column = columnNamed(columns, expr.parts[0]!.text)
  return column ? String(columns.indexOf(column) + 1) : null
}

/** Every event has these, so nothing need be said of NULLs. */
const KEYS = ['timestamp', 'id']

export function isKeyOfSource(order: Order, columns: Column[], items: Selected[], emitter: Emitter): boolean {
  const at = ordinal(order.value, columns, emitter)
  const { fieldOf } = at === null ? emitter.value(order.value) : items[Number(at) - 1]!.value
  return fieldOf !== undefined && KEYS.includes(fieldOf.path)
}

/** What is ordered by a value of the select list is ordered by that column. */
export function orderedByColumns(query: Query, items: Selected[], emitter: Emitter): Query {
  const orderBy = query.orderBy.map((order): Order => {
    if (order.value.kind !== 'path') return order
    const { sql } = emitter.value(order.value)
    const at = items.findIndex(({ value }) => value.sql === sql)
    return at < 0 ? order : { ...order, value: { kind: 'number', text: String(at + 1), at: order.value.at } }
  })
  return { ...query, orderBy }
}

/** QUALIFY as a condition around the query; what the rows are ordered by then has to be a column of it as well. */
export function qualified(
  select: Select,
  [head, ...rest]: string[],
  columns: Column[],
  query: Query | null,
  after: Emitter,
): string {
  const keys = (query?.orderBy ?? []).map((order, i) => {
    const found = ordinal(order.value, columns, after)
    return found === null
      ? { order, name: `"order ${i}"`, hidden: after.dialect.ordered(after.value(order.value)) }
      : { order, name: found, hidden: null }
  })
  const hidden = keys.flatMap((key) => (key.hidden === null ? [] : [`${key.hidden} AS ${key.name}`]))
  const asked = [head!.replace(/^SELECT DISTINCT /, 'SELECT '), `${after.value(select.qualify!).sql} AS "is kept"`]
  const inner = [[...asked, ...hidden].join(', '), ...rest].join(' ')
  const names = columns.map(({ name }) => quoteName(name)).join(', ')
  const ordered = keys.map(({ order, name }) => orderText(order, name))
  const tail = query ? orderAndLimit({ ...query, orderBy: [] }, columns, after) : ''
  return `SELECT ${select.distinct ? 'DISTINCT ' : ''}${names} FROM (${inner}) AS qualified WHERE "is kept"${
    ordered.length > 0 ? ` ORDER BY ${ordered.join(', ')}` : ''
  }${tail}`
}
