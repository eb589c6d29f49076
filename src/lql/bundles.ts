/**
 * Filters that are asked together, in bundles of a kind: what all of a bundle need is asked once, before any of them.
 * Of a hundred rules that look for words in a message, most events meet none; then one look at the message is enough.
 */
import { readNumber } from './numbers.ts'
import type { Clause, Compare, Contains, Filter, Sign } from './query.ts'

/** What has to be so for any of the filters to be true. `same` is a clause that they all have. */
export type Gate =
  | { kind: 'same'; clause: Clause }
  | { kind: 'words'; path: string; pattern: RegExp }
  | { kind: 'limit'; path: string; sign: Sign; limit: number }

export type Bundle<Way> = { ways: Way[]; gates: Gate[] }

export function bundlesOf<Way extends { part: Filter }>(ways: readonly Way[]): Bundle<Way>[] {
  const groups = Map.groupBy(ways, ({ part }) => kindOf(clausesOf(part)))
  return [...groups.values()].map((group) => ({ ways: group, gates: gatesOf(group.map(({ part }) => part)) }))
}

/** The clauses without which a filter cannot be true. */
export function clausesOf(filter: Filter): readonly Clause[] {
  if (filter.op === 'all') return filter.of.filter((part) => part.op !== 'not' && part.op !== 'any')
  return filter.op === 'not' || filter.op === 'any' ? [] : [filter]
}

/** Filters of one kind can share a gate. */
function kindOf(clauses: readonly Clause[]): string {
  const words = clauses.find(({ op }) => op === 'contains')
  if (words) return `words ${words.path.toLowerCase()}`
  const compare = clauses.find(isLimit)
  return compare ? `limit ${compare.path.toLowerCase()} ${compare.sign}` : ''
}

function gatesOf(parts: readonly Filter[]): Gate[] {
  const [first, ...others] = parts.map(clausesOf)
  if (first === undefined || others.length === 0) return []
  return first.flatMap((clause): Gate[] => {
    if (others.every((clauses) => clauses.some((other) => nameOf(other) === nameOf(clause))))
      return [{ kind: 'same', clause }]
    const alike = others.map((clauses) => clauses.filter((other) => isAlike(other, clause)))
    // Where one has two of a kind, either would do as its gate.
    const all = [clause, ...alike.flatMap(([one]) => one ?? [])]
    if (all.length < parts.length) return []
    return gateOf(clause.path, all)
  })
}

function gateOf(path: string, alike: readonly Clause[]): Gate[] {
  if (alike.every((clause) => clause.op === 'contains')) return [{ kind: 'words', path, pattern: anyOf(alike) }]
  if (!alike.every(isLimit)) return []
  const { sign } = alike[0]!
  const limits = alike.map(({ value }) => readNumber(value.text)!.double)
  return [{ kind: 'limit', path, sign, limit: sign.startsWith('>') ? Math.min(...limits) : Math.max(...limits) }]
}

const anyOf = (clauses: readonly Contains[]): RegExp =>
  new RegExp([...new Set(clauses.map(({ value }) => RegExp.escape(value.text)))].join('|'))

/** A comparison with a number that a double holds exactly. */
function isLimit(clause: Clause): clause is Compare {
  if (clause.op !== 'compare') return false
  const number = readNumber(clause.value.text)
  return number !== null && number.exact === number.double
}

const isAlike = (one: Clause, other: Clause): boolean =>
  one.op === other.op &&
  one.path.toLowerCase() === other.path.toLowerCase() &&
  (one.op === 'contains' || (other.op === 'compare' && isLimit(one) && isLimit(other) && one.sign === other.sign))

/** The clause without where it stands. */
const nameOf = (clause: Clause): string =>
  JSON.stringify({ ...clause, path: clause.path.toLowerCase() }, (key, value) =>
    key === 'at' || key === 'pathAt' || key === 'valueAt' ? undefined : value,
  )
