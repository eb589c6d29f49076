import type { FieldType, ScalarType } from '../../model/fields.ts'
import { JsonObject, type JsonValue, NumberText } from '../json/value.ts'

/**
 * Which type a first value gives its field, and how a later value becomes one of that type without losing anything.
 * `undefined` means it cannot.
 */
export type Scalar = string | boolean | NumberText

export function isScalar(value: JsonValue): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || value instanceof NumberText
}

/** Null for a value that no column can hold: a number beyond every double, or a list of lists or of mixed kinds. */
export function firstType(value: JsonValue): FieldType | null {
  if (value instanceof JsonObject) return 'object'
  if (isScalar(value)) return scalarType(value)
  if (!Array.isArray(value)) return null
  if (value.every((element) => element instanceof JsonObject)) return 'object[]'
  if (!value.every(isScalar)) return null
  const types = new Set<ScalarType>()
  for (const element of value) {
    const type = scalarType(element)
    if (type === null) return null
    types.add(type)
  }
  const [first] = types
  if (types.size === 1) return `${first!}[]`
  return types.has('string') || types.has('boolean') ? 'string[]' : 'float[]'
}

/**
 * The least number of new fields that makes a place for some of the value: an object is no field without one inside
 * it. Infinity when no column can hold any of it.
 */
export function fieldsNeeded(value: JsonValue): number {
  if (value instanceof JsonObject) return 1 + least(value.values)
  const type = firstType(value)
  if (type === null) return Number.POSITIVE_INFINITY
  return type === 'object[]' && Array.isArray(value) ? least(value) : 1
}

function least(values: readonly JsonValue[]): number {
  let fewest = Number.POSITIVE_INFINITY
  for (const value of values) fewest = Math.min(fewest, fieldsNeeded(value))
  return fewest
}

function scalarType(value: Scalar): ScalarType | null {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (isLong(value)) return 'integer'
  return Number.isFinite(Number(value.text)) ? 'float' : null
}

export function toScalar(value: Scalar, type: ScalarType): Scalar | undefined {
  switch (type) {
    case 'string':
      return value instanceof NumberText ? value.text : String(value)
    case 'boolean':
      return typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined
    case 'integer':
      return toInteger(value)
    case 'float':
      return toFloat(value)
  }
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Text counts when it is exactly how the number would be printed; a float literal is a float, whatever its value. */
function toInteger(value: Scalar): NumberText | undefined {
  if (value instanceof NumberText) return isLong(value) ? value : undefined
  if (typeof value !== 'string' || !INTEGER.test(value)) return undefined
  const number = new NumberText(value)
  return isLong(number) ? number : undefined
}

function toFloat(value: Scalar): NumberText | undefined {
  if (typeof value === 'boolean' || (typeof value === 'string' && !NUMBER.test(value))) return undefined
  const number = typeof value === 'string' ? new NumberText(value) : value
  const double = Number(number.text)
  if (!Number.isFinite(double)) return undefined
  // A 64-bit integer that a double would round keeps its digits elsewhere.
  if (!Number.isSafeInteger(double) && isLong(number) && BigInt(double) !== BigInt(number.text)) return undefined
  return number
}

const LONG_MIN = -(2n ** 63n)
const LONG_MAX = 2n ** 63n - 1n

/** An integer literal that 64 bits hold. */
function isLong(number: NumberText): boolean {
  if (!number.isInteger) return false
  if (number.text.length <= 18) return true
  if (number.text.length > 20) return false
  const value = BigInt(number.text)
  return value >= LONG_MIN && value <= LONG_MAX
}

/** A float field takes what an integer field cannot, so the integer field becomes one. */
export function asksForFloat(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(asksForFloat)
  return value instanceof NumberText && !value.isInteger
}

/** `5.0` for an integer field that may not widen: nothing is lost by writing `5`. */
export function withoutFraction(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutFraction)
  const whole = value instanceof NumberText ? /^(-?\d+)\.0+$/.exec(value.text)?.[1] : undefined
  return whole === undefined ? value : new NumberText(whole)
}
