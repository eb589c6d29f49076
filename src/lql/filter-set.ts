/**
 * Many filters about one event. Each path is looked up at most once per event, by whoever holds the event, and every
 * filter asks the values found. A part of a filter that needs a field to equal something is only asked when it does:
 * such parts are found by the value, so a hundred rules for a hundred services cost about as much as one.
 */
import { type Clock, systemClock } from '../base/clock.ts'
import { type Claim, compileFilter } from './match.ts'
import { keysOf } from './operators/equals.ts'
import type { Test } from './operators/operator.ts'
import type { Clause, Equals, Filter } from './query.ts'
import { createZone } from './time/zone.ts'

export type FilterSet = {
  /** What the filters look at. */
  readonly paths: readonly FilterPath[]
  /** Replaces what is in `hits` by the numbers of the filters that are true of an event, each once, in no order. */
  match(values: PathValues, hits: number[]): void
}

export type FilterPath = {
  readonly path: string
  /** The texts that make a difference, when any other may be given as any other; null when all do. */
  readonly texts: ReadonlySet<string> | null
}

/**
 * What an event has at each path, as `valuesAt` gives it, with numbers as numbers (bigints only where a number would
 * not be exact). Asked only for paths that matter, and again each time.
 */
export type PathValues = { at(path: number): unknown }

/** One of the ways in which a filter can be true. */
type Way = { filter: number; isTrue: Claim<PathValues> }

/** Times without an offset are in UTC; relative ones move on with the clock. */
export function createFilterSet(filters: readonly Filter[], clock: Clock = systemClock): FilterSet {
  const paths: { path: string; texts: Set<string> | null }[] = []
  const when = { nowMs: () => clock.nowMs(), zone: createZone('UTC') }
  /** By path: the ways that need this value there. */
  const keyed = new Map<number, Map<unknown, Way[]>>()
  const others: Way[] = []

  function numberOf(path: string): number {
    // Names are found whatever their case, so such paths are one.
    const known = paths.findIndex((other) => other.path.toLowerCase() === path.toLowerCase())
    return known < 0 ? paths.push({ path, texts: new Set() }) - 1 : known
  }

  function reach(path: string, test: Test, clause: Clause): Claim<PathValues> {
    const number = numberOf(path)
    const texts = textsOf(clause)
    if (texts === null) paths[number]!.texts = null
    for (const text of texts ?? []) paths[number]!.texts?.add(text)
    return (values) => {
      const value = values.at(number)
      return typeof value === 'object' && Array.isArray(value) ? value.some((one) => test(one)) : test(value)
    }
  }

  function addKeyed(way: Way, path: string, keys: readonly unknown[]): void {
    const number = numberOf(path)
    const ways = keyed.get(number) ?? new Map<unknown, Way[]>()
    keyed.set(number, ways)
    for (const key of keys) ways.set(key, [...(ways.get(key) ?? []), way])
  }

  /** How many parts need this of an event: one that few need is true of fewer events than one that all need. */
  const needed = new Map<string, number>()
  const nameOf = ({ path, value }: Equals): string => `${path.toLowerCase()}\n${value.text}`
  for (const part of filters.flatMap(partsOf))
    for (const clause of equalitiesOf(part)) needed.set(nameOf(clause), (needed.get(nameOf(clause)) ?? 0) + 1)
  const rarest = (clauses: readonly Equals[]): Equals | null =>
    clauses.reduce<Equals | null>(
      (best, clause) => (best && needed.get(nameOf(best))! <= needed.get(nameOf(clause))! ? best : clause),
      null,
    )

  filters.forEach((filter, number) => {
    for (const part of partsOf(filter)) {
      const way = { filter: number, isTrue: compileFilter(part, when, reach) }
      const clause = rarest(equalitiesOf(part))
      const keys = clause && keysOf(clause.value.text)
      if (clause && keys) addKeyed(way, clause.path, keys)
      else others.push(way)
    }
  })

  const keyedPaths = [...keyed.keys()]
  const keyedWays = [...keyed.values()]
  const hitIn = new Float64Array(filters.length)
  let round = 0

  function ask(ways: readonly Way[] | undefined, values: PathValues, hits: number[]): void {
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
      for (let i = 0; i < keyedPaths.length; i++) {
        const value = values.at(keyedPaths[i]!)
        if (value === undefined) continue
        const ways = keyedWays[i]!
        if (Array.isArray(value)) for (const one of value) ask(ways.get(one), values, hits)
        else ask(ways.get(value), values, hits)
      }
      ask(others, values, hits)
    },
  }
}

const partsOf = (filter: Filter): readonly Filter[] => (filter.op === 'any' ? filter.of : [filter])

/** The clauses without which the filter cannot be true, and which name the value they need. */
function equalitiesOf(filter: Filter): readonly Equals[] {
  if (filter.op === 'equals') return [filter]
  return filter.op === 'all' ? filter.of.filter((part) => part.op === 'equals') : []
}

/** The texts that a clause tells from others; null when it tells any two apart. */
function textsOf(clause: Clause): string[] | null {
  switch (clause.op) {
    case 'equals':
    case 'includes':
      return [clause.value.text]
    case 'one_of':
      return clause.values.map(({ text }) => text)
    case 'missing':
      return []
    default:
      return null
  }
}
