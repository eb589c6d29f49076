import type { Call, Expr, Order } from './tree.ts'
import type { ValueType } from './value-types.ts'

/** Engine SQL of a value, with what is known of its type. */
export type Emitted = {
  sql: string
  type: ValueType
  /** Set when the value is the timestamp of that source reference, unchanged. */
  timestampOf?: number
  /** Set when the value is this field of that source reference, unchanged. */
  fieldOf?: { source: number; path: string }
}

/** What a function rule may ask of the translation that is under way. */
export type Emitter = {
  /** `want` types a parameter that stands here. */
  value(expr: Expr, want?: ValueType): Emitted
  /** Like `value`; whole numbers get the width of INT64, as the engine reads a short literal as 32 bits. */
  wide(expr: Expr, want?: ValueType): Emitted
  /** `ORDER BY …` without the words, GoogleSQL's order of NULLs written out. */
  orders(orderBy: Order[]): string
  /** ` OVER (…)` of a call, or nothing. */
  over(call: Call): string
  fail(at: number, message: string): Error
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The number a literal writes, when it is a whole one. */
export function wholeNumber(expr: Expr): number | null {
  if (expr.kind !== 'number' || !/^-?\d+$/.test(expr.text)) return null
  const number = Number(expr.text)
  return Number.isSafeInteger(number) ? number : null
}
