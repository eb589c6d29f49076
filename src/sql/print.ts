import { isReservedWord } from './cursor.ts'
import type { Body, Call, Expr, FrameEdge, Item, Name, Order, Query, Relation, TypeName, Window } from './tree.ts'

/** GoogleSQL text of a tree: what callers see of an expanded query, and what a real BigQuery is sent. */
export function print(query: Query): string {
  const ctes = query.ctes.map(({ name, query: inner }) => `${printName(name)} AS (${print(inner)})`)
  const head = ctes.length > 0 ? `WITH ${query.recursive ? 'RECURSIVE ' : ''}${ctes.join(', ')} ` : ''
  const limit = query.limit ? ` LIMIT ${printExpr(query.limit)}` : ''
  const offset = query.offset ? ` OFFSET ${printExpr(query.offset)}` : ''
  return `${head}${printBody(query.body)}${orderBy(query.orderBy)}${limit}${offset}`
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Reserved in BigQuery, and plain words to our own parser. */
const RESERVED_THERE = /^(?:hash|assert_rows_modified)$/i
const printName = (name: string): string =>
  PLAIN.test(name) && !isReservedWord(name) && !RESERVED_THERE.test(name)
    ? name
    : `\`${name.replace(/[\\`]/g, '\\$&').replaceAll('\n', '\\n')}\``
const printPath = (parts: Name[]): string =>
  parts.map(({ text }, i) => (i > 0 && PLAIN.test(text) ? text : printName(text))).join('.')
const printText = (text: string): string =>
  `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
const list = (exprs: Expr[]): string => exprs.map(printExpr).join(', ')

function orderBy(orders: Order[]): string {
  if (orders.length === 0) return ''
  const each = orders.map(({ value, descending, nulls }) => {
    return `${printExpr(value)}${descending ? ' DESC' : ''}${nulls ? ` NULLS ${nulls.toUpperCase()}` : ''}`
  })
  return ` ORDER BY ${each.join(', ')}`
}

function printBody(body: Body): string {
  if (body.kind === 'nested') return `(${print(body.query)})`
  if (body.kind === 'set') {
    const right = body.right.kind === 'set' ? `(${printBody(body.right)})` : printBody(body.right)
    return `${printBody(body.left)} ${body.operator.toUpperCase()} ${body.all ? 'ALL' : 'DISTINCT'} ${right}`
  }
  const parts = [
    `SELECT ${body.distinct ? 'DISTINCT ' : ''}${body.asStruct ? 'AS STRUCT ' : ''}${body.items.map(printItem).join(', ')}`,
  ]
  if (body.from) parts.push(`FROM ${printRelation(body.from)}`)
  if (body.where) parts.push(`WHERE ${printExpr(body.where)}`)
  const { groupBy } = body
  if (groupBy.kind === 'all') parts.push('GROUP BY ALL')
  else if (groupBy.kind === 'by') parts.push(`GROUP BY ${list(groupBy.items)}`)
  else if (groupBy.kind !== 'none') parts.push(`GROUP BY ${groupBy.kind.toUpperCase()} (${list(groupBy.items)})`)
  if (body.having) parts.push(`HAVING ${printExpr(body.having)}`)
  if (body.qualify) parts.push(`QUALIFY ${printExpr(body.qualify)}`)
  if (body.windows.length > 0) {
    parts.push(
      `WINDOW ${body.windows.map(({ name, window }) => `${printName(name)} AS (${printWindow(window)})`).join(', ')}`,
    )
  }
  return parts.join(' ')
}

function printItem(item: Item): string {
  if (item.kind === 'value') return `${printExpr(item.value)}${item.alias ? ` AS ${printName(item.alias)}` : ''}`
  const except = item.except.length > 0 ? ` EXCEPT (${item.except.map(printName).join(', ')})` : ''
  const changes = item.replace.map(({ value, name }) => `${printExpr(value)} AS ${printName(name)}`)
  return `${item.of ? `${printExpr(item.of)}.` : ''}*${except}${changes.length > 0 ? ` REPLACE (${changes.join(', ')})` : ''}`
}

function printRelation(relation: Relation): string {
  const alias = 'alias' in relation && relation.alias ? ` AS ${printName(relation.alias)}` : ''
  switch (relation.kind) {
    case 'table':
      return `${printPath(relation.parts)}${alias}`
    case 'derived':
      return `(${print(relation.query)})${alias}`
    case 'unnest': {
      const offset = relation.offset ? ` WITH OFFSET AS ${printName(relation.offset)}` : ''
      return `UNNEST(${printExpr(relation.of)})${alias}${offset}`
    }
    case 'join': {
      const right =
        relation.right.kind === 'join' ? `(${printRelation(relation.right)})` : printRelation(relation.right)
      const on = relation.on ? ` ON ${printExpr(relation.on)}` : ''
      const using = relation.using ? ` USING (${relation.using.map(printName).join(', ')})` : ''
      return `${printRelation(relation.left)} ${relation.join.toUpperCase()} JOIN ${right}${on}${using}`
    }
  }
}

function printType(type: TypeName): string {
  if (type.kind === 'scalar') return type.name.toUpperCase()
  if (type.kind === 'array') return `ARRAY<${printType(type.of)}>`
  return `STRUCT<${type.fields.map(({ name, type: of }) => `${name ? `${printName(name)} ` : ''}${printType(of)}`).join(', ')}>`
}

const not = (negated: boolean): string => (negated ? 'NOT ' : '')

function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'string':
      return printText(expr.value)
    case 'bytes':
      return `b'${[...Buffer.from(expr.value, 'latin1')].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`
    case 'number':
      return expr.text
    case 'boolean':
      return expr.value ? 'TRUE' : 'FALSE'
    case 'null':
      return 'NULL'
    case 'typed':
      return `${expr.type.toUpperCase()} ${printText(expr.text)}`
    case 'parameter':
      return `@${expr.name}`
    case 'path':
      return printPath(expr.parts)
    case 'field':
      return `${bracketed(expr.of)}.${printName(expr.name)}`
    case 'element': {
      const index = printExpr(expr.index)
      return `${bracketed(expr.of)}[${expr.mode === 'plain' ? index : `${expr.mode.toUpperCase()}(${index})`}]`
    }
    case 'unary':
      return `(${expr.operator.toUpperCase()} ${printExpr(expr.of)})`
    case 'binary':
      return `(${printExpr(expr.left)} ${expr.operator.toUpperCase()} ${printExpr(expr.right)})`
    case 'is':
      return `(${printExpr(expr.of)} IS ${not(expr.not)}${expr.what.toUpperCase()})`
    case 'distinct':
      return `(${printExpr(expr.left)} IS ${not(expr.not)}DISTINCT FROM ${printExpr(expr.right)})`
    case 'between':
      return `(${printExpr(expr.of)} ${not(expr.not)}BETWEEN ${printExpr(expr.low)} AND ${printExpr(expr.high)})`
    case 'like':
      return `(${printExpr(expr.of)} ${not(expr.not)}LIKE ${printExpr(expr.pattern)})`
    case 'inList':
      return `(${printExpr(expr.of)} ${not(expr.not)}IN (${list(expr.items)}))`
    case 'inQuery':
      return `(${printExpr(expr.of)} ${not(expr.not)}IN (${print(expr.query)}))`
    case 'inArray':
      return `(${printExpr(expr.of)} ${not(expr.not)}IN UNNEST(${printExpr(expr.array)}))`
    case 'case': {
      const whens = expr.whens.map(({ when, result }) => ` WHEN ${printExpr(when)} THEN ${printExpr(result)}`)
      const otherwise = expr.otherwise ? ` ELSE ${printExpr(expr.otherwise)}` : ''
      return `CASE${expr.of ? ` ${printExpr(expr.of)}` : ''}${whens.join('')}${otherwise} END`
    }
    case 'cast':
      return `${expr.safe ? 'SAFE_CAST' : 'CAST'}(${printExpr(expr.of)} AS ${printType(expr.to)})`
    case 'extract': {
      const zone = expr.zone ? ` AT TIME ZONE ${printExpr(expr.zone)}` : ''
      return `EXTRACT(${printExpr(expr.part)} FROM ${printExpr(expr.of)}${zone})`
    }
    case 'interval':
      return `INTERVAL ${printExpr(expr.of)} ${expr.unit.toUpperCase()}`
    case 'array':
      return `${expr.of ? `ARRAY<${printType(expr.of)}>` : ''}[${list(expr.items)}]`
    case 'struct': {
      const items = expr.items.map(({ value, name }) => `${printExpr(value)}${name ? ` AS ${printName(name)}` : ''}`)
      return `${expr.type ? printType(expr.type) : 'STRUCT'}(${items.join(', ')})`
    }
    case 'scalarQuery':
      return `(${print(expr.query)})`
    case 'arrayQuery':
      return `ARRAY(${print(expr.query)})`
    case 'exists':
      return `EXISTS(${print(expr.query)})`
    case 'call':
      return printCall(expr)
  }
}

