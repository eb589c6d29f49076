import type { Emitter } from '../../emitter.ts'
import { written } from '../../functions/grouped.ts'
import type { Call } from '../../tree.ts'
import { INT64, type ValueType } from '../../value-types.ts'
import { micros } from './nested.ts'

/**
 * The values of a group as an array, in the order that the call asks for and as many as it takes. The engine's aggregates
 * have no ORDER BY, so values are collected with what they are ordered by. `value` must not be NULL.
 */
export function collected(call: Call, value: string, filter: string | undefined, emitter: Emitter): string {
  const { orderBy } = call
  const keys = orderBy.map((order) => ({ order, ...emitter.value(order.value) }))
  // One direction for all: numbers and times of the other one are turned around.
  const isDescending = (keys.find(({ type }) => !TURNED.has(type.kind)) ?? keys[0])?.order.descending ?? false
  const parts = keys.flatMap(({ order, sql, type }) => {
    const turn = order.descending === isDescending ? null : TURNED.get(type.kind)
    if (turn === undefined) throw emitter.lacks(call.at, `${call.name.toUpperCase()} ordered in both directions`)
    const isNullFirst = order.nulls === null ? !order.descending : order.nulls === 'first'
    const isThere = isNullFirst === !isDescending ? 'isNotNull' : 'isNull'
    return [`${isThere}(${sql})`, `toNullable(${turn ? turn(sql) : sql})`]
  })
  const all = written('groupArray', { ...call, orderBy: [] }, emitter, {
    args: [`tuple(${[value, ...parts].join(', ')})`],
    filter,
  })
  const key = `tuple(${parts.map((_, i) => `e.${i + 2}`).join(', ')})`
  const ordered = orderBy.length > 0 ? `${isDescending ? 'arrayReverseSort' : 'arraySort'}(e -> ${key}, ${all})` : all
  const values = `arrayMap(e -> e.1, ${ordered})`
  return call.limit ? `arraySlice(${values}, 1, ${emitter.value(call.limit, INT64).sql})` : values
}

/** What orders as the value does, the other way round. */
const TURNED: ReadonlyMap<ValueType['kind'], (sql: string) => string> = new Map([
  ['int64', (sql: string) => `(- ${sql})`],
  ['float64', (sql: string) => `(- ${sql})`],
  ['timestamp', (sql: string) => `(- ${micros(sql)})`],
  ['datetime', (sql: string) => `(- ${micros(sql)})`],
])
