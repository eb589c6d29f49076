/**
 * ClickHouse 25.8 or newer, with events as `src/backends/clickhouse` stores them: a column for each top-level field, objects
 * as JSON. Plain values are Nullable; lists and objects are JSON text (`nested.ts`), as the engine has no NULL for its own.
 */
import { type Emitted, quoteName } from '../../emitted.ts'
import { type Column, engineName, type ValueType } from '../../value-types.ts'
import type { Dialect } from '../dialect.ts'
import { cast, toTime } from './casts.ts'
import {
  clockText,
  elements,
  isColumn,
  isNested,
  jsonOf,
  listOf,
  literal,
  member,
  objectOf,
  shaped,
  timeText,
  truth,
} from './nested.ts'
import { relation } from './relation.ts'
import { JSON_COLUMN, marked } from './settings.ts'
import { time } from './time.ts'

export const clickhouse: Dialect = {
  engine: 'clickhouse',
  label: 'ClickHouse',
  longestName: Number.POSITIVE_INFINITY,

  text: literal,
  bytes: (hex) => `unhex('${hex}')`,
  float: (digits) => `toFloat64(${digits})`,
  wide: (number) => `toInt64(${number})`,
  timeLiteral: (kind, text) => {
    if (kind === 'date') return `toDate32('${text}')`
    return `toDateTime64('${kind === 'time' ? `1970-01-01 ${text}` : text}', 6, 'UTC')`
  },
  parameter(index, type) {
    const place = (name: string): string => `{p${index + 1}:${name}}`
    if (type.kind === 'array') return `toJSONString(${place(`Array(${typeName(type.of)})`)})`
    return place(typeName(type))
  },

  field: (of, name, type) => (isColumn(of) ? `${of.sql.slice(0, -1)}.${name}"` : member(of.sql, [literal(name)], type)),
  jsonElement: (of, index) =>
    member(of, ['name' in index ? literal(index.name) : `${index.position} + 1`], { kind: 'json' }),
  element(list, position, safe) {
    const found = `arrayElementOrNull(${elements(list)}, ${position} + 1)`
    const isLiteral = /^\d+$/.test(position)
    if (safe) return isLiteral ? found : `if(${position} < 0, NULL, ${found})`
    const isOutside = `${isLiteral ? '' : `${position} < 0 OR `}${position} >= length(${elements(list)})`
    const isAbsent = `isNull(${list.sql})`
    return `if(throwIf(NOT ${isAbsent} AND (${isOutside}), 'the array index is out of bounds') = 0, ${found}, NULL)`
  },
  list: (items) => `concat('[', ${items.length > 0 ? `${items.map(jsonOf).join(", ',', ")}, ` : ''}']')`,
  object: (fields) => objectOf(fields.map(({ name, value }) => [name, jsonOf(value)])),
  row: (alias, columns) =>
    objectOf(columns.map(({ name, type }) => [name, jsonOf({ sql: `${alias}.${quoteName(name)}`, type })])),
  listOfQuery(sql, column) {
    const value = column ? jsonOf({ sql: `made.${quoteName(column.name)}`, type: column.type }) : "'null'"
    // A query that reads the row around it gives NULL where it has no rows.
    return `ifNull((SELECT ${listOf(`groupArray(${value})`)} FROM (${sql}) AS made), '[]')`
  },
  contains: (list, value) => `if(isNull(${list.sql}), NULL, has(${elements(list)}, ${value.sql}))`,
  isNull: ({ sql }, not) => `${sql} IS ${not ? 'NOT ' : ''}NULL`,

  selected: ({ sql, type }) => (type.kind === 'bool' ? truth(sql) : sql),
  ordered: (value) => value.sql,
  compare: (left, operator, right) => `(${left.sql} ${operator} ${right.sql})`,
  divide: (left, right, nonZero) =>
    nonZero ? `(${left} / ${right})` : `(${left} / (${right} + throwIf(${right} = 0, 'division by zero')))`,
  calculate(left, operator, right) {
    const name = BIT_FUNCTIONS.get(operator)
    return name ? `${name}(${left.sql}, ${right.sql})` : `(${left.sql} ${operator} ${right.sql})`
  },
  cast,
  toTime,
  attempt: () => null,

  instead: {
    isTruth: (of, what, not) => {
      const isTaken = what === 'true' ? `ifNull(${of}, FALSE)` : `NOT ifNull(${of}, TRUE)`
      return not ? `NOT (${isTaken})` : isTaken
    },
    isDistinct: (left, right, not) => {
      const isSame = `(isNull(${left}) AND isNull(${right})) OR ifNull(${left} = ${right}, FALSE)`
      return not ? isSame : `NOT (${isSame})`
    },
    bitNot: (of) => `bitNot(${of})`,
    likePattern: (pattern) => pattern,
    rows: (count) => (/^\d+$/.test(count) ? count : `assumeNotNull(${count})`),
    // A query that reads the row around it gives NULL where it has no rows.
    ofNoRows: (query, value) => `ifNull(${query}, ${value})`,
  },

  time,

  hasQualify: true,
  hasGroupByAll: false,
  hasStandardUnion: false,
  ordersDistinct: true,
  ordersKeysPlainly: false,
  unnest(list, alias, withPosition) {
    const [value, position] = [`${alias}_v`, `${alias}_o`]
    const array = elements(list)
    const positions = `CAST(range(length(${array})), 'Array(Nullable(Int64))')`
    const pairs = `(SELECT arrayJoin(arrayZip(${array}, ${positions})) AS p)`
    return {
      from: withPosition
        ? `(SELECT p.1 AS ${value}, p.2 AS ${position} FROM ${pairs} AS pairs) AS ${alias}`
        : `(SELECT arrayJoin(${array}) AS ${value}) AS ${alias}`,
      value,
      position,
      join(kind, condition) {
        const parts = withPosition ? [value, position] : [value]
        const arrays = withPosition ? [array, positions] : [array]
        const kept = (i: number): string => {
          if (condition === null) return arrays[i]!
          const order = i === 0 ? [0, 1] : [1, 0]
          const names = order.flatMap((each) => parts[each] ?? []).join(', ')
          return `arrayFilter((${names}) -> ifNull(${condition}, FALSE), ${order.flatMap((each) => arrays[each] ?? []).join(', ')})`
        }
        return ` ${kind === 'left' ? 'LEFT ' : ''}ARRAY JOIN ${parts.map((part, i) => `${kept(i)} AS ${part}`).join(', ')}`
      },
    }
  },
  united,
  output,
  relation,
}

