import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'
import { FLOAT64, INT64, UNKNOWN, type ValueType } from '../value-types.ts'
import type { Rule, Rules } from './rule.ts'

/** `counts`: the argument that says how many rows; PostgreSQL takes a short number there. */
function windowed(
  name: string,
  [least, most]: [number, number],
  returns: ValueType | 'same',
  counts: number | null = null,
): Rule {
  const emit = (call: Call, emitter: Emitter): Emitted => {
    const isPostgres = emitter.dialect.engine === 'postgres'
    if (emitter.dialect.engine === 'clickhouse') return onClickhouse(name, returns, call, emitter)
    const args = call.args.map((arg) => emitter.wide(arg))
    if (isPostgres && call.nulls === 'ignore') return { sql: there(name, args, call, emitter), type: args[0]!.type }
    const texts = args.map(({ sql }, i) => (isPostgres && i === counts ? `CAST(${sql} AS integer)` : sql))
    const nulls = call.nulls === 'ignore' ? ' IGNORE NULLS' : ''
    const type = returns === 'same' ? (args[0]?.type ?? UNKNOWN) : returns
    return { sql: `${name}(${texts.join(', ')}${nulls})${emitter.over(call)}`, type }
  }
  return { least, most, aggregate: false, window: true, emit }
}

const OF_FRAMES = new Set(['first_value', 'last_value'])

/** ClickHouse leaves NULLs out unless it is told otherwise, and gives an empty value instead of NULL unless the type has NULL. */
function onClickhouse(name: string, returns: ValueType | 'same', call: Call, emitter: Emitter): Emitted {
  const isIgnoring = call.nulls === 'ignore'
  const isOfFrame = OF_FRAMES.has(name)
  if (isIgnoring && !isOfFrame) throw emitter.lacks(call.at, `${name.toUpperCase()} with IGNORE NULLS`)
  const args = call.args.map((arg, i) => (i === 1 || name === 'ntile' ? emitter.value(arg) : emitter.wide(arg)))
  const isFloat = args[0]?.type.kind === 'float64'
  const texts = args.map(({ sql, type }, i) => {
    const value = isFloat && i === 2 && type.kind === 'int64' ? `toFloat64(${sql})` : sql
    return returns === 'same' && i !== 1 ? `toNullable(${value})` : value
  })
  const nulls = isOfFrame ? ` ${isIgnoring ? 'IGNORE' : 'RESPECT'} NULLS` : ''
  const type = returns === 'same' ? (args[0]?.type ?? UNKNOWN) : returns
  return { sql: `${name}(${texts.join(', ')})${nulls}${emitter.over(call)}`, type }
}

/** PostgreSQL has no IGNORE NULLS, but lists of the values of a frame that are there. */
function there(name: string, [of, count]: Emitted[], call: Call, emitter: Emitter): string {
  const all = `(array_agg(${of!.sql}) FILTER (WHERE ${of!.sql} IS NOT NULL)${emitter.over(call)})`
  if (name === 'first_value') return `${all}[1]`
  if (name === 'last_value') return `${all}[cardinality(${all})]`
  if (name === 'nth_value') return `${all}[CAST(${count!.sql} AS integer)]`
  throw emitter.lacks(call.at, `${name.toUpperCase()} with IGNORE NULLS`)
}

export const windowFunctions: Rules = {
  row_number: windowed('row_number', [0, 0], INT64),
  rank: windowed('rank', [0, 0], INT64),
  dense_rank: windowed('dense_rank', [0, 0], INT64),
  percent_rank: windowed('percent_rank', [0, 0], FLOAT64),
  cume_dist: windowed('cume_dist', [0, 0], FLOAT64),
  ntile: windowed('ntile', [1, 1], INT64, 0),
  lag: windowed('lag', [1, 3], 'same', 1),
  lead: windowed('lead', [1, 3], 'same', 1),
  first_value: windowed('first_value', [1, 1], 'same'),
  last_value: windowed('last_value', [1, 1], 'same'),
  nth_value: windowed('nth_value', [2, 2], 'same', 1),
}
