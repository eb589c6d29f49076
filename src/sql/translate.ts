import { boundsOf, exactBounds, restricted, type TimestampOf } from './bounds.ts'
import { type Emitted, quoteName } from './emitted.ts'
import type { Emitter } from './emitter.ts'
import { hasAggregate } from './functions/functions.ts'
import { needlesIn, type TextFieldOf } from './needles.ts'
import { isKeyOfSource, orderAndLimit, orderedByColumns, ordinal, qualified, type Selected } from './ordering.ts'
import { type CteRange, type CteScope, type Place, readCtes, type Translated, type Translation } from './place.ts'
import { neededPresence } from './presence.ts'
import { emitRelation, type RelationContext } from './relations.ts'
import { createScope, fieldColumns, rangeColumns, type Scope, starColumns } from './scope.ts'
import type { Body, Cte, Expr, Item, Order, Query, Relation, Select, Window } from './tree.ts'
import { type Column, commonType } from './value-types.ts'
import { createEmitter, lastName } from './values.ts'

export function translateQuery(query: Query, place: Place, outer: Scope | null, to: Translation): Translated {
  const inner: Place = { ...place, sealed: place.sealed || query.sealed }
  const { place: seen, ctes } = translateCtes(query, inner, outer, to)
  const body = translateBody(query.body, seen, outer, to, query)
  const read = readCtes(seen.uses)
  const head = withClause(ctes.filter(({ cte }) => read.has(cte)))
  return { sql: `${head}${body.sql}`, columns: body.columns }
}

type Written = { cte: CteRange; sql: string; recursive: boolean }

/** A WITH query that nothing reads is checked but not written. */
function withClause(read: Written[]): string {
  if (read.length === 0) return ''
  const recursive = read.some((each) => each.recursive) ? 'RECURSIVE ' : ''
  return `WITH ${recursive}${read.map(({ sql }) => sql).join(', ')} `
}

function translateCtes(query: Query, place: Place, outer: Scope | null, to: Translation) {
  const scope: CteScope = { names: new Map(), outer: place.ctes }
  const seen: Place = query.ctes.length > 0 ? { ...place, ctes: scope } : place
  const ctes: Written[] = []
  for (const cte of query.ctes) {
    if (scope.names.has(cte.name.toLowerCase())) throw to.fail(cte.at, `WITH defines ${cte.name} twice`)
    ctes.push(translateCte(cte, query.recursive, scope, seen, outer, to))
  }
  return { place: seen, ctes }
}

function translateCte(
  cte: Cte,
  mayRecur: boolean,
  scope: CteScope,
  place: Place,
  outer: Scope | null,
  to: Translation,
): Written {
  const alias = `cte_${to.nextNumber('cte')}`
  const range: CteRange = { alias, columns: [], uses: { ctes: [], sources: [] } }
  const inside: Place = { ...place, uses: range.uses }
  const { body } = cte.query
  if (mayRecur && body.kind === 'set' && body.operator === 'union') {
    // The first arm tells the columns that the second one reads; it is translated again as part of the whole.
    range.columns = translateBody(body.left, { ...inside, uses: { ctes: [], sources: [] } }, outer, to, null).columns
    scope.names.set(cte.name.toLowerCase(), range)
    const translated = translateQuery(cte.query, inside, outer, to)
    const names = range.columns.map(({ name }) => quoteName(name)).join(', ')
    const head = to.dialect.hasStandardUnion ? `${alias}(${names})` : alias
    return { cte: range, sql: `${head} AS (${translated.sql})`, recursive: true }
  }
  const translated = translateQuery(cte.query, inside, outer, to)
  range.columns = translated.columns
  scope.names.set(cte.name.toLowerCase(), range)
  return { cte: range, sql: `${alias} AS (${translated.sql})`, recursive: false }
}

