/**
 * Splits a query over one source into a step that is done for each part on its own (`map`) and one that makes the answer
 * from what all parts gave (`merge`, then `reduce`). Works on the engine's parse tree of the finished text.
 *
 * Promises: the steps together give what the query gives. Refuses (null) whatever it does not know to be so: aggregates
 * that cannot be put together from those of parts, functions that give another value each time, subqueries, windows.
 */
import { AGGREGATES, UNSTEADY } from '../../../sql/fence.ts'
import {
  column,
  constant,
  hasAny,
  isNode,
  type Node,
  nameOf,
  nodesIn,
  plainSelect,
  sameness,
  wholeConstant,
} from './tree.ts'

/** The relation that `reduce` reads. */
export const MERGED = 'merged'

/** The relation that `merge` reads: the rows that `map` gave for all parts. */
export const PARTIALS = 'partials'

export type Split = {
  /** Documents as `json_deserialize_sql` takes them. */
  map: Node
  reduce: Node
  /** The text of the step between them. */
  merge: string
}

/** Of some rows, and of the results of several sets of rows. */
type Aggregate = { functions: string[]; merged(columns: string[]): string }

const AGAIN = (name: string): Aggregate => ({ functions: [name], merged: ([of]) => `${name}(${of})` })
const COUNT = (name: string): Aggregate => ({
  functions: [name],
  merged: ([of]) => `CAST(coalesce(sum(${of}), 0) AS BIGINT)`,
})

const DECOMPOSABLE = new Map<string, Aggregate>([
  ['count', COUNT('count')],
  ['count_star', COUNT('count_star')],
  ['sum', AGAIN('sum')],
  ['min', AGAIN('min')],
  ['max', AGAIN('max')],
  ['bool_or', AGAIN('bool_or')],
  ['bool_and', AGAIN('bool_and')],
  ['avg', { functions: ['sum', 'count'], merged: ([sum, count]) => `CAST(sum(${sum}) AS DOUBLE) / sum(${count})` }],
])

class NotSplittable extends Error {}

export function split(document: unknown, table: string): Split | null {
  const found = plainSelect(document, table)
  if (!found || hasAny(found.select, (node) => UNSTEADY.has(nameOf(node)))) return null
  const { statement, select } = found
  const items = nodesIn(select.select_list)
  if (items.some(({ alias }) => alias === '')) return null
  const modifiers = nodesIn(select.modifiers)
  if (modifiers.some(({ type }) => type !== 'ORDER_MODIFIER' && type !== 'LIMIT_MODIFIER')) return null
  const isGrouped = nodesIn(select.group_expressions).length > 0 || hasAny(items, isAggregate)
  try {
    return isGrouped ? splitGroups(statement, select, items) : splitRows(statement, select, items)
  } catch (error) {
    if (error instanceof NotSplittable) return null
    throw error
  }
}

const isAggregate = (node: Node): boolean => node.class === 'FUNCTION' && AGGREGATES.has(nameOf(node))

function splitGroups(statement: Node, select: Node, items: Node[]): Split {
  const groups = nodesIn(select.group_expressions).map((group) => items[(wholeConstant(group) ?? 0) - 1] ?? group)
  const sets = Array.isArray(select.group_sets) ? select.group_sets.length : 0
  if (sets > 1) throw new NotSplittable()
  const columns: Node[] = groups.map((group, i) => ({ ...group, alias: `g${i}` }))
  const merges = groups.map((_, i) => `g${i}`)
  const known = new Map(groups.map((group, i) => [sameness(group), `g${i}`]))

  const aggregateColumn = (call: Node): string => {
    const key = sameness(call)
    const name = known.get(key) ?? `a${known.size}`
    if (known.has(key)) return name
    const aggregate = DECOMPOSABLE.get(nameOf(call))
    const order = isNode(call.order_bys) ? nodesIn(call.order_bys.orders) : []
    const isPlain = call.distinct === false && call.export_state === false && order.length === 0
    if (!aggregate || !isPlain || nodesIn(call.children).length > 1) throw new NotSplittable()
    known.set(key, name)
    const names = aggregate.functions.map((_, i) => `${name}_${i}`)
    for (const [i, of] of aggregate.functions.entries()) columns.push({ ...call, function_name: of, alias: names[i]! })
    merges.push(`${aggregate.merged(names)} AS ${name}`)
    return name
  }

  /** The same expression over merged rows: groups and aggregates are columns there. */
  const reduced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reduced)
    if (!isNode(value)) return value
    if (typeof value.class !== 'string') return mapValues(value, reduced)
    // Before the groups: a constant may be a limit or a place in the select list.
    if (value.class === 'CONSTANT' || value.class === 'PARAMETER') return value
    const group = known.get(sameness(value))
    const alias = String(value.alias)
    if (group !== undefined) return column(group, alias)
    if (isAggregate(value)) return column(aggregateColumn(value), alias)
    if (value.class === 'COLUMN_REF' || value.class === 'LAMBDA') throw new NotSplittable()
    return mapValues(value, reduced)
  }

  const reduce = {
    ...select,
    select_list: items.map(reduced),
    from_table: mergedTable(select),
    where_clause: reduced(select.having),
    having: null,
    group_expressions: [],
    group_sets: [],
    modifiers: nodesIn(select.modifiers).map(reduced),
  }
  // By their places: a group that is a constant would be read as one.
  const places = groups.map((_, i) => constant(i + 1))
  const map = { ...select, select_list: columns, group_expressions: places, having: null, modifiers: [] }
  const by = groups.length > 0 ? ` GROUP BY ${groups.map((_, i) => `g${i}`).join(', ')}` : ''
  return {
    map: asDocument(statement, map),
    reduce: asDocument(statement, reduce),
    merge: `SELECT ${merges.join(', ')} FROM ${PARTIALS}${by}`,
  }
}

/** Rows are put together as they are; they only have to be few. */
function splitRows(statement: Node, select: Node, items: Node[]): Split {
  const modifiers = nodesIn(select.modifiers)
  // The first rows in no order are found without reading all.
  if (modifiers.length > 0 && modifiers[0]!.type !== 'ORDER_MODIFIER') throw new NotSplittable()
  const columns: Node[] = items.map((item, i) => ({ ...item, alias: `c${i}` }))
  const ordered = modifiers.map((modifier) => ({
    ...modifier,
    ...(modifier.type === 'ORDER_MODIFIER' && { orders: nodesIn(modifier.orders).map(orderColumn) }),
  }))

  function orderColumn(order: Node): Node {
    if (wholeConstant(order.expression) !== null || !isNode(order.expression)) return order
    const name = `c${columns.length}`
    columns.push({ ...order.expression, alias: name })
    return { ...order, expression: column(name) }
  }

  const reduce = {
    ...select,
    select_list: items.map(({ alias }, i) => column(`c${i}`, String(alias))),
    from_table: mergedTable(select),
    where_clause: null,
    modifiers: ordered,
  }
  return {
    map: asDocument(statement, { ...select, select_list: columns, modifiers: [] }),
    reduce: asDocument(statement, reduce),
    merge: `SELECT * FROM ${PARTIALS}`,
  }
}

const mapValues = (node: Node, change: (value: unknown) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === 'cast_type' ? value : change(value)]))

const mergedTable = ({ from_table: from }: Node): Node => ({
  ...(isNode(from) ? from : {}),
  table_name: MERGED,
  alias: '',
})

const asDocument = (statement: Node, node: Node): Node => ({ error: false, statements: [{ ...statement, node }] })
