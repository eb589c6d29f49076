import { rounded as roundedAway } from '../dialects/clickhouse/casts.ts'
import { elements } from '../dialects/clickhouse/nested.ts'
import { isInt64, rounded } from '../dialects/postgres/casts.ts'
import { fromJson } from '../dialects/postgres/json.ts'
import type { Emitted } from '../emitted.ts'
import { BOOL, commonType, elementOf, FLOAT64, INT64, UNKNOWN, type ValueType } from '../value-types.ts'
import { emitAlike } from './alike.ts'
import { ofEngine, type Rules, sameAsFirst, scalar, special } from './rule.ts'

const float = (name: string, count = 1, postgres = name) =>
  scalar(count, FLOAT64, FLOAT64, {
    duckdb: (...args) => `${name}(${args.join(', ')})`,
    postgres: (...args) => `${postgres}(${args.map(double).join(', ')})`,
    clickhouse: (...args) => `${name}(${args.map((x) => `toFloat64(${x})`).join(', ')})`,
  })
const double = (x: string): string => `CAST(${x} AS float8)`
const zero = (test: string, otherwise: string) => `CASE WHEN ${test} = 0 THEN NULL ELSE ${otherwise} END`
const common = (args: Emitted[]): ValueType => commonType(args.map((arg) => arg.type))

/** NULL where the result would not fit. */
const guarded = (operator: string) =>
  special(2, {
    duckdb: (call, emitter) => {
      const [x, y] = call.args.map((arg) => emitter.value(arg))
      return { sql: `TRY(${x!.sql} ${operator} ${y!.sql})`, type: common([x!, y!]) }
    },
    clickhouse: (call, emitter) => {
      const [x, y] = call.args.map((arg) => emitter.wide(arg))
      const type = common([x!, y!])
      if (type.kind !== 'int64') return { sql: `(${x!.sql} ${operator} ${y!.sql})`, type }
      return { sql: guardedWide(operator, x!.sql, y!.sql), type }
    },
    postgres: (call, emitter) => {
      const [x, y] = call.args.map((arg) => emitter.wide(arg))
      const type = common([x!, y!])
      const plain = `${x!.sql} ${operator} ${y!.sql}`
      if (type.kind !== 'int64') return { sql: `(${plain})`, type }
      return { sql: `CASE WHEN ${isInt64(`CAST(${x!.sql} AS numeric) ${operator} ${y!.sql}`)} THEN ${plain} END`, type }
    },
  })

/** In twice the width, as ClickHouse lets whole numbers run over. */
const guardedWide = (operator: string, x: string, y: string): string =>
  `if(${isInt64(`(toInt128(${x}) ${operator} toInt128(${y}))`)}, ${x} ${operator} ${y}, NULL)`

/** NULL among the arguments makes the answer NULL; the engines' own functions would skip it. */
const extreme = (name: string) =>
  special([1, 100], (call, emitter) => {
    const isClickhouse = emitter.dialect.engine === 'clickhouse'
    const args = isClickhouse ? emitAlike(call.args, emitter) : call.args.map((arg) => emitter.wide(arg))
    const isNull = args.map((arg) => `${arg.sql} IS NULL`).join(' OR ')
    const values = args.map((arg) => emitter.dialect.ordered(arg))
    return { sql: `CASE WHEN ${isNull} THEN NULL ELSE ${name}(${values.join(', ')}) END`, type: common(args) }
  })

