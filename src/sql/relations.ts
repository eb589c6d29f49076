import { quoteName } from './emitted.ts'
import type { Emitter } from './emitter.ts'
import type { CteRange, CteScope, Place, Translated, Translation } from './place.ts'
import { columnNamed, type Range, resolve, type Scope } from './scope.ts'
import { dotted, type Expr, type Name, type Query, type Relation } from './tree.ts'
import { BOOL, commonType, elementOf, INT64 } from './value-types.ts'

export type RelationContext = {
  scope: Scope
  place: Place
  to: Translation
  emitter: Emitter
  /** Objects that must be there for the row to be kept, and other conditions of joins with objects. */
  objects: string[]
  conditions: string[]
  query(query: Query): Translated
}

/** The engine's FROM text. Every range it opens is added to the scope, so that later ones can read earlier ones. */
export function emitRelation(relation: Relation, context: RelationContext): string {
  switch (relation.kind) {
    case 'table':
      return emitTable(relation, context)
    case 'derived': {
      const { sql, columns } = context.query(relation.query)
      const alias = nextAlias(context)
      context.scope.ranges.push({
        names: relation.alias ? [relation.alias] : [],
        alias,
        columns,
        value: null,
        source: null,
      })
      return `(${sql}) AS ${alias}`
    }
    case 'unnest':
      return emitUnnest(relation, 'first', null, context)
    case 'join':
      return emitJoin(relation, context)
  }
}

const nextAlias = ({ to }: RelationContext): string => `t${to.nextNumber('range')}`

function emitTable(relation: Relation & { kind: 'table' }, context: RelationContext): string {
  const { place, to, scope } = context
  const name = dotted(relation.parts)
  const names = relation.alias ? [relation.alias] : [...new Set([name, relation.parts.at(-1)!.text])]
  const alias = nextAlias(context)
  const cte = relation.parts.length === 1 ? findCte(place.ctes, name) : null
  if (cte) {
    place.uses.ctes.push(cte)
    to.note?.(relation, { kind: 'cte' })
    scope.ranges.push({ names, alias, columns: cte.columns, value: null, source: null })
    return `${cte.alias} AS ${alias}`
  }
  const source = place.sealed ? undefined : to.source(name, relation.source)
  if (!source) throw to.fail(relation.at, `can't find source ${name}`)
  to.note?.(relation, { kind: 'source', token: source.token })
  const number = to.nextNumber('source')
  place.uses.sources.push({ number, token: source.token, name, columns: source.columns, bounds: [], needles: [] })
  scope.ranges.push({ names, alias, columns: source.columns, value: null, source: number })
  return `source_${number} AS ${alias}`
}

function findCte(scope: CteScope | null, name: string): CteRange | null {
  for (let at = scope; at; at = at.outer) {
    const found = at.names.get(name.toLowerCase())
    if (found) return found
  }
  return null
}

const JOINS = { inner: 'JOIN', left: 'LEFT JOIN', right: 'RIGHT JOIN', full: 'FULL JOIN', cross: 'CROSS JOIN' }

function emitJoin(relation: Relation & { kind: 'join' }, context: RelationContext): string {
  const { scope, to } = context
  const left = emitRelation(relation.left, context)
  const array = asUnnest(relation.right, context)
  if (array) {
    const join = relation.join === 'left' ? 'left' : 'inner'
    if (relation.join === 'right' || relation.join === 'full' || relation.using) {
      throw to.fail(relation.at, 'UNNEST can be joined with CROSS, INNER or LEFT JOIN and ON')
    }
    return `${left}${emitUnnest(array, join, relation.on, context, relation.right)}`
  }
  const before = scope.ranges.length
  const right = emitRelation(relation.right, context)
  const nested = relation.right.kind === 'join' ? `(${right})` : right
  const head = `${left} ${JOINS[relation.join]} ${nested}`
  if (relation.using) return `${head} USING (${mergeColumns(relation, before, context)})`
  if (relation.on) return `${head} ON ${context.emitter.value(relation.on, BOOL).sql}`
  if (relation.join !== 'cross') throw to.fail(relation.at, 'the join needs ON or USING')
  return head
}

