import { emitCast } from './casts.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { Emitted } from './emitted.ts'
import { type Emitter, wholeNumber } from './emitter.ts'
import { emitAlike } from './functions/alike.ts'
import { functionNamed } from './functions/functions.ts'
import { emitTime, isTimeKind, timeLiteral } from './functions/instant.ts'
import { emitQuantile } from './functions/quantiles.ts'
import { emitExtract, emitInterval } from './functions/time.ts'
import { ofNoRows } from './no-rows.ts'
import { columnNamed, resolve, type Scope } from './scope.ts'
import type { Call, Expr, FrameEdge, Name, Order, Query, Window } from './tree.ts'
import {
  arrayOf,
  BOOL,
  BYTES,
  commonType,
  elementOf,
  FLOAT64,
  INT64,
  INTERVAL,
  JSON_TYPE,
  STRING,
  typeNamed,
  UNKNOWN,
  type ValueType,
} from './value-types.ts'

/** A query inside another; `isCorrelated` when it reads names of the one around it. */
type Inner = { sql: string; columns: { name: string; type: ValueType }[]; isCorrelated: boolean }

/** What values need of the query they stand in. */
export type Surroundings = {
  dialect: Dialect
  scope: Scope
  windows: Map<string, Window>
  query(query: Query): Inner
  parameter(name: string, want: ValueType | undefined): Emitted
  fail(at: number, message: string): Error
}

/** Engine text longer than this means a query built to multiply itself. */
const MOST_SQL = 4_000_000
const BARE_CALLS = new Set(['current_timestamp', 'current_date', 'current_datetime', 'current_time'])
const COMPARED = new Set(['=', '!=', '<', '<=', '>', '>='])