const typeName = (type: ValueType): string => engineName(type, 'clickhouse') ?? 'Nullable(String)'

const BIT_FUNCTIONS = new Map(
  Object.entries({ '&': 'bitAnd', '|': 'bitOr', '^': 'bitXor', '<<': 'bitShiftLeft', '>>': 'bitShiftRight' }),
)

/** Both sides of a UNION have the same types; the engine finds none for a whole number and a float. */
function united(sql: string, columns: Column[], whole: Column[]): string {
  const differs = columns.map(({ type }, i) => whole[i]!.type.kind !== 'unknown' && type.kind !== whole[i]!.type.kind)
  if (!differs.includes(true)) return sql
  const list = columns.map(({ name }, i) => {
    const quoted = `side.${quoteName(name)}`
    return `${differs[i] ? `CAST(${quoted} AS ${typeName(whole[i]!.type)})` : quoted} AS ${quoteName(name)}`
  })
  return `SELECT ${list.join(', ')} FROM (${sql}) AS side`
}

/** Lists and objects leave as JSON with all their fields, clocks and times of day as text, bytes as base64. */
function output(sql: string, columns: Column[]): string {
  if (!columns.some(({ type }) => isNested(type) || OUTPUT_KINDS.has(type.kind))) return marked(sql)
  const list = columns.map(
    ({ name, type }) => `${outputValue({ sql: `result.${quoteName(name)}`, type })} AS ${quoteName(name)}`,
  )
  return marked(`SELECT ${list.join(', ')} FROM (${sql}) AS result`)
}

const OUTPUT_KINDS = new Set<ValueType['kind']>(['datetime', 'time', 'bytes', 'interval'])

function outputValue({ sql, type }: Emitted): string {
  if (isNested(type)) return `CAST(tuple(${shaped(sql, type)}), '${JSON_COLUMN}')`
  if (type.kind === 'datetime') return `replaceOne(${clockText(sql)}, ' ', 'T')`
  if (type.kind === 'time') return timeText(sql)
  if (type.kind === 'interval') return `toString(${sql})`
  return type.kind === 'bytes' ? `base64Encode(${sql})` : sql
}
