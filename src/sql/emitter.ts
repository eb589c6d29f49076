import type { Dialect } from './dialects/dialect.ts'
import type { Emitted } from './emitted.ts'
import type { Call, Expr, Order } from './tree.ts'
import type { ValueType } from './value-types.ts'

/** What a function rule may ask of the translation that is under way. */
export type Emitter = {
  dialect: Dialect
  /** `want` types a parameter that stands here. */
  value(expr: Expr, want?: ValueType): Emitted
  /** Like `value`; whole numbers get the width of INT64, as engines read a short literal as 32 bits. */
  wide(expr: Expr, want?: ValueType): Emitted
  /** `ORDER BY …` without the words, GoogleSQL's order of NULLs written out. */
  orders(orderBy: Order[]): string
  /** ` OVER (…)` of a call, or nothing. */
  over(call: Call): string
  fail(at: number, message: string): Error
  /** The fault of something that this engine has not. */
  lacks(at: number, what: string): Error
}

/** The number a literal writes, when it is a whole one. */
export function wholeNumber(expr: Expr): number | null {
  if (expr.kind !== 'number' || !/^-?\d+$/.test(expr.text)) return null
  const number = Number(expr.text)
  return Number.isSafeInteger(number) ? number : null
}