export function createEmitter(around: Surroundings): Emitter {
  const { dialect } = around
  const emitter: Emitter = {
    dialect,
    value: (expr, want) => emit(expr, want),
    wide(expr, want) {
      const emitted = emit(expr, want)
      return wholeNumber(expr) === null ? emitted : { ...emitted, sql: dialect.wide(emitted.sql) }
    },
    orders: (orderBy) => orderBy.map((order) => orderText(order, dialect.ordered(emit(order.value)))).join(', '),
    over: (call) => (call.over ? ` OVER (${windowText(call.over, call.at)})` : ''),
    fail: around.fail,
    lacks: (at, what) => around.fail(at, `${what} is not available on ${dialect.label}`),
  }
  const innerEmitter = (): Emitter =>
    around.scope.aliases ? createEmitter({ ...around, scope: { ...around.scope, aliases: null } }) : emitter

  function emit(expr: Expr, want?: ValueType): Emitted {
    switch (expr.kind) {
      case 'string':
        return { sql: dialect.text(expr.value), type: STRING }
      case 'bytes':
        return { sql: dialect.bytes(Buffer.from(expr.value, 'latin1').toString('hex')), type: BYTES }
      case 'number':
        return number(expr.text, dialect)
      case 'boolean':
        return { sql: expr.value ? 'TRUE' : 'FALSE', type: BOOL }
      case 'null':
        return { sql: 'NULL', type: UNKNOWN }
      case 'typed':
        return typed(expr.type, expr.text, expr.at)
      case 'parameter':
        return around.parameter(expr.name, want)
      case 'path':
        return path(expr.parts, expr.at)
      case 'field':
        return field(emit(expr.of), expr.name, expr.at)
      case 'element':
        return element(expr)
      case 'unary': {
        const of = expr.operator === 'not' ? emit(expr.of, BOOL) : emitter.wide(expr.of)
        if (expr.operator === 'not') return { sql: `(NOT ${of.sql})`, type: BOOL }
        if (expr.operator === '~' && dialect.instead) return { sql: dialect.instead.bitNot(of.sql), type: of.type }
        return { sql: `(${expr.operator} ${of.sql})`, type: of.type }
      }
      case 'binary':
        return binary(expr)
      case 'is': {
        const of = emit(expr.of, expr.what === 'null' ? undefined : BOOL)
        if (expr.what === 'null' && (of.type.kind === 'array' || of.type.kind === 'struct'))
          return { sql: `(${dialect.isNull(of, expr.not)})`, type: BOOL }
        if (dialect.instead && (expr.what === 'true' || expr.what === 'false'))
          return { sql: `(${dialect.instead.isTruth(of.sql, expr.what, expr.not)})`, type: BOOL }
        const what = expr.what === 'unknown' ? 'NULL' : expr.what.toUpperCase()
        return { sql: `(${of.sql} IS ${expr.not ? 'NOT ' : ''}${what})`, type: BOOL }
      }
      case 'distinct': {
        const [left, right] = compared(expr.left, expr.right)
        if (dialect.instead)
          return { sql: `(${dialect.instead.isDistinct(left.sql, right.sql, expr.not)})`, type: BOOL }
        return { sql: `(${left.sql} IS ${expr.not ? 'NOT ' : ''}DISTINCT FROM ${right.sql})`, type: BOOL }
      }
      case 'between': {
        const [of, low] = compared(expr.of, expr.low)
        const [, high] = comparedWith(of, expr.high)
        const [tested, from, to] = [of, low, high].map((each) => dialect.ordered(each))
        return { sql: `(${tested} ${expr.not ? 'NOT ' : ''}BETWEEN ${from} AND ${to})`, type: BOOL }
      }
      case 'like': {
        const [of, pattern] = [emit(expr.of, STRING), emit(expr.pattern, STRING)]
        // A backslash escapes in GoogleSQL's patterns without being named.
        const escaping = expr.pattern.kind === 'string' && !expr.pattern.value.includes('\\') ? '' : " ESCAPE '\\'"
        const asked = dialect.instead?.likePattern(pattern.sql) ?? `${pattern.sql}${escaping}`
        return { sql: `(${of.sql} ${expr.not ? 'NOT ' : ''}LIKE ${asked})`, type: BOOL }
      }
      case 'inList': {
        const of = expr.of.kind === 'parameter' ? emit(expr.of, literalType(expr.items)) : emit(expr.of)
        const items = expr.items.map((item) => comparedWith(of, item)[1].sql)
        // The engine of `instead` takes no NULL for an item that might be equal.
        if (dialect.instead && expr.items.some(({ kind }) => kind === 'null')) {
          const isAny = items.map((item) => `${of.sql} = ${item}`).join(' OR ')
          return { sql: expr.not ? `(NOT (${isAny}))` : `(${isAny})`, type: BOOL }
        }
        return { sql: `(${of.sql} ${expr.not ? 'NOT ' : ''}IN (${items.join(', ')}))`, type: BOOL }
      }
      case 'inQuery': {
        const query = inner(expr.query, expr.at)
        const of = emit(expr.of, query.columns[0]?.type)
        return { sql: `(${of.sql} ${expr.not ? 'NOT ' : ''}IN (${query.sql}))`, type: BOOL }
      }
      case 'inArray': {
        if (expr.array.kind === 'array' && expr.array.items.length > 0) {
          return emit({ ...expr, kind: 'inList', items: expr.array.items })
        }
        // A parameter is a list of what it is compared with.
        const known = expr.array.kind === 'parameter' ? emit(expr.of) : null
        const array = emit(expr.array, known ? arrayOf(known.type) : undefined)
        const of = known ?? emit(expr.of, elementOf(array.type))
        const test = dialect.contains(array, of)
        return { sql: expr.not ? `(NOT ${test})` : test, type: BOOL }
      }
      case 'case':
        return cases(expr)
      case 'cast':
        return emitCast(expr.of, expr.to, expr.safe, expr.at, emitter)
      case 'extract':
        return emitExtract(expr.part, expr.of, expr.zone, expr.at, emitter)
      case 'interval':
        return { sql: emitInterval(expr.of, expr.unit, expr.at, emitter), type: INTERVAL }
      case 'array': {
        const items = emitAlike(sameFields(expr.items), emitter)
        const declared = expr.of ? typeNamed({ kind: 'array', of: expr.of }, dialect.engine) : null
        if (expr.of && !declared) throw around.fail(expr.at, 'unknown type of array elements')
        const type = declared?.type ?? arrayOf(arrayElement(items))
        return { sql: dialect.list(items, declared?.engine ?? null), type }
      }
      case 'struct':
        return struct(expr)
      case 'scalarQuery': {
        const query = inner(expr.query, expr.at)
        const none = dialect.instead ? ofNoRows(expr.query) : null
        const sql = none ? dialect.instead!.ofNoRows(`(${query.sql})`, emitter.wide(none).sql) : `(${query.sql})`
        return { sql, type: query.columns[0]?.type ?? UNKNOWN }
      }
      case 'arrayQuery': {
        const query = around.query(expr.query)
        if (query.isCorrelated && dialect.instead)
          throw emitter.lacks(expr.at, 'ARRAY of a query that reads the row around it')
        return {
          sql: dialect.listOfQuery(query.sql, query.columns[0]),
          type: arrayOf(query.columns[0]?.type ?? UNKNOWN),
        }
      }
      case 'exists':
        return { sql: `EXISTS (${inner(expr.query, expr.at).sql})`, type: BOOL }
      case 'call':
        return call(expr)
    }
  }

  function inner(query: Query, at: number): Inner {
    const found = around.query(query)
    const isCut = query.orderBy.length > 0 || query.limit !== null
    if (found.isCorrelated && isCut && dialect.instead)
      throw emitter.lacks(at, 'ORDER BY or LIMIT in a query that reads the row around it')
    return found
  }

  function typed(type: string, written: string, at: number): Emitted {
    if (isTimeKind(type)) {
      const sql = timeLiteral(written, type, dialect)
      if (sql === null) throw around.fail(at, `${JSON.stringify(written)} is no ${type}`)
      return { sql, type: { kind: type } }
    }
    const known = typeNamed({ kind: 'scalar', name: type }, dialect.engine)!
    return { sql: `CAST(${dialect.text(written)} AS ${known.engine})`, type: known.type }
  }

  function path(parts: Name[], at: number): Emitted {
    const found = resolve(parts, around.scope)
    if (found.kind === 'value') return found.rest.reduce((of, name) => field(of, name.text, at), found.value)
    if (found.kind === 'row') {
      const { alias, columns } = found.range
      const row: Emitted = { sql: dialect.row(alias, columns), type: { kind: 'struct', fields: columns } }
      return found.rest.reduce((of, name) => field(of, name.text, at), row)
    }
    if (found.kind === 'ambiguous')
      throw around.fail(at, `the field ${found.name} is ambiguous: say which table it belongs to`)
    const bare = parts[0]!.text.toLowerCase()
    if (parts.length === 1 && !parts[0]!.quoted && BARE_CALLS.has(bare)) return call(plainCall(bare, at))
    throw around.fail(at, `unknown field ${found.name}`)
  }

  function field(of: Emitted, name: string, at: number): Emitted {
    if (of.type.kind === 'struct') {
      const known = columnNamed(of.type.fields, name)
      if (!known) throw around.fail(at, `unknown field ${name}`)
      const inner: Emitted = { sql: dialect.field(of, known.name, known.type), type: known.type }
      if (of.fieldOf) inner.fieldOf = { ...of.fieldOf, path: `${of.fieldOf.path}.${known.name}` }
      return inner
    }
    if (of.type.kind === 'json') return { sql: dialect.field(of, name, JSON_TYPE), type: JSON_TYPE }
    if (of.type.kind === 'array')
      throw around.fail(at, `the field ${name} belongs to a list: use UNNEST to read its elements`)
    if (of.type.kind !== 'unknown')
      throw around.fail(at, `unknown field ${name}: the value it is asked of is no object`)
    return { sql: dialect.field(of, name, UNKNOWN), type: UNKNOWN }
  }

  function element(expr: Expr & { kind: 'element' }): Emitted {
    const literal = wholeNumber(expr.index)
    const shift = expr.mode === 'ordinal' || expr.mode === 'safe_ordinal' ? 1 : 0
    if (expr.of.kind === 'call' && expr.of.name === 'approx_quantiles' && literal !== null) {
      const one = emitQuantile(expr.of, literal - shift, innerEmitter())
      if (one) return one
    }
    const of = emit(expr.of)
    if (of.type.kind === 'json') {
      const index = expr.index.kind === 'string' ? { name: expr.index.value } : { position: emit(expr.index).sql }
      return { sql: dialect.jsonElement(of.sql, index), type: JSON_TYPE }
    }
    const index = emit(expr.index, INT64).sql
    const position = shift ? `${index} - 1` : index
    return { sql: dialect.element(of, position, expr.mode.startsWith('safe')), type: elementOf(of.type) }
  }

  /** Both sides of a comparison: a parameter takes the other's type, a text beside a time is read as that time. */
  function compared(left: Expr, right: Expr): [Emitted, Emitted] {
    const leftIsOpen = left.kind === 'parameter' || left.kind === 'string'
    if (!leftIsOpen) return comparedWith(emit(left), right)
    const known = emit(right, left.kind === 'string' ? STRING : undefined)
    const [, other] = comparedWith(known, left)
    return [other, known]
  }

  function comparedWith(known: Emitted, other: Expr): [Emitted, Emitted] {
    if (isTimeKind(known.type.kind) && (other.kind === 'string' || other.kind === 'parameter')) {
      return [known, emitTime(other, known.type, emitter)]
    }
    const emitted = emit(other, known.type)
    // A date beside an instant is its midnight in both engines, so nothing to do there.
    return [known, emitted]
  }

  function binary(expr: Expr & { kind: 'binary' }): Emitted {
    const { operator } = expr
    if (operator === 'and' || operator === 'or') {
      return { sql: `(${chain(expr, operator).join(` ${operator.toUpperCase()} `)})`, type: BOOL }
    }
    if (COMPARED.has(operator)) {
      const [left, right] = compared(expr.left, expr.right)
      return { sql: dialect.compare(left, operator, right), type: BOOL }
    }
    const [left, right] =
      operator === '||'
        ? [emit(expr.left, STRING), emit(expr.right, STRING)]
        : emitAlike([expr.left, expr.right], emitter)
    const type =
      operator === '/' ? FLOAT64 : operator === '||' ? left!.type : resultType(left!.type, right!.type, operator)
    if (operator === '/') {
      const plain = expr.right.kind === 'number' && Number(expr.right.text) !== 0
      return { sql: dialect.divide(left!.sql, right!.sql, plain), type }
    }
    return { sql: dialect.calculate(left!, operator, right!), type }
  }

  /** A long AND or OR is written flat, as nesting each term costs the engine's parser its stack. */
  function chain(expr: Expr, operator: 'and' | 'or'): string[] {
    const terms: Expr[] = []
    let at = expr
    while (at.kind === 'binary' && at.operator === operator) {
      terms.push(at.right)
      at = at.left
    }
    terms.push(at)
    return terms.reverse().map((term) => emit(term, BOOL).sql)
  }

  function cases(expr: Expr & { kind: 'case' }): Emitted {
    const of = expr.of ? emit(expr.of) : null
    const tests = expr.whens.map(({ when }) => (of ? comparedWith(of, when)[1] : emit(when, BOOL)).sql)
    const results = emitAlike(
      [...expr.whens.map(({ result }) => result), ...(expr.otherwise ? [expr.otherwise] : [])],
      emitter,
    )
    const whens = tests.map((test, i) => `WHEN ${test} THEN ${results[i]!.sql}`)
    const otherwise = expr.otherwise ? ` ELSE ${results.at(-1)!.sql}` : ''
    return {
      sql: `CASE ${of ? `${of.sql} ` : ''}${whens.join(' ')}${otherwise} END`,
      type: commonType(results.map((result) => result.type)),
    }
  }

  function struct(expr: Expr & { kind: 'struct' }): Emitted {
    const declared = expr.type ? typeNamed(expr.type, dialect.engine) : null
    const fields = expr.items.map((item, i) => {
      const value = emitter.wide(item.value)
      const known = declared?.type.kind === 'struct' ? declared.type.fields[i]?.name : undefined
      return { name: known ?? item.name ?? lastName(item.value) ?? `_field_${i + 1}`, value }
    })
    if (fields.length === 0) throw around.fail(expr.at, 'a STRUCT needs at least one field')
    const sql = dialect.object(fields, declared?.engine ?? null)
    const type: ValueType = { kind: 'struct', fields: fields.map(({ name, value }) => ({ name, type: value.type })) }
    return { sql, type: declared?.type ?? type }
  }

  function call(expr: Call): Emitted {
    const rule = functionNamed(expr.name)
    if (!rule) throw around.fail(expr.at, `unknown or forbidden function ${expr.name}`)
    const name = expr.name.toUpperCase()
    if (expr.args.length < rule.least || expr.args.length > rule.most) {
      const count = rule.least === rule.most ? `${rule.least}` : `${rule.least} to ${rule.most}`
      throw around.fail(expr.at, `${name} takes ${count} argument(s), not ${expr.args.length}`)
    }
    if (expr.star && expr.name !== 'count') throw around.fail(expr.at, `${name} does not take *`)
    if (rule.window && !expr.over) throw around.fail(expr.at, `${name} needs OVER (…)`)
    const modified = expr.distinct || expr.orderBy.length > 0 || expr.limit !== null || expr.having !== null
    if (!rule.aggregate && ((expr.over && !rule.window) || modified)) {
      throw around.fail(expr.at, `${name} is no aggregate function`)
    }
    const emitted = rule.emit(expr, rule.aggregate ? innerEmitter() : emitter)
    if (emitted.sql.length > MOST_SQL) throw around.fail(expr.at, 'the query is too complex')
    if (!expr.safe) return emitted
    const attempt = dialect.attempt(emitted.sql) ?? (rule.attempts ? emitted.sql : null)
    if (attempt === null) throw emitter.lacks(expr.at, `SAFE.${name}`)
    return { ...emitted, sql: attempt }
  }

  function windowText(window: Window, at: number): string {
    const base = window.base === null ? null : around.windows.get(window.base.toLowerCase())
    if (base === undefined) throw around.fail(at, `unknown window ${window.base}`)
    const full: Window = base
      ? {
          base: null,
          partitionBy: [...base.partitionBy, ...window.partitionBy],
          orderBy: window.orderBy.length > 0 ? window.orderBy : base.orderBy,
          frame: window.frame ?? base.frame,
        }
      : window
    const parts: string[] = []
    if (full.partitionBy.length > 0)
      parts.push(`PARTITION BY ${full.partitionBy.map((expr) => emit(expr).sql).join(', ')}`)
    if (full.orderBy.length > 0) parts.push(`ORDER BY ${emitter.orders(full.orderBy)}`)
    if (full.frame) {
      const { unit, from, to } = full.frame
      parts.push(`${unit.toUpperCase()} ${to ? `BETWEEN ${edgeText(from)} AND ${edgeText(to)}` : edgeText(from)}`)
    }
    return parts.join(' ')
  }

  const edgeText = (edge: FrameEdge): string =>
    edge.kind === 'current'
      ? 'CURRENT ROW'
      : `${edge.value ? emit(edge.value, INT64).sql : 'UNBOUNDED'} ${edge.side.toUpperCase()}`

  return emitter
}