/** `query` carries the ORDER BY and LIMIT that belong to this body. */
function translateBody(
  body: Body,
  place: Place,
  outer: Scope | null,
  to: Translation,
  query: Query | null,
): Translated {
  if (body.kind === 'select') return translateSelect(body, place, outer, to, query)
  if (body.kind === 'nested') {
    const { sql, columns } = translateQuery(body.query, place, outer, to)
    // The engine's own reader does not take a WITH that opens inside the brackets of another query's body,
    // and ClickHouse no brackets after WITH.
    const isBare = to.dialect.hasStandardUnion && !sql.startsWith('WITH ')
    const nested = isBare ? `(${sql})` : `SELECT * FROM (${sql}) AS nested`
    return { sql: withTail(nested, query, columns, outer, place, to), columns }
  }
  const left = arm(body.left, place, outer, to)
  const right = arm(body.right, place, outer, to)
  if (left.columns.length !== right.columns.length) {
    throw to.fail(body.at, `both sides of ${body.operator.toUpperCase()} need the same number of columns`)
  }
  const columns = left.columns.map((column, i) => ({
    ...column,
    type: commonType([column.type, right.columns[i]!.type]),
  }))
  const [first, second] = [left, right].map((side) => to.dialect.united(side.sql, side.columns, columns))
  const sql = `${first} ${body.operator.toUpperCase()}${body.all ? ' ALL' : to.dialect.hasStandardUnion ? '' : ' DISTINCT'} ${second}`
  return { sql: withTail(sql, query, columns, outer, place, to), columns }
}

function arm(body: Body, place: Place, outer: Scope | null, to: Translation): Translated {
  const translated = translateBody(body, place, outer, to, null)
  return body.kind === 'set' ? { ...translated, sql: `(${translated.sql})` } : translated
}

/** ORDER BY and LIMIT over a finished set of columns. */
function withTail(
  sql: string,
  query: Query | null,
  columns: Column[],
  outer: Scope | null,
  place: Place,
  to: Translation,
): string {
  if (!query) return sql
  const scope = createScope(outer)
  scope.aliases = new Map(columns.map(({ name, type }) => [name.toLowerCase(), { sql: quoteName(name), type }]))
  const emitter = emitterFor(scope, place, new Map(), to)
  // Engines order a UNION by its columns alone.
  const tail = orderAndLimit(query, columns, emitter)
  if (tail === '') return sql
  const isPlain =
    to.dialect.hasStandardUnion && query.orderBy.every(({ value }) => ordinal(value, columns, emitter) !== null)
  return `${isPlain ? sql : `SELECT * FROM (${sql}) AS united`}${tail}`
}

function emitterFor(scope: Scope, place: Place, windows: Map<string, Window>, to: Translation): Emitter {
  return createEmitter({
    dialect: to.dialect,
    scope,
    windows,
    query(query) {
      const around: Scope = { ...scope, aliases: null }
      return { ...translateQuery(query, place, around, to), isCorrelated: around.isReadInside ?? false }
    },
    parameter: to.parameter,
    fail: to.fail,
  })
}

function translateSelect(
  select: Select,
  place: Place,
  outer: Scope | null,
  to: Translation,
  query: Query | null,
): Translated {
  const scope = createScope(outer)
  const windows = new Map(select.windows.map(({ name, window }) => [name.toLowerCase(), window]))
  const emitter = emitterFor(scope, place, windows, to)
  const context: RelationContext = {
    scope,
    place,
    to,
    emitter,
    objects: [],
    conditions: [],
    query: (inner) => translateQuery(inner, place, outer, to),
  }
  const from = select.from ? emitRelation(select.from, context) : ''
  const asked = noteConditions(select, scope, place, to)

  const where = asked ? emitter.value(asked).sql : null
  const present = neededPresence(context.objects, select.where, emitter).map((object) => `${object} IS NOT NULL`)
  const conditions = [...present, ...context.conditions, ...(where ? [where] : [])]
  const items = select.items.flatMap((item) => emitItem(item, scope, emitter, to))
  const columns = named(items)
  refuseLongNames(columns, select, to)
  const aliases = new Map(columns.map(({ name, type }, i) => [name.toLowerCase(), { sql: items[i]!.value.sql, type }]))
  const after = emitterFor({ ...scope, aliases }, place, windows, to)

  const parts = [`SELECT ${select.distinct ? 'DISTINCT ' : ''}${selectList(items, columns, select.asStruct, to)}`]
  if (from !== '') parts.push(`FROM ${from}`)
  if (conditions.length > 0) parts.push(`WHERE ${conditions.join(' AND ')}`)
  const grouping = groupText(select, columns, items, emitter, after)
  if (grouping) parts.push(grouping)
  if (select.having) parts.push(`HAVING ${after.value(select.having).sql}`)
  const shaped: Column[] = select.asStruct ? [{ name: 'f0_', type: { kind: 'struct', fields: columns } }] : columns
  if (select.qualify && !to.dialect.hasQualify) {
    return { sql: qualified(select, parts, shaped, query, after), columns: shaped }
  }
  if (select.qualify) parts.push(`QUALIFY ${after.value(select.qualify).sql}`)
  if (query && select.distinct && !to.dialect.ordersDistinct) {
    const tailed = withTail(parts.join(' '), orderedByColumns(query, items, after), shaped, outer, place, to)
    return { sql: tailed, columns: shaped }
  }
  const isKey = (order: Order): boolean => isKeyOfSource(order, columns, items, after)
  const mayBeKeys = to.dialect.ordersKeysPlainly && !joinsLoosely(select.from) && select.groupBy.kind === 'none'
  const tail = query ? orderAndLimit(query, columns, after, mayBeKeys ? isKey : undefined) : ''
  return { sql: `${parts.join(' ')}${tail}`, columns: shaped }
}

