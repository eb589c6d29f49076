/** Finds queries for the newest or oldest rows: their answer is often found in a short stretch of time. */
import { AGGREGATES, UNSTEADY } from '../../../sql/fence.ts'
import type { End } from '../windows.ts'
import { hasAny, isNode, type Node, nameOf, nodesIn, plainSelect, wholeConstant } from './tree.ts'

/** Rows in the order of their times, from this end on; with `limit` rows nothing further along can matter. */
export type Walk = { from: End; limit: number }

export function walkOf(document: unknown, table: string): Walk | null {
  const select = plainSelect(document, table)?.select
  if (!select || hasAny(select, isOverRows)) return null
  const [order, limit, ...more] = nodesIn(select.modifiers)
  if (order?.type !== 'ORDER_MODIFIER' || more.length > 0) return null
  if (nodesIn(select.group_expressions).length > 0) return null
  const [first] = nodesIn(order.orders)
  const place = wholeConstant(first?.expression)
  const key = place === null ? first?.expression : nodesIn(select.select_list)[place - 1]
  if (!first || !isNode(key) || !isTime(key, select)) return null
  const rows = limit ? wholeConstant(limit.limit) : Number.POSITIVE_INFINITY
  if (rows === null || (limit && limit.type !== 'LIMIT_MODIFIER')) return null
  return { from: first.type === 'DESCENDING' ? 'newest' : 'oldest', limit: rows }
}

const isOverRows = (node: Node): boolean => AGGREGATES.has(nameOf(node)) || UNSTEADY.has(nameOf(node))

function isTime({ class: kind, column_names: names }: Node, { from_table: from }: Node): boolean {
  const path = Array.isArray(names) ? names.map(String) : []
  return kind === 'COLUMN_REF' && isNode(from) && path.length === 2 && path[0] === from.alias && path[1] === 'timestamp'
}
