import type { Emitted } from '../../emitted.ts'
import { engineName, STRING, type ValueType } from '../../value-types.ts'
import type { TimeKind } from '../dialect.ts'
import { eachOf, floatText, fromJson, isJsonb, jsonText, toJson } from './json.ts'

/** Half a unit goes away from zero, as GoogleSQL has it; the engine's own way for floats is to the even neighbour. */
export const rounded = (of: string): string => `(sign(${of}) * floor(abs(${of}) + 0.5))`

const LEAST_INT = '-9223372036854775808'
const MOST_INT = '9223372036854775807'

export const isInt64 = (number: string): string => `${number} BETWEEN ${LEAST_INT} AND ${MOST_INT}`

export function cast(of: Emitted, to: ValueType, engineType: string, safe: boolean): string {
  const { sql, type } = of
  if (to.kind === 'array' && type.kind === 'array') {
    if (type.of.kind === to.of.kind || type.of.kind === 'unknown') return sql
    const [from, target] = [type.of, to.of]
    const made = (element: string): string => {
      const item = { sql: fromJson(element, from), type: from }
      return toJson({ sql: cast(item, target, engineName(target, 'postgres') ?? 'jsonb', safe), type: target })
    }
    return eachOf(sql, made)
  }
  if (to.kind === 'struct' || to.kind === 'array') return sql
  if (to.kind === 'json') return type.kind === 'string' ? `CAST(${sql} AS jsonb)` : toJson(of)
  if (to.kind === 'string') return toText(of)
  if (type.kind === 'json') return cast({ sql: `(${sql} #>> '{}')`, type: STRING }, to, engineType, safe)
  if (to.kind === 'int64') return toInteger(of, safe)
  if (to.kind === 'bool' && type.kind === 'int64') return `(${sql} <> 0)`
  if (to.kind === 'bytes' && type.kind === 'string') return `convert_to(${sql}, 'UTF8')`
  if (safe && type.kind === 'string') return attempted(sql, to, engineType)
  return `CAST(${sql} AS ${engineType})`
}

function toText(of: Emitted): string {
  if (of.type.kind === 'bytes') return `convert_from(${of.sql}, 'UTF8')`
  if (of.type.kind === 'float64') return floatText(of.sql)
  return isJsonb(of.type) ? jsonText(of) : `CAST(${of.sql} AS text)`
}

function toInteger({ sql, type }: Emitted, safe: boolean): string {
  if (type.kind === 'bool') return `CAST(CAST(${sql} AS integer) AS bigint)`
  if (type.kind === 'float64' || type.kind === 'numeric') {
    const number = `CAST(${rounded(sql)} AS bigint)`
    return safe ? `CASE WHEN abs(${sql}) < 9.2e18 THEN ${number} END` : number
  }
  if (!safe || type.kind !== 'string') return `CAST(${sql} AS bigint)`
  // A literal is read as a number before anything is asked of it, unless it is said to be text.
  const text = sql.startsWith("'") ? `CAST(${sql} AS text)` : sql
  // One inside the other: the engine may work out both sides of an AND, but only one branch of a CASE.
  const fits = `CASE WHEN ${isInt64(`CAST(${text} AS numeric)`)} THEN CAST(${text} AS bigint) END`
  return `CASE WHEN ${text} ~ '^\\s*[+-]?\\d{1,25}\\s*$' THEN ${fits} END`
}

/** NULL for a text that is none of the type. */
function attempted(sql: string, to: ValueType, engineType: string): string {
  if (to.kind === 'bool')
    return `CASE lower(${sql}) WHEN 'true' THEN TRUE WHEN 't' THEN TRUE WHEN '1' THEN TRUE WHEN 'false' THEN FALSE WHEN 'f' THEN FALSE WHEN '0' THEN FALSE END`
  if (to.kind === 'float64') return `pg_temp.bq_float(${sql})`
  return to.kind === 'numeric' ? `CAST(pg_temp.bq_numeric(${sql}) AS ${engineType})` : `CAST(${sql} AS ${engineType})`
}

const TIME_TYPES = { timestamp: 'timestamptz', datetime: 'timestamp', date: 'date', time: 'time' }

export function toTime({ sql, type }: Emitted, kind: TimeKind, safe: boolean): string {
  const of = type.kind === 'json' ? `(${sql} #>> '{}')` : sql
  const isText = type.kind === 'json' || type.kind === 'string'
  return safe && isText ? `pg_temp.bq_${kind}(${of})` : `CAST(${of} AS ${TIME_TYPES[kind]})`
}
