import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Expr } from '../tree.ts'
import { commonType } from '../value-types.ts'

/** Values that must share one type: what the others are tells a parameter among them what it should be. */
export function emitAlike(exprs: Expr[], emitter: Emitter): Emitted[] {
  const known = exprs.map((expr) => (expr.kind === 'parameter' ? null : emitter.wide(expr)))
  const want = commonType(known.flatMap((each) => (each ? [each.type] : [])))
  const all = exprs.map((expr, i) => known[i] ?? emitter.wide(expr, want))
  // ClickHouse finds no type for a whole number and a float.
  if (emitter.dialect.engine !== 'clickhouse' || want.kind !== 'float64') return all
  return all.map((each) => (each.type.kind === 'int64' ? { sql: `toFloat64(${each.sql})`, type: want } : each))
}