/** GoogleSQL puts NULLs first when ascending and last when descending; the engine has its own default. */
export function orderText(order: Order, sql: string, isNeverNull = false): string {
  if (isNeverNull) return `${sql} ${order.descending ? 'DESC' : 'ASC'}`
  const nulls = order.nulls ?? (order.descending ? 'last' : 'first')
  return `${sql} ${order.descending ? 'DESC' : 'ASC'} NULLS ${nulls.toUpperCase()}`
}

/** The name a value has when it gets no alias: the last part of a path. */
export function lastName(expr: Expr): string | null {
  if (expr.kind === 'path') return expr.parts.at(-1)!.text
  if (expr.kind === 'field') return expr.name
  return null
}

const plainCall = (name: string, at: number): Call => ({
  kind: 'call',
  name,
  args: [],
  safe: false,
  star: false,
  distinct: false,
  nulls: null,
  having: null,
  orderBy: [],
  limit: null,
  over: null,
  at,
})

function number(text: string, dialect: Dialect): Emitted {
  if (/^-?0[xX]/.test(text))
    return { sql: String(text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)), type: INT64 }
  if (/^-?\d+$/.test(text)) return { sql: text, type: INT64 }
  return { sql: dialect.float(text), type: FLOAT64 }
}

function resultType(left: ValueType, right: ValueType, operator: string): ValueType {
  const kinds = [left.kind, right.kind]
  if (kinds.includes('unknown')) return UNKNOWN
  if (kinds.includes('interval')) {
    const other = left.kind === 'interval' ? right : left
    return other.kind === 'date' ? { kind: 'datetime' } : other
  }
  if (left.kind === 'date' && right.kind === 'int64') return left
  if (operator === '-' && isTimeKind(left.kind)) return left.kind === 'date' ? INT64 : INTERVAL
  return commonType([left, right])
}

/** Objects of one list have the fields that its first one names. */
function sameFields(items: Expr[]): Expr[] {
  const [first] = items
  if (first?.kind !== 'struct') return items
  const names = first.items.map((item) => item.name ?? lastName(item.value))
  return items.map((each) =>
    each.kind === 'struct' && each.type === null
      ? { ...each, items: each.items.map((item, i) => ({ ...item, name: names[i] ?? item.name })) }
      : each,
  )
}

const arrayElement = (items: Emitted[]): ValueType =>
  items[0]?.type.kind === 'struct' ? items[0].type : commonType(items.map((item) => item.type))

function literalType(items: Expr[]): ValueType {
  if (items.every((item) => item.kind === 'string')) return STRING
  if (items.every((item) => item.kind === 'number'))
    return items.every((item) => wholeNumber(item) !== null) ? INT64 : FLOAT64
  return UNKNOWN
}