function selectList(
  items: { value: Emitted }[],
  columns: Column[],
  asStruct: boolean,
  { dialect }: Translation,
): string {
  if (asStruct) {
    const fields = items.map(({ value }, i) => ({ name: columns[i]!.name, value }))
    return `${dialect.object(fields, null)} AS f0_`
  }
  return items.map(({ value }, i) => `${value.sql} AS ${quoteName(columns[i]!.name)}`).join(', ')
}

function groupText(
  select: Select,
  columns: Column[],
  items: Selected[],
  before: Emitter,
  emitter: Emitter,
): string | null {
  const { groupBy } = select
  if (groupBy.kind === 'none') return null
  if (groupBy.kind === 'all') {
    if (emitter.dialect.hasGroupByAll) return 'GROUP BY ALL'
    const plain = items.flatMap(({ aggregate }, i) => (aggregate ? [] : [String(i + 1)]))
    return plain.length > 0 ? `GROUP BY ${plain.join(', ')}` : null
  }
  const keys = groupBy.items.map((expr) => {
    const found = ordinal(expr, columns, emitter)
    // `SELECT MAX(status) AS status … GROUP BY status` can only mean the field.
    const isField = found !== null && expr.kind === 'path' && items[Number(found) - 1]!.aggregate
    const number = isField ? null : found
    if (isField) return before.value(expr).sql
    // Inside ROLLUP a number would be a constant, so there the expression itself is repeated.
    if (number !== null) return groupBy.kind === 'by' ? number : items[Number(number) - 1]!.value.sql
    return emitter.value(expr).sql
  })
  return groupBy.kind === 'by'
    ? `GROUP BY ${keys.join(', ')}`
    : `GROUP BY ${groupBy.kind.toUpperCase()} (${keys.join(', ')})`
}

/**
 * Notes the time bounds and needles of every source this select reads, and refuses one whose time WHERE leaves open.
 * Gives back the part of WHERE that is left to ask.
 */
function noteConditions(select: Select, scope: Scope, place: Place, to: Translation): Expr | null {
  const { where } = select
  const own = scope.ranges.flatMap((range) => (range.source === null ? [] : [range.source]))
  if (own.length === 0) return where
  const lookup = createEmitter({
    dialect: to.dialect,
    scope: { ...scope, outer: null },
    windows: new Map(),
    query: () => {
      throw to.fail(select.at, 'no constant')
    },
    parameter: () => ({ sql: '', type: { kind: 'unknown' } }),
    fail: to.fail,
  })
  const timestampOf = (expr: Expr): number | null => {
    if (expr.kind === 'cast') {
      return expr.to.kind === 'scalar' && expr.to.name === 'timestamp' ? timestampOf(expr.of) : null
    }
    if (expr.kind !== 'path' || expr.parts.at(-1)!.text.toLowerCase() !== 'timestamp') return null
    try {
      return lookup.value(expr).timestampOf ?? null
    } catch {
      return null // a name of the query around this one, or none at all: said where it is translated
    }
  }
  const textFieldOf: TextFieldOf = (expr) => {
    if (expr.kind !== 'path') return null
    try {
      const { fieldOf, type } = lookup.value(expr)
      return type.kind === 'string' ? (fieldOf ?? null) : null
    } catch {
      return null
    }
  }
  const filtered = where ? restricted(where, timestampOf) : new Set<number>()
  const mayLeaveOut = to.boundsKept && !joinsLoosely(select.from)
  const { rest, exact } = where && mayLeaveOut ? splitTimes(where, timestampOf) : { rest: where, exact: [] }
  const bounds = [...exact, ...(where ? boundsOf(where, timestampOf) : [])]
  const needles = where ? needlesIn(where, textFieldOf) : []
  for (const use of place.uses.sources) {
    if (!own.includes(use.number)) continue
    if (to.requireTimestamp && !filtered.has(use.number)) {
      throw to.fail(select.at, `every source must be filtered on timestamp in a WHERE clause: ${use.name}`)
    }
    use.bounds = bounds.filter(({ source }) => source === use.number).map(({ bound }) => bound)
    use.needles = needles.filter(({ source }) => source === use.number)
  }
  return rest
}

