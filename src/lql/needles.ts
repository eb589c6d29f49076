/** What an event must hold to match: the texts and values of the clauses that all have to be true. */
import { type Needles, NO_NEEDLES } from '../model/needles.ts'
import type { KnownFields } from './known-fields.ts'
import { isNull } from './literals.ts'
import { type Clause, type Filter, MESSAGE, type Query } from './query.ts'

export function needlesOf({ filter }: Query, known: KnownFields): Needles {
  if (!filter) return NO_NEEDLES
  const needles: Needles = { contains: [], equals: [] }
  for (const clause of requiredClauses(filter)) {
    if (clause.op === 'contains' && clause.path === MESSAGE) needles.contains.push(clause.value.text)
    const anyOf = textsOf(clause)
    const field = anyOf && known.find(clause.path)
    if (field?.type !== 'string' || field.isList) continue
    if (field.path === MESSAGE) needles.contains.push(...(anyOf!.length === 1 ? anyOf! : []))
    else needles.equals.push({ field: field.path, anyOf: anyOf! })
  }
  return needles
}

function requiredClauses(filter: Filter): Clause[] {
  if (filter.op === 'all') return filter.of.flatMap(requiredClauses)
  return filter.op === 'any' || filter.op === 'not' ? [] : [filter]
}

/** The texts that the field can have, where a clause says so. */
function textsOf(clause: Clause): string[] | null {
  if (clause.op === 'equals') return [clause.value.text]
  if (clause.op !== 'one_of' || clause.values.some(isNull)) return null
  return clause.values.map(({ text }) => text)
}
