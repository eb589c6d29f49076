import type { Emitted } from '../emitted.ts'
import { type Emitter, wholeNumber } from '../emitter.ts'
import type { Call } from '../tree.ts'
import { arrayOf, BOOL, elementOf, FLOAT64, INT64, STRING, UNKNOWN, type ValueType } from '../value-types.ts'
import type { Rule, Rules } from './rule.ts'

function aggregate(least: number, most: number, emit: Rule['emit']): Rule {
  return { least, most, aggregate: true, window: false, emit }
}

type Parts = { args: string[]; filter?: string | undefined; orderBy?: string }

/** One engine aggregate with the call's DISTINCT, order and window. */
function written(name: string, call: Call, emitter: Emitter, { args, filter, orderBy }: Parts): string {
  const distinct = call.distinct ? 'DISTINCT ' : ''
  const order = orderBy ?? emitter.orders(call.orderBy)
  const ordered = order === '' ? '' : ` ORDER BY ${order}`
  const filtered = filter ? ` FILTER (WHERE ${filter})` : ''
  return `${name}(${distinct}${args.join(', ')}${ordered})${filtered}${emitter.over(call)}`
}

function simple(name: string, returns: ValueType | 'same', count = 1): Rule {
  return aggregate(count, count, (call, emitter) => {
    const args = call.args.map((arg) => emitter.wide(arg))
    return {
      sql: written(name, call, emitter, { args: args.map((arg) => arg.sql) }),
      type: returns === 'same' ? args[0]!.type : returns,
    }
  })
}

/** Adding up INT64 gives a wider number in the engine; GoogleSQL stays at INT64 and overflows with an error. */
function total(call: Call, emitter: Emitter): Emitted {
  const of = emitter.wide(call.args[0]!)
  const sql = written('sum', call, emitter, { args: [of.sql] })
  return of.type.kind === 'int64' ? { sql: `CAST(${sql} AS BIGINT)`, type: INT64 } : { sql, type: of.type }
}

function list(call: Call, emitter: Emitter): { sql: string; of: ValueType } {
  const of = emitter.wide(call.args[0]!)
  const filter = call.nulls === 'ignore' ? `${of.sql} IS NOT NULL` : undefined
  const sql = written('list', call, emitter, { args: [of.sql], filter })
  return { sql: call.limit ? `list_slice(${sql}, 1, ${emitter.value(call.limit, INT64).sql})` : sql, of: of.type }
}

const MOST_QUANTILES = 1000

function quantiles(call: Call, emitter: Emitter): Emitted {
  const of = emitter.wide(call.args[0]!)
  const count = wholeNumber(call.args[1]!)
  if (count === null || count < 1 || count > MOST_QUANTILES) {
    throw emitter.fail(call.at, `APPROX_QUANTILES needs a whole number from 1 to ${MOST_QUANTILES}`)
  }
  const shares = Array.from({ length: count + 1 }, (_, i) => String(i / count))
  return {
    sql: written('approx_quantile', call, emitter, { args: [of.sql, `[${shares.join(', ')}]`] }),
    type: arrayOf(of.type),
  }
}

/** One element of APPROX_QUANTILES: asking the engine for that one share is far cheaper than for a list of them. */
export function emitQuantile(call: Call, index: number, emitter: Emitter): Emitted | null {
  const count = call.args[1] ? wholeNumber(call.args[1]) : null
  if (call.args.length !== 2 || count === null || count < 1 || index < 0 || index > count) return null
  const of = emitter.wide(call.args[0]!)
  return { sql: written('approx_quantile', call, emitter, { args: [of.sql, String(index / count)] }), type: of.type }
}

function percentile(name: string): Rule {
  return aggregate(2, 2, (call, emitter) => {
    const [of, share] = call.args.map((arg) => emitter.value(arg, FLOAT64))
    return {
      sql: written(name, call, emitter, { args: [of!.sql, share!.sql] }),
      type: name === 'quantile_cont' ? FLOAT64 : of!.type,
    }
  })
}

function most(name: string): Rule {
  return aggregate(1, 1, (call, emitter) => {
    const of = emitter.wide(call.args[0]!)
    if (!call.having) return { sql: written(name, call, emitter, { args: [of.sql] }), type: of.type }
    const by = call.having.most ? 'arg_max' : 'arg_min'
    return { sql: written(by, call, emitter, { args: [of.sql, emitter.value(call.having.value).sql] }), type: of.type }
  })
}

