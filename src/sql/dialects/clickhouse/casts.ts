import type { Emitted } from '../../emitted.ts'
import { elementOf, engineName, STRING, type ValueType } from '../../value-types.ts'
import type { TimeKind } from '../dialect.ts'
import {
  clockText,
  elements,
  fromMicros,
  ifThere,
  isNested,
  jsonOf,
  listOf,
  member,
  micros,
  timeOfText,
  timeText,
  truth,
} from './nested.ts'

/** Half a unit goes away from zero, as GoogleSQL has it; the engine's own way for floats is to the even neighbour. */
export const rounded = (of: string): string => `(sign(${of}) * floor(abs(${of}) + 0.5))`

export const MOST_INT = '9223372036854775807'

export function cast(of: Emitted, to: ValueType, engineType: string, safe: boolean): string {
  const { sql, type } = of
  if (to.kind === 'array' && type.kind === 'array') return castList(of, to, safe)
  if (to.kind === 'struct' || to.kind === 'array') return sql
  if (to.kind === 'json') return type.kind === 'string' ? parsedJson(sql) : jsonOf(of)
  if (to.kind === 'string') return toText(of)
  if (type.kind === 'json') return cast({ sql: scalarText(sql), type: STRING }, to, engineType, safe)
  if (to.kind === 'int64') return toInteger(of, safe)
  if (to.kind === 'bool') return toBool(of, safe)
  if (to.kind === 'bytes') return sql
  const text = type.kind === 'string' ? `trimBoth(${sql})` : sql
  if (!safe || type.kind !== 'string') return `CAST(${text} AS ${engineType})`
  return to.kind === 'numeric' ? `toDecimal128OrNull(${text}, 9)` : `toFloat64OrNull(${text})`
}

function castList(of: Emitted, to: ValueType, safe: boolean): string {
  const [from, target] = [elementOf(of.type), elementOf(to)]
  if (from.kind === target.kind || from.kind === 'unknown') return of.sql
  const made = cast({ sql: 'e', type: from }, target, engineName(target, 'clickhouse') ?? 'Nullable(String)', safe)
  return ifThere(of.sql, listOf(`arrayMap(e -> ${jsonOf({ sql: made, type: target })}, ${elements(of)})`))
}

/** JSON text in the engine's own form, without spaces. */
export const parsedJson = (text: string): string =>
  `if(throwIf(NOT isValidJSON(${text}), 'the text is no JSON') = 0, JSONExtractRaw(${text}), NULL)`

/** What a JSON value says as text: a string without its quotes. */
export const scalarText = (json: string): string => member(json, [], STRING)

export function toText({ sql, type }: Emitted): string {
  switch (type.kind) {
    case 'timestamp':
      return `concat(${clockText(sql)}, '+00')`
    case 'datetime':
      return clockText(sql)
    case 'time':
      return timeText(sql)
    case 'bool':
      return `toString(${truth(sql)})`
    case 'string':
    case 'bytes':
      return sql
    case 'float64':
      return floatText(sql)
    default:
      return isNested(type) ? sql : `toString(${sql})`
  }
}

/** An exponent has a sign and two digits. */
const floatText = (sql: string): string =>
  `replaceRegexpOne(replaceRegexpOne(toString(${sql}), 'e(\\\\d)', 'e+\\\\1'), 'e([+-])(\\\\d)$', 'e\\\\10\\\\2')`

function toInteger({ sql, type }: Emitted, safe: boolean): string {
  if (type.kind === 'float64' || type.kind === 'numeric')
    return safe ? `accurateCastOrNull(${rounded(sql)}, 'Int64')` : `accurateCast(${rounded(sql)}, 'Nullable(Int64)')`
  if (type.kind !== 'string') return `CAST(${sql} AS Nullable(Int64))`
  return safe ? `toInt64OrNull(trimBoth(${sql}))` : `CAST(trimBoth(${sql}) AS Nullable(Int64))`
}

function toBool({ sql, type }: Emitted, safe: boolean): string {
  if (type.kind !== 'string') return `(${sql} != 0)`
  const text = `lower(${sql})`
  if (!safe) return `CAST(${text} AS Nullable(Bool))`
  return `CASE WHEN ${text} IN ('true', 't', '1') THEN TRUE WHEN ${text} IN ('false', 'f', '0') THEN FALSE END`
}

const INSTANT = "'^\\\\s*\\\\d{4}-\\\\d{1,2}-\\\\d{1,2}([Tt ]|\\\\s*$)'"

/** An instant, a clock and a time of day are all DateTime64(6, 'UTC'). */
export function toTime(of: Emitted, kind: TimeKind, safe: boolean): string {
  const { sql, type } = of
  if (type.kind === 'json') return toTime({ sql: scalarText(sql), type: STRING }, kind, safe)
  if (type.kind === 'string') return ofText(sql, kind, safe)
  if (type.kind === 'unknown') return `CAST(${sql} AS ${engineName({ kind }, 'clickhouse')})`
  if (kind === 'date') return `toDate32(${sql})`
  if (type.kind === 'date') return `toDateTime64(${sql}, 6, 'UTC')`
  return kind === 'time' ? fromMicros(`positiveModulo(${micros(sql)}, 86400000000)`) : sql
}

function ofText(text: string, kind: TimeKind, safe: boolean): string {
  if (kind === 'time') return timeOfText(text)
  const parsed = `parseDateTime64BestEffort${safe ? 'OrNull' : ''}(${text}, 6, 'UTC')`
  const read = kind === 'date' ? `toDate32(${parsed})` : parsed
  return safe ? `if(match(${text}, ${INSTANT}), ${read}, NULL)` : read
}
