/** Whether a query makes sense for a source: its fields exist and its values fit them. */
import type { FlatFields } from '../model/fields.ts'
import { LqlError } from './error.ts'
import { createKnownFields, type KnownField, type KnownFields } from './known-fields.ts'
import { operatorOf } from './operators/operator-of.ts'
import { shortPath } from './paths.ts'
import type { Chart, Clause, Filter, Query, Span } from './query.ts'
import { nearest } from './suggest.ts'

/** Throws the first problem in the text. `text` is what the query was parsed from. */
export function check(query: Query, text: string, flat: FlatFields): void {
  const fields = createKnownFields(flat)
  const problems: LqlError[] = []
  const collect = (problem: LqlError | null): void => {
    if (problem) problems.push(problem)
  }
  for (const { path, pathAt } of query.selects)
    if (path !== '*' && !fields.find(path)) collect(unknownField(path, pathAt, fields))
  for (const clause of clausesOf(query.filter)) collect(checkClause(clause, text, fields))
  if (query.chart) collect(checkChart(query.chart, fields))
  const [first] = problems.sort((a, b) => a.position - b.position)
  if (first) throw first
}

export function* clausesOf(filter: Filter | null): Generator<Clause> {
  if (!filter) return
  if (filter.op === 'not') yield* clausesOf(filter.of)
  else if (filter.op === 'all' || filter.op === 'any') for (const part of filter.of) yield* clausesOf(part)
  else yield filter
}

function checkClause(clause: Clause, text: string, fields: KnownFields): LqlError | null {
  const field = fields.find(clause.path)
  if (!field) return unknownField(clause.path, clause.pathAt, fields)
  if (clause.op === 'missing') return null
  if (field.type === 'object') return noScalar(field, clause.pathAt, fields)
  const misfit = operatorOf(clause).misfit(field.type)
  if (!misfit) return null
  const { start, end } = misfit.at
  const found = text.slice(start, end)
  return new LqlError(
    `Expected ${misfit.expected} for ${shortPath(field.path)}, which is ${articled(field.type)}, found ${found}.`,
    { position: start, found, expected: misfit.expected },
  )
}

const articled = (type: string): string =>
  type === 'string' ? 'text' : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

function unknownField(path: string, at: Span, fields: KnownFields): LqlError {
  const found = shortPath(path)
  const named = fields.all().filter((field) => field.type !== 'object')
  const suggestion =
    nearest(
      found,
      named.map((field) => shortPath(field.path)),
    ) ?? sameName(path, named)
  const hint = suggestion === null ? '' : ` Did you mean ${suggestion}?`
  return new LqlError(`There is no field ${found} in this source.${hint}`, {
    position: at.start,
    found,
    expected: 'a field of this source',
    suggestion,
  })
}

/** `status` typed for `m.status`, or the right name under the wrong parent. */
function sameName(path: string, fields: KnownField[]): string | null {
  const last = (full: string): string => full.slice(full.lastIndexOf('.') + 1).toLowerCase()
  const field = fields.find((known) => last(known.path) === last(path))
  return field ? shortPath(field.path) : null
}

function noScalar(field: KnownField, at: Span, fields: KnownFields): LqlError {
  const child = fields.all().find(({ path, type }) => path.startsWith(`${field.path}.`) && type !== 'object')
  const suggestion = child ? shortPath(child.path) : null
  const found = shortPath(field.path)
  return new LqlError(
    `${found} is an object; name one of its fields${suggestion === null ? '' : `, such as ${suggestion}`}.`,
    {
      position: at.start,
      found,
      expected: 'a field with a value of its own',
      suggestion,
    },
  )
}

const NEEDS_NUMBERS = new Set(['sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99'])

function checkChart({ aggregate, path, pathAt }: Chart, fields: KnownFields): LqlError | null {
  if (path === '*' && !NEEDS_NUMBERS.has(aggregate)) return null
  const field = path === '*' ? undefined : fields.find(path)
  if (path !== '*' && !field) return unknownField(path, pathAt, fields)
  if (aggregate === 'count') return null
  const expected =
    aggregate === 'countd' ? 'a field with one value per event' : 'a number field with one value per event'
  const isNumber = field?.type === 'integer' || field?.type === 'float'
  const fits = field && !hasList(field, fields) && field.type !== 'object' && (isNumber || aggregate === 'countd')
  if (fits) return null
  return new LqlError(`Expected ${expected} in c:${aggregate}(…), found ${shortPath(path)}.`, {
    position: pathAt.start,
    found: shortPath(path),
    expected,
  })
}

function hasList(field: KnownField, fields: KnownFields): boolean {
  const names = field.path.split('.')
  return names.some((_, i) => fields.find(names.slice(0, i + 1).join('.'))?.isList)
}
