/**
 * Many filters about one event. Each path is looked up once per event, by whoever holds the event, and every filter
 * asks the values found: a hundred rules cost a hundred comparisons, not a hundred walks through the event.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import { type Claim, compileFilter } from './match.ts'
import type { Test } from './operators/operator.ts'
import type { Filter } from './query.ts'
import { createZone } from './time/zone.ts'

export type FilterSet = {
  /** What the filters look at. */
  readonly paths: readonly string[]
  /** Whether a filter is true of an event; `values` are what it has at each path, as `valuesAt` gives them. */
  isTrue(filter: number, values: readonly unknown[]): boolean
}

type Values = readonly unknown[]

/** `null` is true of every event. Times without an offset are in UTC; relative ones move on with the clock. */
export function createFilterSet(filters: readonly (Filter | null)[], clock: Clock = systemClock): FilterSet {
  const paths: string[] = []
  const when = { nowMs: () => clock.nowMs(), zone: createZone('UTC') }

  function reach(path: string, test: Test): Claim<Values> {
    // Names are found whatever their case, so such paths are one.
    const known = paths.findIndex((other) => other.toLowerCase() === path.toLowerCase())
    const slot = known < 0 ? paths.push(path) - 1 : known
    return (values) => {
      const value = values[slot]
      return typeof value === 'object' && Array.isArray(value) ? value.some(test) : test(value)
    }
  }

  const claims = filters.map((filter) => (filter === null ? () => true : compileFilter(filter, when, reach)))
  return { paths, isTrue: (filter, values) => claims[filter]!(values) }
}
