/**
 * A query as a function of one event, for live tail and wherever whole events are at hand; rules and drop filters ask
 * many at once (`filter-set.ts`). It is built once per query; matching an event allocates nothing of its own.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import type { Test } from './operators/operator.ts'
import { operatorOf } from './operators/operator-of.ts'
import type { Clause, Filter, Query } from './query.ts'
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
  return compileFilter(query.filter, { nowMs: () => clock.nowMs(), zone: createZone(timeZone) }, walk)
}

/** True or false of a view of one event: the event itself, or what was read of it before. */
export type Claim<View> = (view: View) => boolean

/** Makes the test of a value one of the view, which knows where the value of a path is. */
export type Reach<View> = (path: string, test: Test, clause: Clause) => Claim<View>

export function compileFilter<View>(filter: Filter, when: When, reach: Reach<View>): Claim<View> {
  switch (filter.op) {
    case 'all':
      return every(cheapestFirst(filter.of).map((part) => compileFilter(part, when, reach)))
    case 'any':
      return some(cheapestFirst(filter.of).map((part) => compileFilter(part, when, reach)))
    case 'not': {
      const isTrue = compileFilter(filter.of, when, reach)
      return (view) => !isTrue(view)
    }
    default:
      return reach(filter.path, operatorOf(filter).test(when), filter)
  }
}

/** The order changes no result. A comparison of two values costs a tenth of a search in a message. */
function cheapestFirst<Part extends Filter>(parts: readonly Part[]): Part[] {
  return parts.toSorted((a, b) => costOf(a) - costOf(b))
}

function costOf(filter: Filter): number {
  switch (filter.op) {
    case 'not':
      return costOf(filter.of)
    case 'all':
    case 'any':
      return Math.max(...filter.of.map(costOf)) + 1
    case 'contains':
      return 10
    case 'regex':
    case 'includes_regex':
      return 100
    default:
      return 1
  }
}

function every<View>(claims: Claim<View>[]): Claim<View> {
  const [first, second] = claims
  // Two clauses are the usual rule, and a loop over them costs more than asking them.
  if (claims.length === 2) return (view) => first!(view) && second!(view)
  return (view) => {
    for (const isTrue of claims) if (!isTrue(view)) return false
    return true
  }
}

function some<View>(claims: Claim<View>[]): Claim<View> {
  return (view) => {
    for (const isTrue of claims) if (isTrue(view)) return true
    return false
  }
}

/** Walks the path and tests what it finds. On a list, some element must pass; one without elements is a missing value. */
function walk(path: string, test: Test): Matcher {
  const names = path.split('.')
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
