/** Values of parameters as the engine binds them: beside the text, never in it. */
import { BIGINT, BOOLEAN, DOUBLE, type DuckDBType, type DuckDBValue, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { Fault } from '../../base/faults.ts'
import type { BoundValue } from '../protocol.ts'

const TYPES: Record<BoundValue['type'], DuckDBType> = { VARCHAR, BIGINT, DOUBLE, BOOLEAN }

export type Bound = { values: Record<string, DuckDBValue>; types: Record<string, DuckDBType> }

/** A parameter that stood only in a part of the query nobody reads is not in the text, and the engine wants no value. */
export function bindValues({
  text,
  parameters = {},
}: {
  text: string
  parameters?: Record<string, BoundValue> | undefined
}): Bound {
  const bound: Bound = { values: {}, types: {} }
  for (const [name, { type, value }] of Object.entries(parameters)) {
    if (!new RegExp(`\\$${name}\\b`).test(text)) continue
    bound.values[name] = Array.isArray(value) ? listValue(value.map((each) => read(type, each))) : read(type, value)
    bound.types[name] = Array.isArray(value) ? LIST(TYPES[type]) : TYPES[type]
  }
  return bound
}

const LEAST = -(2n ** 63n)
const MOST = 2n ** 63n - 1n

function read(type: BoundValue['type'], text: string | null): DuckDBValue {
  if (text === null) return null
  if (type === 'BOOLEAN') return text === 'true'
  if (type === 'DOUBLE') return Number(text)
  if (type === 'VARCHAR') return text
  const integer = BigInt(text)
  if (integer < LEAST || integer > MOST) throw new Fault('query_failed', `the number ${text} is out of range`)
  return integer
}
