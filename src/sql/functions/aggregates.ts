import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Call, Expr } from '../tree.ts'
import { BOOL, FLOAT64, INT64, type ValueType } from '../value-types.ts'
import { written } from './grouped.ts'
import { aggregate, ofEngine, type Rule, type Rules } from './rule.ts'

function simple(name: string, returns: ValueType | 'same', count = 1): Rule {
  return aggregate(count, (call, emitter) => {
    const args = call.args.map((arg) => emitter.wide(arg))
    return {
      sql: written(name, call, emitter, { args: args.map((arg) => arg.sql) }),
      type: returns === 'same' ? args[0]!.type : returns,
    }
  })
}

/** A statistic in floating point; PostgreSQL would count whole numbers as decimals, and ClickHouse says NaN for too few. */
function statistic(name: string, count = 1): Rule {
  return aggregate(count, (call, emitter) => {
    const args = call.args.map((arg) => {
      const { sql } = emitter.wide(arg)
      return emitter.dialect.engine === 'postgres' ? `CAST(${sql} AS float8)` : sql
    })
    const sql = written(name, call, emitter, { args })
    const isClickhouse = emitter.dialect.engine === 'clickhouse'
    return { sql: isClickhouse ? `if(isNaN(${sql}), NULL, ${sql})` : sql, type: FLOAT64 }
  })
}

/** Adding up INT64 gives a wider number in the engines; GoogleSQL stays at INT64 and overflows with an error. */
function total(call: Call, emitter: Emitter): Emitted {
  const of = emitter.wide(call.args[0]!)
  const sql = written('sum', call, emitter, { args: [of.sql] })
  const isWide = of.type.kind === 'int64' && emitter.dialect.engine !== 'clickhouse'
  return { sql: isWide ? `CAST(${sql} AS BIGINT)` : sql, type: of.type }
}

/** The average of whole numbers is made of their exact sum. */
function average(call: Call, emitter: Emitter): Emitted {
  const of = emitter.wide(call.args[0]!)
  const sql = written('avg', call, emitter, { args: [of.sql] })
  return { sql: emitter.dialect.engine === 'postgres' ? `CAST(${sql} AS float8)` : sql, type: FLOAT64 }
}

/** PostgreSQL has no MIN and MAX of BOOL. */
const OF_BOOLS: Record<string, string> = { min: 'bool_and', max: 'bool_or' }

/** `MIN(x)`, `MAX(x)` and `ANY_VALUE(x)`, also as `ANY_VALUE(x HAVING MAX y)`. */
function most(name: 'min' | 'max' | 'any_value'): Rule {
  return aggregate(1, (call, emitter) => {
    const of = emitter.wide(call.args[0]!)
    const { having } = call
    if (having) return { sql: pick(call, of, having.value, having.most, emitter), type: of.type }
    const write = {
      duckdb: () => written(name, call, emitter, { args: [of.sql] }),
      clickhouse: () => written(name, call, emitter, { args: [of.sql] }),
      postgres: () => {
        if (name === 'any_value') return first(call, of, emitter, '')
        const own = of.type.kind === 'bool' ? OF_BOOLS[name]! : name
        return written(own, call, emitter, { args: [emitter.dialect.ordered(of)] })
      },
    }
    return { sql: ofEngine(write, call, emitter)(), type: of.type }
  })
}

/** The value in the row where another one is greatest or least. */
function by(isMost: boolean): Rule {
  return aggregate(2, (call, emitter) => {
    const of = emitter.wide(call.args[0]!)
    return { sql: pick(call, of, call.args[1]!, isMost, emitter), type: of.type }
  })
}

function pick(call: Call, of: Emitted, key: Expr, isMost: boolean, emitter: Emitter): string {
  const byKey = (): string => {
    const args = [of.sql, (call.having ? emitter.value(key) : emitter.wide(key)).sql]
    return written(isMost ? 'arg_max' : 'arg_min', call, emitter, { args })
  }
  const write = {
    duckdb: byKey,
    clickhouse: byKey,
    postgres: () => {
      if (call.over) throw emitter.lacks(call.at, `${call.name.toUpperCase()} of another value with OVER`)
      return first(
        call,
        of,
        emitter,
        `${emitter.dialect.ordered(emitter.value(key))} ${isMost ? 'DESC' : 'ASC'} NULLS LAST`,
      )
    },
  }
  return ofEngine(write, call, emitter)()
}

/** The first value that is there. */
const first = (call: Call, of: Emitted, emitter: Emitter, orderBy: string): string =>
  `(${written('array_agg', { ...call, distinct: false }, emitter, {
    ...{ args: [of.sql], filter: `${of.sql} IS NOT NULL`, orderBy },
  })})[1]`

export const aggregateFunctions: Rules = {
  count: aggregate([0, 1], (call, emitter) => {
    const args = call.star || call.args.length === 0 ? ['*'] : [emitter.value(call.args[0]!).sql]
    return { sql: written('count', call, emitter, { args }), type: INT64 }
  }),
  countif: aggregate(1, (call, emitter) => ({
    sql: written('count', { ...call, distinct: false }, emitter, {
      args: ['*'],
      filter: emitter.value(call.args[0]!, BOOL).sql,
    }),
    type: INT64,
  })),
  sum: aggregate(1, total),
  avg: aggregate(1, average),
  min: most('min'),
  max: most('max'),
  any_value: most('any_value'),
  max_by: by(true),
  min_by: by(false),
  logical_or: simple('bool_or', BOOL),
  logical_and: simple('bool_and', BOOL),
  bit_and: simple('bit_and', 'same'),
  bit_or: simple('bit_or', 'same'),
  bit_xor: simple('bit_xor', 'same'),
  stddev: statistic('stddev_samp'),
  stddev_samp: statistic('stddev_samp'),
  stddev_pop: statistic('stddev_pop'),
  variance: statistic('var_samp'),
  var_samp: statistic('var_samp'),
  var_pop: statistic('var_pop'),
  corr: statistic('corr', 2),
  covar_pop: statistic('covar_pop', 2),
  covar_samp: statistic('covar_samp', 2),
  approx_count_distinct: aggregate(1, (call, emitter) => {
    const of = emitter.wide(call.args[0]!).sql
    const write = {
      duckdb: () => written('approx_count_distinct', call, emitter, { args: [of] }),
      postgres: () => written('count', { ...call, distinct: true }, emitter, { args: [of] }),
      clickhouse: () => written('uniqExact', call, emitter, { args: [of] }),
    }
    return { sql: ofEngine(write, call, emitter)(), type: INT64 }
  }),
  grouping: simple('grouping', INT64),
}