/** A WHERE also drops the rows that an outer join made up, which no bound of a source can do. */
function joinsLoosely(from: Relation | null): boolean {
  if (from?.kind !== 'join') return false
  return (from.join !== 'inner' && from.join !== 'cross') || joinsLoosely(from.left) || joinsLoosely(from.right)
}

/** Takes from a condition what bounds can say as well. */
function splitTimes(where: Expr, timestampOf: TimestampOf): { rest: Expr | null; exact: ReturnType<typeof boundsOf> } {
  if (where.kind === 'binary' && where.operator === 'and') {
    const left = splitTimes(where.left, timestampOf)
    const right = splitTimes(where.right, timestampOf)
    const both = left.rest && right.rest ? { ...where, left: left.rest, right: right.rest } : (left.rest ?? right.rest)
    return { rest: both, exact: [...left.exact, ...right.exact] }
  }
  const exact = exactBounds(where, timestampOf)
  return exact ? { rest: null, exact } : { rest: where, exact: [] }
}

function emitItem(item: Item, scope: Scope, emitter: Emitter, to: Translation): Selected[] {
  if (item.kind === 'value') {
    const value = shown(emitter.wide(item.value), to)
    return [{ name: item.alias ?? lastName(item.value), value, aggregate: hasAggregate(item.value) }]
  }
  const all = starOf(item, scope, emitter, to)
  const known = all.map(({ name }) => name)
  for (const name of [...item.except, ...item.replace.map((each) => each.name)]) {
    if (!known.some((each) => each.toLowerCase() === name.toLowerCase()))
      throw to.fail(item.at, `unknown field ${name}`)
  }
  const kept = all.filter(({ name }) => !item.except.some((each) => each.toLowerCase() === name.toLowerCase()))
  if (kept.length === 0) throw to.fail(item.at, '* stands for no column here')
  return kept.map(({ name, value }) => {
    const replaced = item.replace.find((each) => each.name.toLowerCase() === name.toLowerCase())
    return { name, value: replaced ? shown(emitter.wide(replaced.value), to) : value, aggregate: false }
  })
}

const shown = (value: Emitted, { dialect }: Translation): Emitted => ({ ...value, sql: dialect.selected(value) })

function starOf(item: Item & { kind: 'star' }, scope: Scope, emitter: Emitter, to: Translation) {
  if (item.of === null) return starColumns(scope, to.dialect)
  if (item.of.kind === 'path') {
    const dotted = item.of.parts.map((part) => part.text.toLowerCase()).join('.')
    const range = scope.ranges.findLast(({ names }) => names.some((name) => name.toLowerCase() === dotted))
    if (range) return rangeColumns(range, to.dialect)
  }
  const value = emitter.value(item.of)
  if (value.type.kind !== 'struct') throw to.fail(item.at, '.* needs a table or an object before it')
  return fieldColumns(value, to.dialect)
}

/** Engines cut a name that is too long for them. */
function refuseLongNames(columns: Column[], { at }: Select, { dialect, fail }: Translation): void {
  // A backslash escapes in its quoted names.
  if (dialect.engine === 'clickhouse' && columns.some(({ name }) => name.includes('\\')))
    throw fail(at, `a backslash in the name of a column is not available on ${dialect.label}`)
  const long = columns.find(
    ({ name }) => name.length * 3 > dialect.longestName && Buffer.byteLength(name) > dialect.longestName,
  )
  if (!long) return
  const most = `${dialect.longestName} bytes at most on ${dialect.label}`
  throw fail(at, `the name of a column has ${most}: give ${long.name} a shorter one with AS`)
}

/** Column names of a select list: what has none is called f0_, f1_ … and a name seen before gets a number. */
function named(items: Selected[]): Column[] {
  const taken = new Set<string>()
  let nameless = 0
  return items.map(({ name, value }) => {
    const wanted = name ?? `f${nameless++}_`
    let free = wanted
    for (let n = 1; taken.has(free.toLowerCase()); n++) free = `${wanted}_${n}`
    taken.add(free.toLowerCase())
    return { name: free, type: value.type }
  })
}
