import { commonType, FLOAT64, INT64, UNKNOWN } from '../value-types.ts'
import { type Rules, sameAsFirst, scalar, special } from './rule.ts'

const float = (name: string, count = 1) => scalar(count, FLOAT64, FLOAT64, (...args) => `${name}(${args.join(', ')})`)
const zero = (test: string, otherwise: string) => `CASE WHEN ${test} = 0 THEN NULL ELSE ${otherwise} END`
const guarded = (operator: string) =>
  scalar(
    2,
    null,
    (args) => commonType(args.map((arg) => arg.type)),
    (x, y) => `TRY(${x} ${operator} ${y})`,
  )

/** NULL among the arguments makes the answer NULL; the engine's own functions would skip it. */
const extreme = (name: string) =>
  special([1, 100], (call, emitter) => {
    const args = call.args.map((arg) => emitter.wide(arg))
    const isNull = args.map((arg) => `${arg.sql} IS NULL`).join(' OR ')
    const type = commonType(args.map((arg) => arg.type))
    return { sql: `CASE WHEN ${isNull} THEN NULL ELSE ${name}(${args.map((arg) => arg.sql).join(', ')}) END`, type }
  })

export const numberFunctions: Rules = {
  abs: scalar(1, null, sameAsFirst, (x) => `abs(${x})`),
  sign: scalar(1, null, sameAsFirst, (x) => `sign(${x})`),
  ceil: float('ceil'),
  ceiling: float('ceil'),
  floor: float('floor'),
  round: special([1, 2], (call, emitter) => {
    const [x, digits] = call.args
    const of = emitter.value(x!, FLOAT64).sql
    return {
      sql: digits ? `round(${of}, CAST(${emitter.value(digits, INT64).sql} AS INTEGER))` : `round(${of})`,
      type: FLOAT64,
    }
  }),
  trunc: special([1, 2], (call, emitter) => {
    const [x, digits] = call.args
    const of = emitter.value(x!, FLOAT64).sql
    return { sql: digits ? `bq_trunc(${of}, ${emitter.value(digits, INT64).sql})` : `trunc(${of})`, type: FLOAT64 }
  }),
  pow: float('pow', 2),
  power: float('pow', 2),
  sqrt: float('sqrt'),
  cbrt: float('cbrt'),
  exp: float('exp'),
  ln: float('ln'),
  log: special([1, 2], (call, emitter) => {
    const [x, base] = call.args.map((arg) => emitter.value(arg, FLOAT64).sql)
    return { sql: base ? `(ln(${x}) / ln(${base}))` : `ln(${x})`, type: FLOAT64 }
  }),
  log10: float('log10'),
  log2: float('log2'),
  sin: float('sin'),
  cos: float('cos'),
  tan: float('tan'),
  asin: float('asin'),
  acos: float('acos'),
  atan: float('atan'),
  atan2: float('atan2', 2),
  rand: scalar(0, null, FLOAT64, () => 'random()'),
  is_nan: scalar(1, FLOAT64, { kind: 'bool' }, (x) => `isnan(${x})`),
  is_inf: scalar(1, FLOAT64, { kind: 'bool' }, (x) => `isinf(${x})`),
  div: scalar(2, INT64, INT64, (x, y) => `bq_div(${x}, ${y})`),
  mod: scalar(
    2,
    null,
    (args) => commonType(args.map((arg) => arg.type)),
    (x, y) => `bq_mod(${x}, ${y})`,
  ),
  safe_divide: scalar(2, FLOAT64, FLOAT64, (x, y) => zero(y!, `${x} / ${y}`)),
  ieee_divide: scalar(2, FLOAT64, FLOAT64, (x, y) => `(${x} / ${y})`),
  safe_add: guarded('+'),
  safe_subtract: guarded('-'),
  safe_multiply: guarded('*'),
  safe_negate: scalar(1, null, sameAsFirst, (x) => `TRY(- ${x})`),
  greatest: extreme('greatest'),
  least: extreme('least'),
  bit_count: scalar(1, INT64, INT64, (x) => `bit_count(${x})`),
  range_bucket: scalar(2, null, INT64, (x, list) => `len(list_filter(${list}, lambda b: b <= ${x}))`),
  error: scalar(1, null, UNKNOWN, (x) => `error(${x})`),
}
