import type { Body, Expr, FrameEdge, Item, Order, Query, Relation, Window } from './tree.ts'

export type Rebuilding = {
  query(of: Query): Query
  /** As it stood in the tree, and with everything in it rebuilt. */
  relation(of: Relation, rebuilt: Relation): Relation
  /** With everything in it rebuilt. */
  expr?(rebuilt: Expr): Expr
}

/** Copies of the parts of one query, changed where `to` says so. */
export function rebuilder(to: Rebuilding) {
  const maybe = (of: Expr | null): Expr | null => (of ? expr(of) : null)
  const list = (of: Expr[]): Expr[] => of.map(expr)
  const orders = (of: Order[]): Order[] => of.map((order) => ({ ...order, value: expr(order.value) }))
  const edge = (of: FrameEdge): FrameEdge => (of.kind === 'current' ? of : { ...of, value: maybe(of.value) })
  const window = (of: Window): Window => ({
    ...of,
    partitionBy: list(of.partitionBy),
    orderBy: orders(of.orderBy),
    frame: of.frame && { ...of.frame, from: edge(of.frame.from), to: of.frame.to && edge(of.frame.to) },
  })

  function relation(of: Relation): Relation {
    return to.relation(of, inRelation(of))
  }

  function inRelation(of: Relation): Relation {
    if (of.kind === 'table') return of
    if (of.kind === 'derived') return { ...of, query: to.query(of.query) }
    if (of.kind === 'unnest') return { ...of, of: expr(of.of) }
    return { ...of, left: relation(of.left), right: relation(of.right), on: maybe(of.on) }
  }

  function item(of: Item): Item {
    if (of.kind === 'value') return { ...of, value: expr(of.value) }
    return { ...of, of: maybe(of.of), replace: of.replace.map((each) => ({ ...each, value: expr(each.value) })) }
  }

  function body(of: Body): Body {
    if (of.kind === 'nested') return { ...of, query: to.query(of.query) }
    if (of.kind === 'set') return { ...of, left: body(of.left), right: body(of.right) }
    const groupBy = 'items' in of.groupBy ? { ...of.groupBy, items: list(of.groupBy.items) } : of.groupBy
    return {
      ...of,
      items: of.items.map(item),
      from: of.from ? relation(of.from) : null,
      where: maybe(of.where),
      groupBy,
      having: maybe(of.having),
      qualify: maybe(of.qualify),
      windows: of.windows.map((each) => ({ ...each, window: window(each.window) })),
    }
  }

  function expr(of: Expr): Expr {
    const rebuilt = inExpr(of)
    return to.expr ? to.expr(rebuilt) : rebuilt
  }

  function inExpr(of: Expr): Expr {
    switch (of.kind) {
      case 'scalarQuery':
      case 'arrayQuery':
      case 'exists':
        return { ...of, query: to.query(of.query) }
      case 'inQuery':
        return { ...of, of: expr(of.of), query: to.query(of.query) }
      case 'field':
      case 'unary':
      case 'is':
      case 'cast':
      case 'interval':
        return { ...of, of: expr(of.of) }
      case 'extract':
        return { ...of, of: expr(of.of), zone: maybe(of.zone) }
      case 'element':
        return { ...of, of: expr(of.of), index: expr(of.index) }
      case 'binary':
      case 'distinct':
        return { ...of, left: expr(of.left), right: expr(of.right) }
      case 'between':
        return { ...of, of: expr(of.of), low: expr(of.low), high: expr(of.high) }
      case 'like':
        return { ...of, of: expr(of.of), pattern: expr(of.pattern) }
      case 'inList':
        return { ...of, of: expr(of.of), items: list(of.items) }
      case 'inArray':
        return { ...of, of: expr(of.of), array: expr(of.array) }
      case 'case':
        return {
          ...of,
          of: maybe(of.of),
          whens: of.whens.map(({ when, result }) => ({ when: expr(when), result: expr(result) })),
          otherwise: maybe(of.otherwise),
        }
      case 'array':
        return { ...of, items: list(of.items) }
      case 'struct':
        return { ...of, items: of.items.map((each) => ({ ...each, value: expr(each.value) })) }
      case 'call':
        return {
          ...of,
          args: list(of.args),
          having: of.having && { ...of.having, value: expr(of.having.value) },
          orderBy: orders(of.orderBy),
          limit: maybe(of.limit),
          over: of.over && window(of.over),
        }
      default:
        return of
    }
  }
  return { body, orders, maybe }
}
