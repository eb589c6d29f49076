import type { Emitter } from '../../emitter.ts'
import { written } from '../../functions/grouped.ts'
import type { Call, Order } from '../../tree.ts'
import { INT64 } from '../../value-types.ts'

/**
 * The values of a group as an array, in the order that the call asks for and as many as it takes. The engine's aggregates
 * have no ORDER BY, so values are collected with what they are ordered by. `value` must not be NULL.
 */
export function collected(call: Call, value: string, filter: string | undefined, emitter: Emitter): string {
  const { orderBy } = call
  const keys = orderBy.flatMap((order) => {
    const key = emitter.dialect.ordered(emitter.value(order.value))
    return [isFirst(order) ? `isNotNull(${key})` : `isNull(${key})`, `toNullable(${key})`]
  })
  const all = written('groupArray', { ...call, orderBy: [] }, emitter, {
    args: [`tuple(${[value, ...keys].join(', ')})`],
    filter,
  })
  const key = `tuple(${keys.map((_, i) => `e.${i + 2}`).join(', ')})`
  const ordered = orderBy.length > 0 ? `${sorter(call, orderBy, emitter)}(e -> ${key}, ${all})` : all
  const values = `arrayMap(e -> e.1, ${ordered})`
  return call.limit ? `arraySlice(${values}, 1, ${emitter.value(call.limit, INT64).sql})` : values
}

/** Whether NULLs stand where the least value does, in the direction of the order. */
function isFirst({ nulls, descending }: Order): boolean {
  if (nulls === null) return true
  return descending ? nulls === 'last' : nulls === 'first'
}

function sorter(call: Call, orderBy: Order[], emitter: Emitter): string {
  if (orderBy.every(({ descending }) => !descending)) return 'arraySort'
  if (orderBy.every(({ descending }) => descending)) return 'arrayReverseSort'
  throw emitter.lacks(call.at, `${call.name.toUpperCase()} ordered in both directions`)
}