/** Bracketed where a `.` or `[` after it would otherwise be read as part of it. */
const bracketed = (expr: Expr): string => (expr.kind === 'number' ? `(${printExpr(expr)})` : printExpr(expr))

function printCall(call: Call): string {
  const args = call.star ? '*' : list(call.args)
  const nulls = call.nulls ? ` ${call.nulls.toUpperCase()} NULLS` : ''
  const having = call.having ? ` HAVING ${call.having.most ? 'MAX' : 'MIN'} ${printExpr(call.having.value)}` : ''
  const limit = call.limit ? ` LIMIT ${printExpr(call.limit)}` : ''
  const over = call.over ? ` OVER (${printWindow(call.over)})` : ''
  const name = `${call.safe ? 'SAFE.' : ''}${call.name.toUpperCase()}`
  return `${name}(${call.distinct ? 'DISTINCT ' : ''}${args}${nulls}${having}${orderBy(call.orderBy)}${limit})${over}`
}

function printWindow({ base, partitionBy, orderBy: orders, frame }: Window): string {
  const parts: string[] = base ? [printName(base)] : []
  if (partitionBy.length > 0) parts.push(`PARTITION BY ${list(partitionBy)}`)
  if (orders.length > 0) parts.push(orderBy(orders).trim())
  if (frame) {
    const range = frame.to ? `BETWEEN ${printEdge(frame.from)} AND ${printEdge(frame.to)}` : printEdge(frame.from)
    parts.push(`${frame.unit.toUpperCase()} ${range}`)
  }
  return parts.join(' ')
}

function printEdge(edge: FrameEdge): string {
  if (edge.kind === 'current') return 'CURRENT ROW'
  return `${edge.value ? printExpr(edge.value) : 'UNBOUNDED'} ${edge.side.toUpperCase()}`
}
