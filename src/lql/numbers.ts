/**
 * Numbers compare by value and exactly: integers over 64 bits, everything else as a double, a typed literal as the
 * kind of number it meets.
 */
import { isNumber } from './literals.ts'

/** `exact` is what integers are compared with, `double` what doubles are compared with. */
export type NumberLiteral = { exact: number | bigint; double: number }

export const MIN_INTEGER = -(2n ** 63n)
export const MAX_INTEGER = 2n ** 63n - 1n

/** Digits alone are an integer of any size; with a point or an exponent they are a double. */
export function readNumber(text: string): NumberLiteral | null {
  if (!isNumber(text)) return null
  const double = Number(text)
  if (!Number.isFinite(double)) return null
  const isInteger = !/[.eE]/.test(text)
  return { exact: isInteger && !Number.isSafeInteger(double) ? BigInt(text) : double, double }
}

/** Below, at or above the literal: -1, 0, 1; NaN when the value is no number. */
export function orderOf(value: unknown, literal: NumberLiteral): number {
  if (typeof value === 'number') return order(value, Number.isSafeInteger(value) ? literal.exact : literal.double)
  if (typeof value === 'bigint') {
    const fits = value >= MIN_INTEGER && value <= MAX_INTEGER
    return fits ? order(value, literal.exact) : order(Number(value), literal.double)
  }
  const digits = numberDigits(value)
  if (digits === null) return Number.NaN
  const double = Number(digits)
  if (Number.isSafeInteger(double) || /[.eE]/.test(digits)) return orderOf(double, literal)
  return orderOf(BigInt(digits), literal)
}

/** JavaScript compares a double with a bigint by their true values, without rounding either. */
const order = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** The digits of a number that the write path kept as text; plain JSON data never has these on its prototype. */
function numberDigits(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  if (!('isInteger' in value) || !('text' in value) || Object.hasOwn(value, 'isInteger')) return null
  return typeof value.text === 'string' ? value.text : null
}

/** A timestamp in microseconds; NaN when it is none. */
export function microsOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  const digits = numberDigits(value)
  return digits === null ? Number.NaN : Number(digits)
}
