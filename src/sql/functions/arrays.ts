import { toText } from '../dialects/clickhouse/casts.ts'
import { elements, ifThere, jsonOf, listOf, remade } from '../dialects/clickhouse/nested.ts'
import { fromJson, memberOf, plain } from '../dialects/postgres/json.ts'
import type { Emitted } from '../emitted.ts'
import { wholeNumber } from '../emitter.ts'
import type { Expr } from '../tree.ts'
import { arrayOf, BOOL, DATE, elementOf, INT64, STRING, TIMESTAMP, type ValueType } from '../value-types.ts'
import { ofEngine, type PerEngine, type Rules, sameAsFirst, scalar, special } from './rule.ts'

type ListWrite = (list: Emitted, ...args: string[]) => string

/** A function of a list and further values; what it gives may depend on the list's type. */
const listed = (count: number, returns: (list: Emitted) => ValueType, write: PerEngine<ListWrite>) =>
  special(count, (call, emitter) => {
    const [list, ...rest] = call.args.map((arg) => emitter.value(arg))
    const sql = ofEngine(write, call, emitter)(list!, ...rest.map((arg) => arg.sql))
    return { sql, type: returns(list!) }
  })

const same = (list: Emitted): ValueType => list.type
const element = (list: Emitted): ValueType => elementOf(list.type)

/** What a subquery over the elements of a list gives; NULL for a list that is not there. */
const ofElements = (list: string, value: string): string =>
  `CASE WHEN ${list} IS NOT NULL THEN (SELECT ${value} FROM jsonb_array_elements(${list}) WITH ORDINALITY AS e(v, o)) END`

/** A series of the engine as a list. */
const series = (call: string, value: string): string =>
  `(SELECT coalesce(jsonb_agg(${value}), '[]') FROM generate_series(${call}) AS g(v))`

/** ClickHouse: the numbers from one to another, both included, as a list of what is made of each. */
const counted = (from: string, to: string, step: string, json: string): string =>
  listOf(`arrayMap(e -> ${json}, range(${from}, ${to} + sign(${step}), ${step}))`)

/** How many days a step takes, when that is certain. */
function daysOf(step: Expr | undefined): string | null {
  if (!step) return '1'
  if (step.kind !== 'interval' || (step.unit !== 'day' && step.unit !== 'week')) return null
  const count = wholeNumber(step.of)
  return count === null ? null : String(step.unit === 'week' ? count * 7 : count)
}

