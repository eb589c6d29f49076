/**
 * Many filters about one event. Each path is looked up once per event, by whoever holds the event, and every filter
 * asks the values found. A part of a filter that needs a field to equal something is only asked when it does: such
 * parts are found by the value, so a hundred rules for a hundred services cost about as much as one.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import { type Claim, compileFilter } from './match.ts'
import { keysOf } from './operators/equals.ts'
import type { Test } from './operators/operator.ts'
import type { Equals, Filter } from './query.ts'
import { createZone } from './time/zone.ts'

export type FilterSet = {
  /** What the filters look at. */
  readonly paths: readonly string[]
  /**
   * Replaces what is in `hits` by the numbers of the filters that are true of an event, each once, in no order;
   * `values` are what it has at each path, as `valuesAt` gives them, with numbers as numbers (bigints only where a
   * number would not be exact).
   */
  match(values: readonly unknown[], hits: number[]): void
}

type Values = readonly unknown[]

/** One of the ways in which a filter can be true. */
type Way = { filter: number; isTrue: Claim<Values> }

/** Times without an offset are in UTC; relative ones move on with the clock. */
export function createFilterSet(filters: readonly Filter[], clock: Clock = systemClock): FilterSet {
  const paths: string[] = []
  const when = { nowMs: () => clock.nowMs(), zone: createZone('UTC') }
  /** By slot: the ways that need this value there. */
  const keyed = new Map<number, Map<unknown, Way[]>>()
  const others: Way[] = []

  function slotOf(path: string): number {
    // Names are found whatever their case, so such paths are one.
    const known = paths.findIndex((other) => other.toLowerCase() === path.toLowerCase())
    return known < 0 ? paths.push(path) - 1 : known
  }

  function reach(path: string, test: Test): Claim<Values> {
    const slot = slotOf(path)
    return (values) => {
      const value = values[slot]
      return typeof value === 'object' && Array.isArray(value) ? value.some((one) => test(one)) : test(value)
    }
  }

  function add(way: Way, { path }: Equals, keys: readonly unknown[]): void {
    const slot = slotOf(path)
    const ways = keyed.get(slot) ?? new Map<unknown, Way[]>()
    keyed.set(slot, ways)
    for (const key of keys) ways.set(key, [...(ways.get(key) ?? []), way])
  }

  filters.forEach((filter, number) => {
    for (const part of filter.op === 'any' ? filter.of : [filter]) {
      const way = { filter: number, isTrue: compileFilter(part, when, reach) }
      const clause = equalityOf(part)
      const keys = clause && keysOf(clause.value.text)
      if (clause && keys) add(way, clause, keys)
      else others.push(way)
    }
  })

  const byValue = [...keyed].map(([slot, ways]) => ({ slot, ways }))
  const hitIn = new Float64Array(filters.length)
  let round = 0

  function ask(ways: readonly Way[] | undefined, values: Values, hits: number[]): void {
    if (ways === undefined) return
    for (let i = 0; i < ways.length; i++) {
      const { filter, isTrue } = ways[i]!
      if (hitIn[filter] === round || !isTrue(values)) continue
      hitIn[filter] = round
      hits.push(filter)
    }
  }

  return {
    paths,
    match(values, hits) {
      hits.length = 0
      round++
      for (const { slot, ways } of byValue) {
        const value = values[slot]
        if (Array.isArray(value)) for (const one of value) ask(ways.get(one), values, hits)
        else if (value !== undefined) ask(ways.get(value), values, hits)
      }
      ask(others, values, hits)
    },
  }
}

/** A clause without which the filter cannot be true, and which names the value it needs. */
function equalityOf(filter: Filter): Equals | null {
  if (filter.op === 'equals') return filter
  if (filter.op !== 'all') return null
  for (const part of filter.of) if (part.op === 'equals') return part
  return null
}
