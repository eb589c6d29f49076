import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Expr } from '../tree.ts'
import { commonType } from '../value-types.ts'

/** Values that must share one type: what the others are tells a parameter among them what it should be. */
export function emitAlike(exprs: Expr[], emitter: Emitter): Emitted[] {
  const known = exprs.map((expr) => (expr.kind === 'parameter' ? null : emitter.wide(expr)))
  const want = commonType(known.flatMap((each) => (each ? [each.type] : [])))
  return exprs.map((expr, i) => known[i] ?? emitter.wide(expr, want))
}