export const arrayFunctions: Rules = {
  array_length: listed(1, () => INT64, {
    duckdb: ({ sql }) => `len(${sql})`,
    postgres: ({ sql }) => `CAST(jsonb_array_length(${sql}) AS bigint)`,
    clickhouse: (list) => ifThere(list.sql, `length(${elements(list)})`),
  }),
  array_reverse: listed(1, same, {
    duckdb: ({ sql }) => `list_reverse(${sql})`,
    clickhouse: (list) => remade(list, (array) => `arrayReverse(${array})`),
    postgres: ({ sql }) => ofElements(sql, "coalesce(jsonb_agg(e.v ORDER BY e.o DESC), '[]')"),
  }),
  array_concat: scalar([1, 100], null, sameAsFirst, {
    duckdb: (...lists) => `(${lists.join(' || ')})`,
    postgres: (...lists) => `(${lists.join(' || ')})`,
    clickhouse: (...lists) => {
      const items = `arrayConcat(${lists.map((list) => `JSONExtractArrayRaw(ifNull(${list}, '[]'))`).join(', ')})`
      return `if(${lists.map((list) => `isNull(${list})`).join(' OR ')}, NULL, ${listOf(items)})`
    },
  }),
  array_to_string: special([2, 3], (call, emitter) => {
    const of = emitter.value(call.args[0]!)
    const [separator, missing] = call.args.slice(1).map((arg) => emitter.value(arg, STRING).sql)
    const list = of.sql
    const write = {
      duckdb: () => {
        const filled = missing ? `list_transform(${list}, lambda e: coalesce(CAST(e AS VARCHAR), ${missing}))` : list
        return `array_to_string(${filled}, ${separator})`
      },
      clickhouse: () => {
        const text = toText({ sql: 'e', type: elementOf(of.type) })
        const texts = missing
          ? `arrayMap(e -> ifNull(${text}, ${missing}), ${elements(of)})`
          : `arrayMap(e -> assumeNotNull(${text}), arrayFilter(e -> isNotNull(e), ${elements(of)}))`
        return ifThere(list, `arrayStringConcat(${texts}, ${separator})`)
      },
      postgres: () => {
        const text = `CAST(${fromJson('e.v', elementOf(of.type))} AS text)`
        const value = missing ? `coalesce(${text}, ${missing})` : text
        return ofElements(list, `coalesce(string_agg(${value}, ${separator} ORDER BY e.o), '')`)
      },
    }
    return { sql: ofEngine(write, call, emitter)(), type: STRING }
  }),
  array_first: listed(1, element, {
    duckdb: ({ sql }) => `list_extract(${sql}, 1)`,
    clickhouse: (list) => `arrayElementOrNull(${elements(list)}, 1)`,
    postgres: (list) => memberOf(list.sql, '0', element(list)),
  }),
  array_last: listed(1, element, {
    duckdb: ({ sql }) => `list_extract(${sql}, -1)`,
    clickhouse: (list) => `arrayElementOrNull(${elements(list)}, -1)`,
    postgres: (list) => memberOf(list.sql, '-1', element(list)),
  }),
  array_slice: listed(3, same, {
    duckdb: ({ sql }, from, to) => `list_slice(${sql}, ${from} + 1, ${to} + 1)`,
    clickhouse: (list, from, to) =>
      remade(list, (array) => `arraySlice(${array}, ${from} + 1, greatest(${to} - ${from} + 1, 0))`),
    postgres: ({ sql }, from, to) =>
      ofElements(
        sql,
        `coalesce(jsonb_agg(e.v ORDER BY e.o) FILTER (WHERE e.o BETWEEN ${from} + 1 AND ${to} + 1), '[]')`,
      ),
  }),
  array_includes: special(2, (call, emitter) => {
    const [list, value] = call.args.map((arg) => emitter.value(arg))
    return { sql: emitter.dialect.contains(list!, value!), type: BOOL }
  }),
  array_is_distinct: listed(1, () => BOOL, {
    duckdb: ({ sql }) => `(len(${sql}) = list_unique(${sql}))`,
    postgres: ({ sql }) => ofElements(sql, 'count(*) = count(DISTINCT e.v)'),
    clickhouse: (list) => ifThere(list.sql, `length(${elements(list)}) = length(arrayDistinct(${elements(list)}))`),
  }),
  generate_array: special([2, 3], (call, emitter) => {
    const args = call.args.map((arg) => emitter.wide(arg, INT64))
    const list = args.map((arg) => arg.sql).join(', ')
    const numbers = args.every(({ type }) => type.kind === 'int64')
      ? list
      : args.map((arg) => `CAST(${arg.sql} AS numeric)`).join(', ')
    const write = {
      duckdb: () => `generate_series(${list})`,
      postgres: () => series(numbers, 'g.v'),
      clickhouse: () => {
        if (args.some(({ type }) => type.kind !== 'int64')) throw emitter.lacks(call.at, 'GENERATE_ARRAY of floats')
        const [from, to, step = 'toInt64(1)'] = args.map((arg) => arg.sql)
        return counted(from!, to!, step, 'toString(e)')
      },
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(args[0]!.type) }
  }),
  generate_date_array: special([2, 3], (call, emitter) => {
    const [from, to] = call.args.slice(0, 2).map((arg) => emitter.value(arg, DATE).sql)
    const step = call.args[2] ? emitter.value(call.args[2]).sql : null
    const write = {
      duckdb: () =>
        `CAST(generate_series(CAST(${from} AS TIMESTAMP), CAST(${to} AS TIMESTAMP), ${step ?? 'to_days(1)'}) AS DATE[])`,
      clickhouse: () => {
        const days = daysOf(call.args[2])
        if (days === null) throw emitter.lacks(call.at, 'GENERATE_DATE_ARRAY by other steps than days or weeks')
        const date = `(toDate32(${from}) + e)`
        const last = `dateDiff('day', toDate32(${from}), toDate32(${to}))`
        return counted('toInt64(0)', last, days, jsonOf({ sql: date, type: DATE }))
      },
      postgres: () =>
        series(
          `CAST(${from} AS timestamp), CAST(${to} AS timestamp), ${step ?? "interval '1 day'"}`,
          'CAST(CAST(g.v AS date) AS text)',
        ),
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(DATE) }
  }),
  generate_timestamp_array: special(3, (call, emitter) => {
    const [from, to] = call.args.slice(0, 2).map((arg) => emitter.value(arg, TIMESTAMP).sql)
    const step = emitter.value(call.args[2]!).sql
    const write = {
      duckdb: () => `generate_series(${from}, ${to}, ${step})`,
      clickhouse: () => {
        const start = emitter.dialect.time.micros(from!)
        const size = `(${emitter.dialect.time.micros(`(${from} + ${step})`)} - ${start})`
        return counted(start, emitter.dialect.time.micros(to!), size, 'toString(e)')
      },
      postgres: () =>
        series(
          `CAST(${from} AS timestamptz), CAST(${to} AS timestamptz), ${step}`,
          plain({ sql: 'g.v', type: TIMESTAMP }),
        ),
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(TIMESTAMP) }
  }),
}
