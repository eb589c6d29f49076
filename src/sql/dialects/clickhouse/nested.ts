/**
 * Lists and objects are JSON text here (Nullable(String)): the engine's own arrays and tuples cannot be NULL, and GoogleSQL
 * tells an empty list from none. What is in them has one form: times are whole microseconds, dates and times of day are
 * text, bytes are base64. So a value that goes into a list and comes out again is the same.
 */
import type { Emitted } from '../../emitted.ts'
import { elementOf, engineName, type ValueType } from '../../value-types.ts'

/** A text literal: a backslash escapes in it. */
export const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export const isNested = ({ kind }: ValueType): boolean => kind === 'array' || kind === 'struct' || kind === 'json'

export const micros = (time: string): string => `toUnixTimestamp64Micro(${time})`

export const fromMicros = (count: string): string => `fromUnixTimestamp64Micro(toInt64(${count}), 'UTC')`

/** The text of a clock as the embedded engine writes it: without the zeros at the end of a fraction. */
export const clockText = (clock: string): string => `replaceRegexpOne(toString(${clock}), '\\\\.?0+$', '')`

/** A TIME is a clock on the first day of 1970. */
export const timeText = (time: string): string => `substring(${clockText(time)}, 12)`
export const timeOfText = (text: string): string => `toDateTime64(concat('1970-01-01 ', ${text}), 6, 'UTC')`

export const truth = (sql: string): string => `CAST(${sql} AS Nullable(Bool))`

/** The value as JSON text; NULL is `null`. */
export const jsonOf = (of: Emitted): string => `ifNull(${jsonValue(of)}, 'null')`

function jsonValue({ sql, type }: Emitted): string {
  switch (type.kind) {
    case 'array':
    case 'struct':
    case 'json':
      return sql
    case 'timestamp':
    case 'datetime':
      return `toString(${micros(sql)})`
    case 'date':
      return `toJSONString(toString(${sql}))`
    case 'time':
      return `toJSONString(${timeText(sql)})`
    case 'bytes':
      return `toJSONString(base64Encode(${sql}))`
    case 'bool':
      return `toString(${truth(sql)})`
    default:
      return `toJSONString(${sql})`
  }
}

/** A JSON text of these JSON texts. */
export const listOf = (array: string): string => `concat('[', arrayStringConcat(${array}, ','), ']')`

export function objectOf(fields: [name: string, json: string][]): string {
  const pieces = fields.map(
    ([name, json], i) => `${literal(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)}, ${json}`,
  )
  return `concat(${pieces.join(', ')}, '}')`
}

/** What a text from JSON means as this type. */
function ofText(text: string, type: ValueType): string {
  if (type.kind === 'date') return `toDate32OrNull(${text})`
  if (type.kind === 'time') return timeOfText(text)
  return type.kind === 'bytes' ? `base64Decode(${text})` : text
}

/** How JSONExtract names the type. */
function readAs({ kind }: ValueType): string {
  if (kind === 'timestamp' || kind === 'datetime') return 'Nullable(Int64)'
  return kind === 'int64' || kind === 'float64' || kind === 'bool' || kind === 'numeric'
    ? engineName({ kind }, 'clickhouse')!
    : 'Nullable(String)'
}

const isTime = ({ kind }: ValueType): boolean => kind === 'timestamp' || kind === 'datetime'

const converted = (sql: string, type: ValueType): string => (isTime(type) ? fromMicros(sql) : ofText(sql, type))

const orNull = (raw: string): string => `nullIf(nullIf(${raw}, ''), 'null')`

/** The member at these keys (names are literals, positions count from 1), or the value itself without one. */
export function member(of: string, keys: string[], type: ValueType): string {
  const where = [of, ...keys].join(', ')
  if (isNested(type)) return orNull(`JSONExtractRaw(${where})`)
  return converted(`JSONExtract(${where}, ${literal(readAs(type))})`, type)
}

const SOURCE_COLUMN = /^t\d+\."[^"]+"$/

/** A field of a source, unchanged, has a column for each path (`relation.ts`). */
export const isColumn = ({ sql, fieldOf }: Emitted): boolean => fieldOf !== undefined && SOURCE_COLUMN.test(sql)

/** The engine's own array of a list's elements; none for a list that is not there. */
export function elements(list: Emitted): string {
  const type = elementOf(list.type)
  const text = `ifNull(${list.sql}, '[]')`
  if (isNested(type)) return `arrayMap(e -> nullIf(e, 'null'), JSONExtractArrayRaw(${text}))`
  if (isColumn(list)) return `${list.sql.slice(0, -1)}[]"`
  const array = `JSONExtract(${text}, ${literal(`Array(${readAs(type)})`)})`
  const element = converted('e', type)
  return element === 'e' ? array : `arrayMap(e -> ${element}, ${array})`
}

/** NULL for a list that is not there. */
export const ifThere = (list: string, value: string): string => `if(isNull(${list}), NULL, ${value})`

/** A list made of another by the engine's own functions. */
export function remade(list: Emitted, change: (array: string) => string): string {
  const json = jsonOf({ sql: 'e', type: elementOf(list.type) })
  return ifThere(list.sql, listOf(`arrayMap(e -> ${json}, ${change(elements(list))})`))
}

/** The value with all fields of its objects, in their order: what was stored has only those that are there. */
export function shaped(sql: string, type: ValueType): string {
  if (!isDeep(type)) return sql
  if (type.kind === 'array')
    return ifThere(
      sql,
      listOf(
        `arrayMap(e -> ifNull(${shaped("nullIf(e, 'null')", type.of)}, 'null'), JSONExtractArrayRaw(ifNull(${sql}, '[]')))`,
      ),
    )
  if (type.kind !== 'struct') return sql
  const fields = type.fields.map(({ name, type: inner }): [string, string] => [
    name,
    `ifNull(${shaped(orNull(`JSONExtractRaw(${sql}, ${literal(name)})`), inner)}, 'null')`,
  ])
  return fields.length === 0 ? sql : ifThere(sql, objectOf(fields))
}

/** JSON text as TO_JSON_STRING writes it: times are text, and floats show that they are some. */
export function jsonText(of: Emitted): string {
  const { sql, type } = of
  switch (type.kind) {
    case 'struct': {
      const fields = type.fields.map(({ name, type: inner }): [string, string] => [
        name,
        jsonText({ sql: member(sql, [literal(name)], inner), type: inner }),
      ])
      return fields.length === 0 ? jsonOf(of) : `if(isNull(${sql}), 'null', ${objectOf(fields)})`
    }
    case 'array': {
      const items = `arrayMap(e -> ${jsonText({ sql: 'e', type: type.of })}, ${elements(of)})`
      return `if(isNull(${sql}), 'null', ${listOf(items)})`
    }
    case 'timestamp':
    case 'datetime':
      return `ifNull(toJSONString(${clockText(sql)}), 'null')`
    case 'float64':
      return `multiIf(isNull(${sql}), 'null', ${sql} = trunc(${sql}) AND abs(${sql}) < 1e16, concat(toString(${sql}), '.0'), ${jsonOf(of)})`
    default:
      return jsonOf(of)
  }
}

const isDeep = (type: ValueType): boolean => type.kind === 'struct' || (type.kind === 'array' && isDeep(type.of))
