/** Canonical order: nested groups of one kind become one, double negation goes, clauses stand sorted before groups. */
import type { All, Any, Clause, Filter, Not, Span } from './query.ts'
import { compareText } from './texts.ts'

export function anyOf(parts: Filter[], at: Span): Filter {
  const flat: Any['of'] = []
  for (const part of parts) {
    if (part.op === 'any') flat.push(...part.of)
    else flat.push(part)
  }
  return flat.length === 1 ? flat[0]! : { op: 'any', of: flat, at }
}

export function allOf(parts: Filter[], at: Span): Filter {
  if (parts.length === 1) return parts[0]!
  const leaves: (Clause | Not)[] = []
  const groups: (Not | Any)[] = []
  for (const part of parts) {
    for (const each of part.op === 'all' ? part.of : [part]) {
      if (each.op === 'any' || (each.op === 'not' && isGroup(each.of))) groups.push(each)
      else leaves.push(each)
    }
  }
  leaves.sort((a, b) => compareText(pathOf(a), pathOf(b)))
  return { op: 'all', of: [...leaves, ...groups], at }
}

export function negated(filter: Filter, at: Span): Filter {
  return filter.op === 'not' ? filter.of : { op: 'not', of: filter, at }
}

export const isGroup = (filter: Filter): filter is All | Any => filter.op === 'all' || filter.op === 'any'

function pathOf(leaf: Clause | Not): string {
  const clause = leaf.op === 'not' ? leaf.of : leaf
  return isGroup(clause) ? '' : clause.path
}
