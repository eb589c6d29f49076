import { jsonOf, listOf } from '../dialects/clickhouse/nested.ts'
import { plain } from '../dialects/postgres/json.ts'
import type { Emitted } from '../emitted.ts'
import { type Emitter, wholeNumber } from '../emitter.ts'
import type { Call, Window } from '../tree.ts'
import { arrayOf, FLOAT64 } from '../value-types.ts'
import { written } from './grouped.ts'
import { aggregate, ofEngine, type Rule, type Rules } from './rule.ts'

const MOST_QUANTILES = 1000

/** PostgreSQL's own form of an aggregate over ordered values. */
const within = (name: string, share: string, ordered: string): string =>
  `${name}(${share}) WITHIN GROUP (ORDER BY ${ordered})`

function quantiles(call: Call, emitter: Emitter): Emitted {
  const of = emitter.wide(call.args[0]!)
  const count = wholeNumber(call.args[1]!)
  if (count === null || count < 1 || count > MOST_QUANTILES) {
    throw emitter.fail(call.at, `APPROX_QUANTILES needs a whole number from 1 to ${MOST_QUANTILES}`)
  }
  const shares = Array.from({ length: count + 1 }, (_, i) => String(i / count)).join(', ')
  const write = {
    duckdb: () => written('approx_quantile', call, emitter, { args: [of.sql, `[${shares}]`] }),
    clickhouse: () => {
      const all = inOrder(of.sql, call, emitter)
      const json = jsonOf({ sql: atShare(all, 'share'), type: of.type })
      return `if(empty(${all}), NULL, ${listOf(`arrayMap(share -> ${json}, [${shares}])`)})`
    },
    postgres: () => {
      plainly(call, emitter)
      return `to_jsonb(${within('percentile_disc', `ARRAY[${shares}]::float8[]`, plain(of))})`
    },
  }
  return { sql: ofEngine(write, call, emitter)(), type: arrayOf(of.type) }
}

/** One element of APPROX_QUANTILES: asking the engine for that one share is far cheaper than for a list of them. */
export function emitQuantile(call: Call, index: number, emitter: Emitter): Emitted | null {
  const count = call.args[1] ? wholeNumber(call.args[1]) : null
  if (call.args.length !== 2 || count === null || count < 1 || index < 0 || index > count) return null
  const of = emitter.wide(call.args[0]!)
  const share = String(index / count)
  const write = {
    duckdb: () => written('approx_quantile', call, emitter, { args: [of.sql, share] }),
    clickhouse: () => leastAbove(of.sql, share, call, emitter),
    postgres: () => {
      plainly(call, emitter)
      return within('percentile_disc', share, emitter.dialect.ordered(of))
    },
  }
  return { sql: ofEngine(write, call, emitter)(), type: of.type }
}

function plainly(call: Call, emitter: Emitter): void {
  if (call.over || call.distinct) throw emitter.lacks(call.at, `${call.name.toUpperCase()} with OVER or DISTINCT`)
}

function percentile(duckdb: string, postgres: 'percentile_cont' | 'percentile_disc'): Rule {
  return aggregate(2, (call, emitter) => {
    const [of, share] = call.args.map((arg) => emitter.value(arg, FLOAT64))
    const write = {
      duckdb: () => written(duckdb, call, emitter, { args: [of!.sql, share!.sql] }),
      clickhouse: () =>
        postgres === 'percentile_disc'
          ? leastAbove(of!.sql, share!.sql, call, emitter)
          : written(`quantileExactInclusiveOrNull(${shareOf(call, emitter)})`, call, emitter, {
              args: [`toFloat64(${of!.sql})`],
            }),
      postgres: () => {
        const value = postgres === 'percentile_cont' ? `CAST(${of!.sql} AS float8)` : emitter.dialect.ordered(of!)
        if (call.over) return overWindow(postgres, call, emitter, { value, share: share!.sql })
        return within(postgres, `CAST(${share!.sql} AS float8)`, value)
      },
    }
    return { sql: ofEngine(write, call, emitter)(), type: postgres === 'percentile_cont' ? FLOAT64 : of!.type }
  })
}

/** ClickHouse: the values of a group in their order, and the least one that as large a share of them does not exceed. */
const inOrder = (value: string, call: Call, emitter: Emitter): string =>
  `arraySort(${written('groupArray', call, emitter, { args: [value] })})`
const atShare = (all: string, share: string): string => `${all}[greatest(toUInt64(ceil(${share} * length(${all}))), 1)]`

function leastAbove(value: string, share: string, call: Call, emitter: Emitter): string {
  const all = inOrder(value, call, emitter)
  return `if(empty(${all}), NULL, ${atShare(all, share)})`
}

/** The engine takes nothing but a number there. */
function shareOf(call: Call, emitter: Emitter): string {
  const [, share] = call.args
  if (share?.kind !== 'number') throw emitter.lacks(share?.at ?? call.at, 'a percentile that is no number')
  return share.text
}

/** PostgreSQL has no such function over a window, but an ordered list of its values to take the right ones from. */
function overWindow(
  name: string,
  call: Call,
  emitter: Emitter,
  { value, share }: { value: string; share: string },
): string {
  const over: Window = {
    ...call.over!,
    orderBy: [{ value: call.args[0]!, descending: false, nulls: 'last' }],
    frame: {
      unit: 'rows',
      from: { kind: 'unbounded', value: null, side: 'preceding' },
      to: { kind: 'unbounded', value: null, side: 'following' },
    },
  }
  const all = `(array_agg(${value}) FILTER (WHERE ${value} IS NOT NULL)${emitter.over({ ...call, over })})`
  const at = (position: string): string => `${all}[CAST(${position} AS integer)]`
  if (name === 'percentile_disc') return at(`greatest(ceil(${share} * cardinality(${all})), 1)`)
  const exact = `(${share} * (cardinality(${all}) - 1))`
  const [low, high] = [at(`floor(${exact}) + 1`), at(`ceil(${exact}) + 1`)]
  return `(${low} + (${high} - ${low}) * (${exact} - floor(${exact})))`
}

export const quantileFunctions: Rules = {
  approx_quantiles: aggregate(2, quantiles),
  percentile_cont: percentile('quantile_cont', 'percentile_cont'),
  percentile_disc: percentile('quantile_disc', 'percentile_disc'),
}
