import type { Body, Expr, Order, Query, Relation, Window } from './tree.ts'

export type Visitor = { expr?(expr: Expr): void; relation?(relation: Relation): void }

/** Calls the visitor for every expression and relation of a query, at any depth, in the order of the text. */
export function walk(query: Query, visitor: Visitor): void {
  for (const cte of query.ctes) walk(cte.query, visitor)
  walkBody(query.body, visitor)
  walkAll([...ordered(query.orderBy), query.limit, query.offset], visitor)
}

function walkBody(body: Body, visitor: Visitor): void {
  if (body.kind === 'nested') walk(body.query, visitor)
  else if (body.kind === 'set') {
    walkBody(body.left, visitor)
    walkBody(body.right, visitor)
  } else {
    for (const item of body.items) {
      walkAll(item.kind === 'value' ? [item.value] : [item.of, ...item.replace.map(({ value }) => value)], visitor)
    }
    if (body.from) walkRelation(body.from, visitor)
    const groups = 'items' in body.groupBy ? body.groupBy.items : []
    walkAll([body.where, ...groups, body.having, body.qualify], visitor)
    walkAll(
      body.windows.flatMap(({ window }) => windowed(window)),
      visitor,
    )
  }
}

function walkRelation(relation: Relation, visitor: Visitor): void {
  visitor.relation?.(relation)
  if (relation.kind === 'derived') walk(relation.query, visitor)
  else if (relation.kind === 'unnest') walkAll([relation.of], visitor)
  else if (relation.kind === 'join') {
    walkRelation(relation.left, visitor)
    walkRelation(relation.right, visitor)
    walkAll([relation.on], visitor)
  }
}

function walkAll(exprs: (Expr | null)[], visitor: Visitor): void {
  for (const expr of exprs) {
    if (!expr) continue
    visitor.expr?.(expr)
    walkAll(childrenOf(expr), visitor)
    if ('query' in expr) walk(expr.query, visitor)
  }
}

const ordered = (orderBy: Order[]): Expr[] => orderBy.map(({ value }) => value)

function windowed({ partitionBy, orderBy, frame }: Window): (Expr | null)[] {
  const edges = [frame?.from, frame?.to].map((edge) => (edge && edge.kind !== 'current' ? edge.value : null))
  return [...partitionBy, ...ordered(orderBy), ...edges]
}

/** The expressions that stand directly in this one; a query in it is not among them. */
export function childrenOf(expr: Expr): (Expr | null)[] {
  switch (expr.kind) {
    case 'field':
    case 'unary':
    case 'is':
    case 'cast':
    case 'interval':
    case 'inQuery':
      return [expr.of]
    case 'element':
      return [expr.of, expr.index]
    case 'binary':
    case 'distinct':
      return [expr.left, expr.right]
    case 'between':
      return [expr.of, expr.low, expr.high]
    case 'like':
      return [expr.of, expr.pattern]
    case 'inList':
      return [expr.of, ...expr.items]
    case 'inArray':
      return [expr.of, expr.array]
    case 'case':
      return [expr.of, ...expr.whens.flatMap(({ when, result }) => [when, result]), expr.otherwise]
    case 'extract':
      return [expr.of, expr.zone]
    case 'array':
      return expr.items
    case 'struct':
      return expr.items.map(({ value }) => value)
    case 'call': {
      const { args, having, orderBy, limit, over } = expr
      return [...args, having?.value ?? null, ...ordered(orderBy), limit, ...(over ? windowed(over) : [])]
    }
    default:
      return []
  }
}

/** The names of a query's parameters, each once, in the order of the text. */
export function parameterNames(query: Query): string[] {
  const names = new Set<string>()
  walk(query, {
    expr(expr) {
      if (expr.kind === 'parameter') names.add(expr.name)
    },
  })
  return [...names]
}