export const numberFunctions: Rules = {
  abs: scalar(1, null, sameAsFirst, (x) => `abs(${x})`),
  sign: scalar(1, null, sameAsFirst, {
    duckdb: (x) => `sign(${x})`,
    postgres: (x) => `CAST(sign(${x}) AS bigint)`,
    clickhouse: (x) => `sign(${x})`,
  }),
  ceil: float('ceil'),
  ceiling: float('ceil'),
  floor: float('floor'),
  round: special([1, 2], (call, emitter) => {
    const [x, digits] = call.args
    const of = emitter.value(x!, FLOAT64).sql
    const places = digits ? emitter.value(digits, INT64).sql : null
    const write = {
      duckdb: () => (places ? `round(${of}, CAST(${places} AS INTEGER))` : `round(${of})`),
      clickhouse: () => (places ? scaledFloat(roundedAway, of, places) : roundedAway(`toFloat64(${of})`)),
      postgres: () => (places ? scaled(rounded, of, places) : rounded(double(of))),
    }
    return { sql: ofEngine(write, call, emitter)(), type: FLOAT64 }
  }),
  trunc: special([1, 2], (call, emitter) => {
    const [x, digits] = call.args
    const of = emitter.value(x!, FLOAT64).sql
    const places = digits ? emitter.value(digits, INT64).sql : null
    const write = {
      duckdb: () => (places ? `bq_trunc(${of}, ${places})` : `trunc(${of})`),
      clickhouse: () => (places ? scaledFloat((y) => `trunc(${y})`, of, places) : `trunc(toFloat64(${of}))`),
      postgres: () => (places ? scaled((y) => `trunc(${y})`, of, places) : `trunc(${double(of)})`),
    }
    return { sql: ofEngine(write, call, emitter)(), type: FLOAT64 }
  }),
  pow: float('pow', 2, 'power'),
  power: float('pow', 2, 'power'),
  sqrt: float('sqrt'),
  cbrt: float('cbrt'),
  exp: float('exp'),
  ln: float('ln'),
  log: special([1, 2], (call, emitter) => {
    const [x, base] = call.args.map((arg) => {
      const { sql } = emitter.value(arg, FLOAT64)
      return emitter.dialect.engine === 'postgres' ? double(sql) : sql
    })
    return { sql: base ? `(ln(${x}) / ln(${base}))` : `ln(${x})`, type: FLOAT64 }
  }),
  log10: float('log10'),
  log2: scalar(1, FLOAT64, FLOAT64, {
    duckdb: (x) => `log2(${x})`,
    clickhouse: (x) => `log2(${x})`,
    postgres: (x) => `CAST(log(2, CAST(${x} AS numeric)) AS float8)`,
  }),
  sin: float('sin'),
  cos: float('cos'),
  tan: float('tan'),
  asin: float('asin'),
  acos: float('acos'),
  atan: float('atan'),
  atan2: float('atan2', 2),
  rand: scalar(0, null, FLOAT64, {
    duckdb: () => 'random()',
    postgres: () => 'random()',
    clickhouse: () => 'randCanonical()',
  }),
  is_nan: scalar(1, FLOAT64, BOOL, {
    duckdb: (x) => `isnan(${x})`,
    clickhouse: (x) => `isNaN(${x})`,
    postgres: (x) => `(${double(x!)} = 'NaN'::float8)`,
  }),
  is_inf: scalar(1, FLOAT64, BOOL, {
    duckdb: (x) => `isinf(${x})`,
    clickhouse: (x) => `isInfinite(${x})`,
    postgres: (x) => `(abs(${double(x!)}) = 'Infinity'::float8)`,
  }),
  div: scalar(2, INT64, INT64, {
    duckdb: (x, y) => `bq_div(${x}, ${y})`,
    postgres: (x, y) => `(${x} / ${y})`,
    clickhouse: (x, y) => `intDiv(${x}, ${y})`,
  }),
  mod: scalar(2, null, common, {
    duckdb: (x, y) => `bq_mod(${x}, ${y})`,
    postgres: (x, y) => `(${x} % ${y})`,
    clickhouse: (x, y) => `(${x} % ${y})`,
  }),
  safe_divide: scalar(2, FLOAT64, FLOAT64, {
    duckdb: (x, y) => zero(y!, `${x} / ${y}`),
    clickhouse: (x, y) => zero(y!, `${x} / ${y}`),
    postgres: (x, y) => zero(y!, `${double(x!)} / ${double(y!)}`),
  }),
  ieee_divide: scalar(2, FLOAT64, FLOAT64, {
    duckdb: (x, y) => `(${x} / ${y})`,
    clickhouse: (x, y) => `(${x} / ${y})`,
    postgres: (x, y) => {
      const byZero = `CASE WHEN ${x} > 0 THEN 'Infinity'::float8 WHEN ${x} < 0 THEN '-Infinity' WHEN ${x} = 0 THEN 'NaN' END`
      return `CASE WHEN ${y} = 0 THEN ${byZero} ELSE ${double(x!)} / ${double(y!)} END`
    },
  }),
  safe_add: guarded('+'),
  safe_subtract: guarded('-'),
  safe_multiply: guarded('*'),
  safe_negate: scalar(1, null, sameAsFirst, {
    duckdb: (x) => `TRY(- ${x})`,
    clickhouse: (x) => `CASE WHEN ${x} > -9223372036854775808 THEN - ${x} END`,
    postgres: (x) => `CASE WHEN ${x} > -9223372036854775808 THEN - ${x} END`,
  }),
  greatest: extreme('greatest'),
  least: extreme('least'),
  bit_count: scalar(1, INT64, INT64, {
    duckdb: (x) => `bit_count(${x})`,
    clickhouse: (x) => `bitCount(toInt64(${x}))`,
    postgres: (x) => `bit_count(CAST(CAST(${x} AS bigint) AS bit(64)))`,
  }),
  range_bucket: special(2, (call, emitter) => {
    const [x, list] = call.args.map((arg) => emitter.value(arg))
    const write = {
      duckdb: () => `len(list_filter(${list!.sql}, lambda b: b <= ${x!.sql}))`,
      clickhouse: () => `arrayCount(e -> e <= ${x!.sql}, ${elements(list!)})`,
      postgres: () =>
        `(SELECT count(*) FROM jsonb_array_elements(${list!.sql}) AS b(v) WHERE ${fromJson('b.v', elementOf(list!.type))} <= ${x!.sql})`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: INT64 }
  }),
  error: scalar(1, null, UNKNOWN, {
    duckdb: (x) => `error(${x})`,
    clickhouse: (x) => `throwIf(TRUE, ${x})`,
    // Typed by nothing, it would be text; a number is what it mostly stands for.
    postgres: (x) => `CAST(pg_temp.bq_error(${x}) AS bigint)`,
  }),
}

const scaledFloat = (write: (x: string) => string, of: string, places: string): string =>
  `(${write(`(toFloat64(${of}) * exp10(${places}))`)} / exp10(${places}))`

const scaled = (write: (x: string) => string, of: string, places: string): string =>
  `(${write(`(${double(of)} * power(10::float8, ${places}))`)} / power(10::float8, ${places}))`
