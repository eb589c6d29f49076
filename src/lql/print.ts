/** Tree to canonical text, which reads back as the same tree. */
import { isGroup } from './arrange.ts'
import { printChart } from './clauses/chart.ts'
import { printFrom } from './clauses/from.ts'
import { printSelect } from './clauses/select.ts'
import { quote } from './literals.ts'
import { operatorOf } from './operators/operator-of.ts'
import type { Clause, Filter, Query } from './query.ts'

export function print({ from, selects, filter, chart }: Query): string {
  const parts = [...(from ? [printFrom(from)] : []), ...selects.map(printSelect)]
  const isAlone = parts.length === 0 && !chart
  if (filter) parts.push(filter.op === 'any' && !isAlone ? printGroup(filter) : printFilter(filter, false))
  if (chart) parts.push(printChart(chart))
  return parts.join(' ')
}

const printGroup = (filter: Filter): string => `(${printFilter(filter, true)})`

function printFilter(filter: Filter, isInGroup: boolean): string {
  switch (filter.op) {
    case 'any':
      return filter.of.map((part) => printFilter(part, isInGroup)).join(' OR ')
    case 'all':
      return filter.of.map((part) => (part.op === 'any' ? printGroup(part) : printFilter(part, isInGroup))).join(' ')
    case 'not':
      return isGroup(filter.of) ? `NOT ${printGroup(filter.of)}` : `-${printClause(filter.of, true, isInGroup)}`
    default:
      return printClause(filter, false, isInGroup)
  }
}

/** Words stay as typed unless they would be read as something else where they stand now. */
function printClause(clause: Clause, isNegated: boolean, isInGroup: boolean): string {
  if ((clause.op !== 'contains' && clause.op !== 'regex') || clause.value.quoted) return operatorOf(clause).print()
  const { text } = clause.value
  const looksLikeSyntax = clause.op === 'contains' && !isNegated && /^-|^(OR|AND|NOT)(\(|$)/.test(text)
  if (looksLikeSyntax || (isInGroup && !isBalanced(text))) {
    return clause.op === 'contains'
      ? quote(text)
      : operatorOf({ ...clause, value: { ...clause.value, quoted: true } }).print()
  }
  return operatorOf(clause).print()
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '(') depth++
    else if (char === ')' && --depth < 0) return false
  }
  return depth === 0
}
