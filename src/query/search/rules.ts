/** A query as a list of rules, for programs that show or change it piece by piece. */
import { type Clause, type Filter, print, type Query, type Span } from '../../lql/lql.ts'
import { operatorOf } from '../../lql/operators/operator-of.ts'

export type Rule = { kind: 'from' | 'select' | 'chart' | 'filter' | 'any' | 'all'; at: Span; [more: string]: unknown }

export type Parsed = { canonical: string; rules: Rule[] }

/** In canonical order: from, selects, filters that must all hold, chart. */
export function parsedOf(query: Query): Parsed {
  const { from, selects, filter, chart } = query
  const filters = filter === null ? [] : filter.op === 'all' ? filter.of : [filter]
  return {
    canonical: print(query),
    rules: [
      ...(from ? [{ kind: 'from' as const, table: from.table, at: from.at }] : []),
      ...selects.map(({ path, alias, at }) => ({ kind: 'select' as const, path, alias, at })),
      ...filters.map((part) => filterRule(part, false)),
      ...(chart ? [chartRule(chart)] : []),
    ],
  }
}

const chartRule = ({ aggregate, path, period, at }: NonNullable<Query['chart']>): Rule => ({
  kind: 'chart',
  aggregate,
  path,
  period,
  at,
})

function filterRule(filter: Filter, negate: boolean): Rule {
  switch (filter.op) {
    case 'not':
      return { ...filterRule(filter.of, !negate), at: filter.at }
    case 'any':
    case 'all':
      return { kind: filter.op, negate, rules: filter.of.map((part) => filterRule(part, false)), at: filter.at }
    default:
      return { kind: 'filter', path: filter.path, ...meaningOf(filter), negate, lql: textOf(filter), at: filter.at }
  }
}

const textOf = (clause: Clause): string => operatorOf(clause).print()

function meaningOf(clause: Clause): { op: string; value?: unknown; values?: unknown[] } {
  switch (clause.op) {
    case 'missing':
      return { op: '=', value: null }
    case 'equals':
      return { op: '=', value: clause.value.text }
    case 'compare':
      return { op: clause.sign, value: clause.value.text }
    case 'regex':
      return { op: '~', value: clause.value.text }
    case 'contains':
    case 'includes':
    case 'includes_regex':
      return { op: clause.op, value: clause.value.text }
    case 'one_of':
      return {
        op: 'one_of',
        values: clause.values.map(({ text, quoted }) => (text === 'NULL' && !quoted ? null : text)),
      }
    case 'range':
      return { op: 'range', values: [clause.low.text, clause.high.text] }
    case 'levels':
      return { op: 'level_range', values: [clause.low, clause.high] }
    case 'time':
      return { op: clause.sign, value: textOf(clause).replace(/^t:(?:[<>]=?)?/, '') }
  }
}
