/**
 * Many filters about one event. Each path is looked up at most once per event, by whoever holds the event, and every
 * filter asks the values found. A part of a filter that needs a field to equal something is only asked when it does:
 * such parts are found by the value, so a hundred rules for a hundred services cost about as much as one. Those that
 * are left are asked in bundles (`bundles.ts`).
 */
import { type Clock, systemClock } from '../base/clock.ts'
import { type Bundle, bundlesOf, clausesOf, type Gate } from './bundles.ts'
import { type Claim, compileFilter } from './match.ts'
import { keysOf } from './operators/equals.ts'
import type { Test } from './operators/operator.ts'
import type { Clause, Equals, Filter, Sign } from './query.ts'
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
type Way = { filter: number; part: Filter; isTrue: Claim<PathValues> }

/** Ways that are asked only of an event that passes their gates. */
type Gated = { passes: readonly Claim<PathValues>[]; ways: readonly Way[] }

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

  function compileGate(gate: Gate): Claim<PathValues> {
    if (gate.kind === 'same') return compileFilter(gate.clause, when, reach)
    const number = numberOf(gate.path)
    if (gate.kind === 'words') {
      const { pattern } = gate
      return (values) => {
        const value = values.at(number)
        return typeof value === 'string' ? pattern.test(value) : value !== undefined
      }
    }
    const isWithin = WITHIN[gate.sign]
    const { limit } = gate
    return (values) => {
      const value = values.at(number)
      return typeof value === 'number' ? isWithin(value, limit) : value !== undefined
    }
  }

  const compileBundle = ({ ways, gates }: Bundle<Way>): Gated => ({ ways, passes: gates.map(compileGate) })

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
      const way = { filter: number, part, isTrue: compileFilter(part, when, reach) }
      const clause = rarest(equalitiesOf(part))
      const keys = clause && keysOf(clause.value.text)
      if (clause && keys) addKeyed(way, clause.path, keys)
      else others.push(way)
    }
  })

  const keyedPaths = [...keyed.keys()]
  const keyedWays = [...keyed.values()].map(
    (ways) => new Map([...ways].map(([key, those]) => [key, bundlesOf(those).map(compileBundle)])),
  )
  const unkeyed = bundlesOf(others).map(compileBundle)
  const hitIn = new Float64Array(filters.length)
  let round = 0

  function ask(bundles: readonly Gated[] | undefined, values: PathValues, hits: number[]): void {
    if (bundles === undefined) return
    for (let i = 0; i < bundles.length; i++) {
      const { passes, ways } = bundles[i]!
      if (allPass(passes, values)) askEach(ways, values, hits)
    }
  }

  function askEach(ways: readonly Way[], values: PathValues, hits: number[]): void {
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
        if (typeof value === 'object' && Array.isArray(value)) for (const one of value) ask(ways.get(one), values, hits)
        else ask(ways.get(value), values, hits)
      }
      ask(unkeyed, values, hits)
    },
  }
}

const partsOf = (filter: Filter): readonly Filter[] => (filter.op === 'any' ? filter.of : [filter])

/** The clauses without which the filter cannot be true, and which name the value they need. */
const equalitiesOf = (filter: Filter): readonly Equals[] => clausesOf(filter).filter((part) => part.op === 'equals')

function allPass(gates: readonly Claim<PathValues>[], values: PathValues): boolean {
  for (let i = 0; i < gates.length; i++) if (!gates[i]!(values)) return false
  return true
}

const WITHIN: Record<Sign, (value: number, limit: number) => boolean> = {
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
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