const TOP = (of: ValueType): ValueType =>
  arrayOf({
    kind: 'struct',
    fields: [
      { name: 'value', type: of },
      { name: 'count', type: INT64 },
    ],
  })

export const aggregateFunctions: Rules = {
  count: aggregate(0, 1, (call, emitter) => {
    const args = call.star || call.args.length === 0 ? ['*'] : [emitter.value(call.args[0]!).sql]
    return { sql: written('count', call, emitter, { args }), type: INT64 }
  }),
  countif: aggregate(1, 1, (call, emitter) => ({
    sql: written('count', { ...call, distinct: false }, emitter, {
      args: ['*'],
      filter: emitter.value(call.args[0]!, BOOL).sql,
    }),
    type: INT64,
  })),
  sum: aggregate(1, 1, total),
  avg: simple('avg', FLOAT64),
  min: most('min'),
  max: most('max'),
  any_value: most('any_value'),
  max_by: simple('arg_max', 'same', 2),
  min_by: simple('arg_min', 'same', 2),
  logical_or: simple('bool_or', BOOL),
  logical_and: simple('bool_and', BOOL),
  bit_and: simple('bit_and', 'same'),
  bit_or: simple('bit_or', 'same'),
  bit_xor: simple('bit_xor', 'same'),
  stddev: simple('stddev_samp', FLOAT64),
  stddev_samp: simple('stddev_samp', FLOAT64),
  stddev_pop: simple('stddev_pop', FLOAT64),
  variance: simple('var_samp', FLOAT64),
  var_samp: simple('var_samp', FLOAT64),
  var_pop: simple('var_pop', FLOAT64),
  corr: simple('corr', FLOAT64, 2),
  covar_pop: simple('covar_pop', FLOAT64, 2),
  covar_samp: simple('covar_samp', FLOAT64, 2),
  approx_count_distinct: simple('approx_count_distinct', INT64),
  approx_quantiles: aggregate(2, 2, quantiles),
  approx_top_count: aggregate(2, 2, (call, emitter) => {
    const of = emitter.wide(call.args[0]!)
    return { sql: `bq_top_count(${of.sql}, ${emitter.value(call.args[1]!, INT64).sql})`, type: TOP(of.type) }
  }),
  percentile_cont: percentile('quantile_cont'),
  percentile_disc: percentile('quantile_disc'),
  array_agg: aggregate(1, 1, (call, emitter) => {
    const { sql, of } = list(call, emitter)
    return { sql, type: arrayOf(of) }
  }),
  array_concat_agg: aggregate(1, 1, (call, emitter) => {
    const { sql, of } = list(call, emitter)
    return { sql: `flatten(${sql})`, type: arrayOf(elementOf(of)) }
  }),
  string_agg: aggregate(1, 2, (call, emitter) => {
    const separator = call.args[1] ? emitter.value(call.args[1], STRING).sql : "','"
    if (call.limit) return { sql: `array_to_string(${list(call, emitter).sql}, ${separator})`, type: STRING }
    const of = emitter.value(call.args[0]!, STRING)
    return { sql: written('string_agg', call, emitter, { args: [of.sql, separator] }), type: STRING }
  }),
  grouping: simple('grouping', INT64),
}

function windowed(name: string, least: number, mostArgs: number, returns: ValueType | 'same'): Rule {
  const emit = (call: Call, emitter: Emitter): Emitted => {
    const args = call.args.map((arg) => emitter.wide(arg))
    const nulls = call.nulls === 'ignore' ? ' IGNORE NULLS' : ''
    const type = returns === 'same' ? (args[0]?.type ?? UNKNOWN) : returns
    return { sql: `${name}(${args.map((arg) => arg.sql).join(', ')}${nulls})${emitter.over(call)}`, type }
  }
  return { least, most: mostArgs, aggregate: false, window: true, emit }
}

export const windowFunctions: Rules = {
  row_number: windowed('row_number', 0, 0, INT64),
  rank: windowed('rank', 0, 0, INT64),
  dense_rank: windowed('dense_rank', 0, 0, INT64),
  percent_rank: windowed('percent_rank', 0, 0, FLOAT64),
  cume_dist: windowed('cume_dist', 0, 0, FLOAT64),
  ntile: windowed('ntile', 1, 1, INT64),
  lag: windowed('lag', 1, 3, 'same'),
  lead: windowed('lead', 1, 3, 'same'),
  first_value: windowed('first_value', 1, 1, 'same'),
  last_value: windowed('last_value', 1, 1, 'same'),
  nth_value: windowed('nth_value', 2, 2, 'same'),
}
