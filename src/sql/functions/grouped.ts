import type { Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'

type Parts = { args: string[]; filter?: string | undefined; orderBy?: string | undefined }

/** ClickHouse's own names; of nothing an aggregate is NULL there only when it is told so. */
const CLICKHOUSE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sum: 'sumOrNull',
    avg: 'avgOrNull',
    min: 'minOrNull',
    max: 'maxOrNull',
    any_value: 'anyOrNull',
    arg_max: 'argMaxOrNull',
    arg_min: 'argMinOrNull',
    bool_or: 'maxOrNull',
    bool_and: 'minOrNull',
    bit_and: 'groupBitAndOrNull',
    bit_or: 'groupBitOrOrNull',
    bit_xor: 'groupBitXorOrNull',
    stddev_samp: 'stddevSampOrNull',
    stddev_pop: 'stddevPopOrNull',
    var_samp: 'varSampOrNull',
    var_pop: 'varPopOrNull',
    corr: 'corrOrNull',
    covar_pop: 'covarPopOrNull',
    covar_samp: 'covarSampOrNull',
  }),
)

/** One engine aggregate with the call's DISTINCT, order and window. */
export function written(name: string, call: Call, emitter: Emitter, { args, filter, orderBy }: Parts): string {
  const distinct = call.distinct ? 'DISTINCT ' : ''
  const order = orderBy ?? emitter.orders(call.orderBy)
  const ordered = order === '' ? '' : ` ORDER BY ${order}`
  const filtered = filter ? ` FILTER (WHERE ${filter})` : ''
  const own = emitter.dialect.engine === 'clickhouse' ? (CLICKHOUSE.get(name) ?? name) : name
  return `${own}(${distinct}${args.join(', ')}${ordered})${filtered}${emitter.over(call)}`
}
