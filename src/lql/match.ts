/**
 * A query as a function of one event, for rules, drop filters and live tail. It is built once per query; matching an
 * event allocates nothing of its own.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import type { Test } from './operators/operator.ts'
import { operatorOf } from './operators/operator-of.ts'
import type { Filter, Query } from './query.ts'
import type { When } from './time/interval.ts'
import { createZone } from './time/zone.ts'
import { memberOf } from './values.ts'

/** See `values.ts` for what an event may be made of. */
export type Matcher = (event: object) => boolean

export type MatchOptions = {
  /** Read when an event is matched, so that `last@5m` in a rule moves on with the time. */
  clock?: Clock
  /** For times without an offset; UTC unless given. */
  timeZone?: string
}

export function createMatcher(query: Query, { clock = systemClock, timeZone = 'UTC' }: MatchOptions = {}): Matcher {
  if (!query.filter) return () => true
  return matcherOf(query.filter, { nowMs: () => clock.nowMs(), zone: createZone(timeZone) })
}

function matcherOf(filter: Filter, when: When): Matcher {
  switch (filter.op) {
    case 'all':
      return every(filter.of.map((part) => matcherOf(part, when)))
    case 'any':
      return some(filter.of.map((part) => matcherOf(part, when)))
    case 'not': {
      const matches = matcherOf(filter.of, when)
      return (event) => !matches(event)
    }
    default:
      return reach(filter.path.split('.'), operatorOf(filter).test(when))
  }
}

function every(matchers: Matcher[]): Matcher {
  return (event) => {
    for (const matches of matchers) if (!matches(event)) return false
    return true
  }
}

function some(matchers: Matcher[]): Matcher {
  return (event) => {
    for (const matches of matchers) if (matches(event)) return true
    return false
  }
}

/** Walks the path and tests what it finds. On a list, some element must pass; one without elements is a missing value. */
function reach(names: string[], test: Test): Matcher {
  const isTrueOf = (value: unknown, depth: number): boolean => {
    if (Array.isArray(value)) {
      if (value.length === 0) return test(undefined)
      for (const element of value) if (isTrueOf(element, depth)) return true
      return false
    }
    if (depth === names.length) return test(value ?? undefined)
    return isTrueOf(memberOf(value, names[depth]!), depth + 1)
  }
  return (event) => isTrueOf(event, 0)
}
