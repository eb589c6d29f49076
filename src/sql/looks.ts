import { arrayOf, BOOL, commonType, FLOAT64, INT64, STRING, type ValueType } from './value-types.ts'

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/
const FLOAT = /^-?(?:0|[1-9]\d{0,20})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/

/** The type of a parameter's value where the query does not say. `007` is no number: it would not come back the same. */
export function looksLike(value: unknown): ValueType {
  if (Array.isArray(value)) {
    const type = commonType(value.filter((each) => each !== null).map(looksLike))
    return arrayOf(type.kind === 'unknown' ? STRING : type)
  }
  if (value === null || value === undefined || typeof value === 'object') return STRING
  const text = String(value)
  if (INTEGER.test(text)) return INT64
  if (FLOAT.test(text) && Number.isFinite(Number(text))) return FLOAT64
  return text === 'true' || text === 'false' ? BOOL : STRING
}