function mergeColumns(relation: Relation & { kind: 'join' }, before: number, { scope, to }: RelationContext): string {
  const names = (relation.using ?? []).map((name) => {
    const sides = [scope.ranges.slice(0, before), scope.ranges.slice(before)]
    const [left, right] = sides.map((ranges) =>
      ranges.map((range) => columnNamed(range.columns, name)).find((column) => column),
    )
    const merged = columnNamed(scope.merged, name)
    if (!(left ?? merged) || !right) throw to.fail(relation.at, `unknown field ${name} in USING`)
    const column = left ?? merged!
    if (!merged) scope.merged.push({ name: column.name, type: commonType([column.type, right.type]) })
    return quoteName(column.name)
  })
  return names.join(', ')
}

/** `FROM t, t.list AS x` is an UNNEST too: a table name that starts with a range already open is a path in it. */
function asUnnest(relation: Relation, context: RelationContext): (Relation & { kind: 'unnest' }) | null {
  if (relation.kind === 'unnest') return relation
  if (relation.kind !== 'table' || relation.parts.length < 2 || !startsInRange(relation.parts, context)) return null
  const of: Expr = { kind: 'path', parts: relation.parts, at: relation.at }
  return { kind: 'unnest', of, alias: relation.alias ?? relation.parts.at(-1)!.text, offset: null, at: relation.at }
}

function startsInRange(parts: Name[], { scope, to, place }: RelationContext): boolean {
  const opened = scope.ranges.some(({ names }) =>
    names.some((name) => name.toLowerCase() === parts[0]!.text.toLowerCase()),
  )
  return (
    opened &&
    (place.sealed || to.source(dotted(parts)) === undefined) &&
    ['value', 'row'].includes(resolve(parts, scope).kind)
  )
}

type UnnestJoin = 'first' | 'inner' | 'left'

/**
 * A list becomes a lateral join. An object is a list of one: its range is just another name for the value, the row is
 * kept when the object is there (or always, after LEFT JOIN).
 */
function emitUnnest(
  relation: Relation & { kind: 'unnest' },
  join: UnnestJoin,
  on: Expr | null,
  context: RelationContext,
  written: Relation = relation,
): string {
  const { scope, emitter, to } = context
  const of = emitter.value(relation.of)
  to.note?.(written, { kind: of.type.kind === 'struct' ? 'object' : 'list' })
  if (of.type.kind === 'struct') return openObject(relation, join, on, of, context)

  const alias = nextAlias(context)
  const { from: body, value, position, join: joined } = to.dialect.unnest(of, alias, relation.offset !== null)
  const range: Range = {
    names: relation.alias ? [relation.alias] : [],
    alias,
    columns: [],
    value: { sql: value, type: elementOf(of.type) },
    source: null,
  }
  scope.ranges.push(range)
  if (relation.offset) scope.ranges.push(offsetRange(relation.offset, alias, position))
  if (join === 'first') return body
  const asked = on && !(on.kind === 'boolean' && on.value) ? emitter.value(on, BOOL).sql : null
  if (joined) return joined(join, asked)
  const condition = asked ?? 'TRUE'
  return join === 'left' ? ` LEFT JOIN LATERAL ${body} ON ${condition}` : ` JOIN LATERAL ${body} ON ${condition}`
}

const offsetRange = (name: string, alias: string, sql: string): Range => ({
  names: [name],
  alias,
  columns: [],
  value: { sql, type: INT64 },
  source: null,
})

function openObject(
  relation: Relation & { kind: 'unnest' },
  join: UnnestJoin,
  on: Expr | null,
  of: { sql: string; type: Range['columns'][number]['type'] },
  context: RelationContext,
): string {
  const { scope, emitter, objects, conditions } = context
  const range: Range = {
    names: relation.alias ? [relation.alias] : [],
    alias: of.sql,
    columns: [],
    value: of,
    source: null,
  }
  scope.ranges.push(range)
  if (relation.offset) scope.ranges.push(offsetRange(relation.offset, of.sql, '0'))
  const condition = on && !(on.kind === 'boolean' && on.value) ? emitter.value(on, BOOL).sql : null
  if (join === 'left') {
    if (condition) range.value = { sql: `(CASE WHEN ${condition} THEN ${of.sql} END)`, type: of.type }
    return ''
  }
  objects.push(of.sql)
  if (condition) conditions.push(condition)
  return join === 'first' ? '(SELECT 1)' : ''
}
