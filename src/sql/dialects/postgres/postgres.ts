/**
 * PostgreSQL 14 or newer, with events as rows of `id`, `timestamp`, `event_message` and a jsonb `body`. Lists and objects
 * are jsonb (`json.ts`); everything else has a type of its own. Texts compare by their bytes, as everywhere: columns have
 * the collation "C", and what is made in a query gets it where it is selected or ordered by.
 */
import { type Emitted, quoteName, quoteText } from '../../emitted.ts'
import { type Column, elementOf, engineName, STRING, type ValueType } from '../../value-types.ts'
import type { Dialect } from '../dialect.ts'
import { cast, toTime } from './casts.ts'
import { base64, fromJson, isJsonb, memberOf, objectOf, rowOf, shaped, toJson } from './json.ts'
import { time } from './time.ts'

export const postgres: Dialect = {
  engine: 'postgres',
  label: 'PostgreSQL',
  longestName: 63,

  text: quoteText,
  bytes: (hex) => `'\\x${hex}'::bytea`,
  float: (digits) => `CAST(${digits} AS float8)`,
  wide: (number) => `CAST(${number} AS bigint)`,
  timeLiteral: (kind, text) =>
    kind === 'timestamp' ? `timestamptz '${text}+00'` : `${kind === 'datetime' ? 'timestamp' : kind} '${text}'`,
  parameter(index, type) {
    if (type.kind === 'array') return `to_jsonb(CAST($${index + 1} AS ${engineName(type.of, 'postgres') ?? 'text'}[]))`
    return `CAST($${index + 1} AS ${engineName(type, 'postgres') ?? 'text'})`
  },

  field: ({ sql }, name, type) => memberOf(sql, quoteText(name), type),
  jsonElement: (of, index) =>
    'name' in index ? `(${of} -> ${quoteText(index.name)})` : `(${of} -> CAST(${index.position} AS integer))`,
  element,
  list: (items) => `jsonb_build_array(${items.map(toJson).join(', ')})`,
  object: (fields) => objectOf(fields.map(({ name, value }) => [name, toJson(value)])),
  row: rowOf,
  listOfQuery: (sql, column) =>
    `(SELECT coalesce(jsonb_agg(${column ? toJson({ sql: `made.${quoteName(column.name)}`, type: column.type }) : 'NULL'}), '[]') FROM (${sql}) AS made)`,
  contains: (list, value) => `(${list.sql} @> ${toJson(value)})`,
  isNull: ({ sql }, not) => `coalesce(${sql}, 'null'::jsonb) ${not ? '<>' : '='} 'null'::jsonb`,

  selected: byBytes,
  ordered: byBytes,
  compare: (left, operator, right) =>
    operator === '=' || operator === '!='
      ? `(${left.sql} ${operator} ${right.sql})`
      : `(${byBytes(left)} ${operator} ${right.sql})`,
  divide: (left, right) => `(CAST(${left} AS float8) / CAST(${right} AS float8))`,
  calculate,
  cast,
  toTime,
  attempt: () => null,

  time,

  hasQualify: false,
  hasGroupByAll: false,
  hasStandardUnion: true,
  ordersDistinct: false,
  ordersKeysPlainly: true,
  unnest: (list, alias) => ({
    from: `jsonb_array_elements(${list.sql}) WITH ORDINALITY AS ${alias}(v, o)`,
    value: fromJson(`${alias}.v`, elementOf(list.type)),
    position: `(${alias}.o - 1)`,
  }),
  united,
  output,
  relation(columns, from, isRead) {
    const values = columns
      .filter(({ name }) => isRead(name))
      .map(({ name, type }) =>
        STANDARD.includes(name)
          ? `e.${quoteName(name)}`
          : `${memberOf('e.body', quoteText(name), type)} AS ${quoteName(name)}`,
      )
    return `SELECT ${values.join(', ') || '1 AS one'} FROM ${from} AS e`
  },
}

const STANDARD = ['id', 'timestamp', 'event_message']

/** A column has the collation already. */
const COLUMN = /^(?:t\d+\.)?"(?:[^"]|"")*"$|COLLATE "C"\)$/

function byBytes({ sql, type }: Emitted): string {
  return type.kind === STRING.kind && !COLUMN.test(sql) ? `(${sql} COLLATE "C")` : sql
}

function element(list: Emitted, position: string, safe: boolean): string {
  const type = elementOf(list.type)
  const found = memberOf(list.sql, `CAST(${position} AS integer)`, type)
  if (/^\d+$/.test(position) && safe) return found
  if (safe) return `CASE WHEN ${position} >= 0 THEN ${found} END`
  const message = `pg_temp.bq_error('array index ' || ${position} || ' is out of bounds')`
  const failure = `CAST(${message} AS ${sqlType(type)})`
  return `CASE WHEN ${position} < 0 OR ${position} >= jsonb_array_length(${list.sql}) THEN ${failure} ELSE ${found} END`
}

function calculate(left: Emitted, operator: string, right: Emitted): string {
  if (operator === '^') return `(${left.sql} # ${right.sql})`
  const isShort = operator === '<<' || operator === '>>' || (left.type.kind === 'date' && right.type.kind === 'int64')
  return `(${left.sql} ${operator} ${isShort ? `CAST(${right.sql} AS integer)` : right.sql})`
}

/** A column of nothing but NULL is text to the engine, which it then does not unite with numbers. */
function united(sql: string, columns: Column[], whole: Column[]): string {
  const isOpen = columns.map(({ type }, i) => type.kind === 'unknown' && whole[i]!.type.kind !== 'unknown')
  if (!isOpen.includes(true)) return sql
  const list = columns.map(({ name }, i) => {
    const quoted = quoteName(name)
    return isOpen[i] ? `CAST(${quoted} AS ${sqlType(whole[i]!.type)}) AS ${quoted}` : quoted
  })
  return `SELECT ${list.join(', ')} FROM (${sql}) AS side`
}

const sqlType = (type: ValueType): string => (isJsonb(type) ? 'jsonb' : (engineName(type, 'postgres') ?? 'text'))

/** Objects leave with all their fields, a DATETIME as text and bytes as base64. */
function output(sql: string, columns: Column[]): string {
  if (!columns.some(({ type }) => OUTPUT_KINDS.has(type.kind))) return sql
  const list = columns.map(({ name, type }) => `${outputValue(quoteName(name), type)} AS ${quoteName(name)}`)
  return `SELECT ${list.join(', ')} FROM (${sql}) AS result`
}

const OUTPUT_KINDS = new Set<ValueType['kind']>(['datetime', 'bytes', 'struct', 'array'])

function outputValue(sql: string, type: ValueType): string {
  if (type.kind === 'datetime') return `replace(CAST(${sql} AS text), ' ', 'T')`
  return type.kind === 'bytes' ? base64(sql) : shaped(sql, type)
}
