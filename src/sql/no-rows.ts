import { functionNamed } from './functions/functions.ts'
import type { Expr, Query } from './tree.ts'

const COUNTS = new Set(['count', 'countif', 'approx_count_distinct'])

/** What an aggregate query gives for no rows, when it is certain to be no NULL: engines may give NULL instead. */
export function ofNoRows({ body }: Query): Expr | null {
  if (body.kind !== 'select' || body.groupBy.kind !== 'none' || body.having) return null
  const [item] = body.items
  if (item?.kind !== 'value') return null
  const emptied = withoutRows(item.value)
  return emptied && emptied.kind !== 'null' && emptied !== item.value ? emptied : null
}

/** The expression with aggregates replaced by what they are of nothing; null when it reads anything else. */
function withoutRows(expr: Expr): Expr | null {
  if (expr.kind === 'call') {
    if (functionNamed(expr.name)?.aggregate && !expr.over)
      return COUNTS.has(expr.name) ? { kind: 'number', text: '0', at: expr.at } : { kind: 'null', at: expr.at }
    const args = expr.args.map(withoutRows)
    return args.includes(null) ? null : { ...expr, args: args.flatMap((arg) => arg ?? []) }
  }
  return ['number', 'string', 'boolean', 'null', 'parameter'].includes(expr.kind) ? expr : null
}
