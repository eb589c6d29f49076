/**
 * Routing: which events of a source are copied to other sources, and which are not stored at all.
 *
 * Promises: rules and drop filters see the event as it is stored; an event is copied once to each target that one of the
 * rules names, with its id and its timestamp; source and copies are durable together; what the settings of the target
 * say (copy, enrichment, drop, message, drop filter, schema, lock, retention) is done to the copy.
 * Refuses: to go on from a target. A copy is not routed again, so rules cannot run in a circle.
 */
import type { Clock } from '../../base/clock.ts'
import { createFilterSet, type Filter, parse } from '../../lql/lql.ts'
import type { IngestSource } from '../source.ts'
import { Sieve } from './sieve.ts'

/** Copies events that the LQL is true of to the target. It was checked when it was saved. */
export type Route = { readonly lql: string; readonly target: IngestSource }

export type Routes = readonly Route[]

/** The rules of a source; the same list, by identity, as long as nothing changed. */
export type RoutesOf = (source: IngestSource) => Routes | Promise<Routes>

export const NO_ROUTES: Routes = []

export type Sieves = { of(source: IngestSource, routes: Routes): Sieve | null }

/** The compiled rules and drop filters of sources, kept as long as the source and its list of rules are the same. */
export function createSieves({ clock }: { clock: Clock }): Sieves {
  const compiled = new WeakMap<IngestSource, WeakMap<Routes, Sieve>>()
  return {
    of(source, routes) {
      if (routes.length === 0 && source.drop_lql_string === null) return null
      let ofSource = compiled.get(source)
      if (!ofSource) {
        ofSource = new WeakMap()
        compiled.set(source, ofSource)
      }
      let sieve = ofSource.get(routes)
      if (!sieve) {
        sieve = createSieve(source, routes, clock)
        ofSource.set(routes, sieve)
      }
      return sieve
    },
  }
}

function createSieve(source: IngestSource, routes: Routes, clock: Clock): Sieve {
  const filters = new Map<string, Filter[]>()
  const targets: IngestSource[] = []
  for (const { lql, target } of routes) {
    const { filter } = parse(lql)
    // A rule onto its own source would store the event twice; a rule without a condition cannot be saved.
    if (filter === null || target.token === source.token) continue
    const known = filters.get(target.token)
    if (known) known.push(filter)
    else {
      filters.set(target.token, [filter])
      targets.push(target)
    }
  }
  const drop = source.drop_lql_string === null ? null : parse(source.drop_lql_string).filter
  const set = createFilterSet([...[...filters.values()].map(anyOf), drop ?? NEVER], clock)
  return new Sieve(set, targets)
}

/** Stands where there is no drop filter. */
const NEVER: Filter = { op: 'any', of: [], at: { start: 0, end: 0 } }

function anyOf(filters: Filter[]): Filter {
  const of = filters.flatMap((filter) => (filter.op === 'any' ? filter.of : [filter]))
  return of.length === 1 ? of[0]! : { op: 'any', of, at: { start: 0, end: 0 } }
}
