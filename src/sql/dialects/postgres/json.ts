/**
 * Lists and objects are jsonb here, and what is in them has one form: times are whole microseconds, dates and times of
 * day are text, bytes are base64. So a value that goes into a list and comes out again is the same, and answers show
 * nested values as the embedded engine does.
 */
import { type Emitted, quoteName, quoteText } from '../../emitted.ts'
import { type Column, engineName, type ValueType } from '../../value-types.ts'

/** The engine's functions take at most 100 arguments. */
const MOST_PAIRS = 50

export const isJsonb = ({ kind }: ValueType): boolean => kind === 'array' || kind === 'struct' || kind === 'json'

export const micros = (time: string): string => `CAST(extract(epoch FROM ${time}) * 1000000 AS bigint)`

export const fromMicros = (count: string): string => `(timestamptz 'epoch' + (${count}) * interval '1 microsecond')`

export const base64 = (bytes: string): string => `replace(encode(${bytes}, 'base64'), chr(10), '')`

/** The value in the form it has inside lists, still as SQL of its own. */
export function plain({ sql, type }: Emitted): string {
  switch (type.kind) {
    case 'timestamp':
    case 'datetime':
      return micros(sql)
    case 'date':
    case 'time':
    case 'interval':
    case 'string':
    case 'unknown':
      return `CAST(${sql} AS text)`
    case 'bytes':
      return base64(sql)
    default:
      return sql
  }
}

export const toJson = (of: Emitted): string => (isJsonb(of.type) ? of.sql : `to_jsonb(${plain(of)})`)

/** What the text of a JSON value means as this type. */
function fromText(text: string, type: ValueType): string {
  switch (type.kind) {
    case 'string':
    case 'unknown':
      return `((${text}) COLLATE "C")`
    case 'timestamp':
      return fromMicros(`CAST(${text} AS bigint)`)
    case 'datetime':
      return `(${fromMicros(`CAST(${text} AS bigint)`)} AT TIME ZONE 'UTC')`
    case 'bytes':
      return `decode(${text}, 'base64')`
    default:
      return `CAST(${text} AS ${engineName(type, 'postgres')})`
  }
}

export const fromJson = (sql: string, type: ValueType): string =>
  isJsonb(type) ? sql : fromText(`${sql} #>> '{}'`, type)

/** The value under a name or at a position. */
export const memberOf = (of: string, key: string, type: ValueType): string =>
  isJsonb(type) ? `(${of} -> ${key})` : fromText(`${of} ->> ${key}`, type)

export function objectOf(pairs: [name: string, json: string][]): string {
  const parts: string[] = []
  for (let at = 0; at < Math.max(pairs.length, 1); at += MOST_PAIRS) {
    const some = pairs.slice(at, at + MOST_PAIRS).map(([name, json]) => `${quoteText(name)}, ${json}`)
    parts.push(`jsonb_build_object(${some.join(', ')})`)
  }
  return parts.length === 1 ? parts[0]! : `(${parts.join(' || ')})`
}

export const rowOf = (alias: string, columns: Column[]): string =>
  objectOf(columns.map(({ name, type }) => [name, toJson({ sql: `${alias}.${quoteName(name)}`, type })]))

/** Something made of each element; `null` for a list that is not there. */
export function eachOf(list: string, made: (element: string) => string, depth = 0): string {
  const alias = `e${depth}`
  const all = `SELECT coalesce(jsonb_agg(${made(`${alias}.v`)} ORDER BY ${alias}.o), '[]')`
  return `CASE WHEN ${list} IS NOT NULL THEN (${all} FROM jsonb_array_elements(${list}) WITH ORDINALITY AS ${alias}(v, o)) END`
}

/** An object with all the fields of its type, in lists too: as the embedded engine answers. */
export function shaped(sql: string, type: ValueType, depth = 0): string {
  if (type.kind === 'array' && isDeep(type.of))
    return eachOf(sql, (element) => shaped(element, type.of, depth + 1), depth)
  if (type.kind !== 'struct') return sql
  const fields = type.fields.map(({ name, type: inner }): [string, string] => [
    name,
    shaped(`(${sql} -> ${quoteText(name)})`, inner, depth),
  ])
  return `CASE WHEN jsonb_typeof(${sql}) = 'object' THEN ${objectOf(fields)} END`
}

const isDeep = (type: ValueType): boolean => type.kind === 'struct' || (type.kind === 'array' && isDeep(type.of))

/** The embedded engine writes a float with an exponent from 1e16 on, PostgreSQL from 1e15. */
export const floatText = (sql: string): string =>
  `CASE WHEN abs(${sql}) >= 1e15 AND abs(${sql}) < 1e16 AND ${sql} = trunc(${sql}) THEN CAST(CAST(${sql} AS bigint) AS text) ELSE CAST(${sql} AS text) END`

/** JSON text without spaces, objects in the order of their fields. */
export function jsonText({ sql, type }: Emitted, depth = 0): string {
  switch (type.kind) {
    case 'struct': {
      const fields = type.fields.map(({ name, type: inner }) => {
        const value = jsonText({ sql: memberOf(sql, quoteText(name), inner), type: inner }, depth)
        return `${quoteText(`${JSON.stringify(name)}:`)} || coalesce(${value}, 'null')`
      })
      return `CASE WHEN jsonb_typeof(${sql}) = 'object' THEN '{' || ${fields.join(" || ',' || ") || "''"} || '}' END`
    }
    case 'array': {
      const alias = `e${depth}`
      const value = jsonText({ sql: fromJson(`${alias}.v`, type.of), type: type.of }, depth + 1)
      const all = `SELECT '[' || coalesce(string_agg(coalesce(${value}, 'null'), ',' ORDER BY ${alias}.o), '') || ']'`
      return `CASE WHEN jsonb_typeof(${sql}) = 'array' THEN (${all} FROM jsonb_array_elements(${sql}) WITH ORDINALITY AS ${alias}(v, o)) END`
    }
    case 'json':
      // A string is kept whole, a space between other things is left out.
      return `regexp_replace(CAST(${sql} AS text), '("([^"\\\\]|\\\\.)*")| ', '\\1', 'g')`
    case 'timestamp':
      return `CAST(to_json(CAST(${sql} AT TIME ZONE 'UTC' AS text)) AS text)`
    case 'float64':
      return `CASE WHEN ${sql} = trunc(${sql}) AND abs(${sql}) < 1e16 THEN ${floatText(sql)} || '.0' ELSE CAST(to_json(${sql}) AS text) END`
    case 'int64':
    case 'bool':
    case 'numeric':
      return `CAST(to_json(${sql}) AS text)`
    default:
      return `CAST(to_json(CAST(${sql} AS text)) AS text)`
  }
}
