import type { Cursor } from './cursor.ts'
import type { BinaryOperator, Call, Expr, Frame, FrameEdge, Name, Order, PositionMode, Window } from './tree.ts'
import { parseTypeName } from './type-names.ts'

/** Binary operators by how tightly they bind, loosest first; comparisons stand between `not` and these. */
const LEVELS: BinaryOperator[][] = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '||']]
const COMPARISONS: Record<string, BinaryOperator> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}
const TYPED = new Set(['timestamp', 'date', 'datetime', 'time', 'numeric', 'bignumeric', 'json'])
const POSITIONS: readonly PositionMode[] = ['offset', 'ordinal', 'safe_offset', 'safe_ordinal']

export function parseExpression(cursor: Cursor): Expr {
  return cursor.nested(() => parseOr(cursor))
}

function parseOr(cursor: Cursor): Expr {
  let left = parseAnd(cursor)
  while (cursor.isWord('or')) {
    const { at } = cursor.take()
    left = { kind: 'binary', operator: 'or', left, right: parseAnd(cursor), at }
  }
  return left
}

function parseAnd(cursor: Cursor): Expr {
  let left = parseNot(cursor)
  while (cursor.isWord('and')) {
    const { at } = cursor.take()
    left = { kind: 'binary', operator: 'and', left, right: parseNot(cursor), at }
  }
  return left
}

function parseNot(cursor: Cursor): Expr {
  if (!cursor.isWord('not')) return parseComparison(cursor)
  const { at } = cursor.take()
  return { kind: 'unary', operator: 'not', of: cursor.nested(() => parseNot(cursor)), at }
}

function parseComparison(cursor: Cursor): Expr {
  let left = parseLevel(cursor, 0)
  for (;;) {
    const { at, kind, text } = cursor.peek()
    const operator = kind === 'symbol' ? COMPARISONS[text] : undefined
    if (operator) {
      cursor.take()
      left = { kind: 'binary', operator, left, right: parseLevel(cursor, 0), at }
      continue
    }
    if (cursor.takeWords('is')) {
      left = parseIs(cursor, left, at)
      continue
    }
    const not = cursor.isWord('not') && ['in', 'like', 'between'].some((word) => cursor.isWord(word, 1))
    if (not) cursor.take()
    if (cursor.takeWords('between')) {
      const low = parseLevel(cursor, 0)
      cursor.expectWord('and')
      left = { kind: 'between', of: left, not, low, high: parseLevel(cursor, 0), at }
    } else if (cursor.takeWords('like')) {
      left = { kind: 'like', of: left, not, pattern: parseLevel(cursor, 0), at }
    } else if (cursor.takeWords('in')) {
      left = parseIn(cursor, left, not, at)
    } else return left
  }
}

function parseIs(cursor: Cursor, of: Expr, at: number): Expr {
  const not = cursor.takeWords('not')
  if (cursor.takeWords('distinct', 'from')) return { kind: 'distinct', left: of, right: parseLevel(cursor, 0), not, at }
  for (const what of ['null', 'true', 'false', 'unknown'] as const) {
    if (cursor.takeWords(what)) return { kind: 'is', of, not, what, at }
  }
  throw cursor.fail('NULL, TRUE, FALSE or DISTINCT FROM')
}

function parseIn(cursor: Cursor, of: Expr, not: boolean, at: number): Expr {
  if (cursor.takeWords('unnest')) {
    cursor.expectSymbol('(')
    const array = parseExpression(cursor)
    cursor.expectSymbol(')')
    return { kind: 'inArray', of, not, array, at }
  }
  if (cursor.peek().kind === 'parameter') throw cursor.refuse('write IN UNNEST(@list) for a list in a parameter')
  cursor.expectSymbol('(')
  const node: Expr = cursor.startsQuery()
    ? { kind: 'inQuery', of, not, query: cursor.query(), at }
    : { kind: 'inList', of, not, items: cursor.list(() => parseExpression(cursor)), at }
  cursor.expectSymbol(')')
  return node
}

function parseLevel(cursor: Cursor, level: number): Expr {
  const operators = LEVELS[level]
  if (!operators) return parseUnary(cursor)
  let left = parseLevel(cursor, level + 1)
  for (;;) {
    const operator = operators.find((symbol) => cursor.isSymbol(symbol))
    if (!operator) return left
    const { at } = cursor.take()
    left = { kind: 'binary', operator, left, right: parseLevel(cursor, level + 1), at }
  }
}

function parseUnary(cursor: Cursor): Expr {
  for (const operator of ['-', '+', '~'] as const) {
    if (!cursor.isSymbol(operator)) continue
    const { at } = cursor.take()
    const of = cursor.nested(() => parseUnary(cursor))
    if (operator === '-' && of.kind === 'number' && !of.text.startsWith('-')) return { ...of, text: `-${of.text}`, at }
    return { kind: 'unary', operator, of, at }
  }
  return parsePostfix(cursor)
}

function parsePostfix(cursor: Cursor): Expr {
  let node = parsePrimary(cursor)
  for (;;) {
    const { at } = cursor.peek()
    if (!cursor.isSymbol('*', 1) && cursor.takeSymbol('.')) {
      const { kind, text } = cursor.take()
      if (kind !== 'word' && kind !== 'quoted') throw cursor.fail('a field name', at)
      node = { kind: 'field', of: node, name: text, at }
    } else if (cursor.takeSymbol('[')) {
      node = parseElement(cursor, node, at)
      cursor.expectSymbol(']')
    } else if (cursor.takeSymbol('::')) {
      node = { kind: 'cast', of: node, to: parseTypeName(cursor), safe: false, at }
    } else return node
  }
}

function parseElement(cursor: Cursor, of: Expr, at: number): Expr {
  const mode = cursor.isSymbol('(', 1) ? POSITIONS.find((word) => cursor.isWord(word)) : undefined
  if (!mode) return { kind: 'element', of, mode: 'plain', index: parseExpression(cursor), at }
  cursor.take()
  cursor.expectSymbol('(')
  const index = parseExpression(cursor)
  cursor.expectSymbol(')')
  return { kind: 'element', of, mode, index, at }
}

function parsePrimary(cursor: Cursor): Expr {
  const token = cursor.peek()
  const { at, text } = token
  if (token.kind === 'string' || token.kind === 'bytes') {
    cursor.take()
    return { kind: token.kind, value: text, at }
  }
  if (token.kind === 'number') {
    cursor.take()
    return { kind: 'number', text, at }
  }
  if (token.kind === 'parameter') {
    cursor.take()
    return { kind: 'parameter', name: text, at }
  }
  if (cursor.isSymbol('(')) return parseBrackets(cursor, at)
  if (cursor.isSymbol('[')) return parseArray(cursor, at)
  if (token.kind === 'word') {
    const special = SPECIAL.get(text.toLowerCase())?.(cursor, at)
    if (special) return special
    if (TYPED.has(text.toLowerCase()) && cursor.peek(1).kind === 'string') {
      cursor.take()
      return { kind: 'typed', type: text.toLowerCase(), text: cursor.take().text, at }
    }
    if (cursor.isReserved(token) && !cursor.isSymbol('(', 1)) throw cursor.fail('an expression')
  } else if (token.kind !== 'quoted') throw cursor.fail('an expression')
  return parsePathOrCall(cursor, at)
}

/** The words that open a form of their own. A word that turns out to be a plain name gives undefined. */
const FORMS: Record<string, (cursor: Cursor, at: number) => Expr | undefined> = {
  null: (cursor) => ({ kind: 'null', at: cursor.take().at }),
  true: (cursor) => ({ kind: 'boolean', value: true, at: cursor.take().at }),
  false: (cursor) => ({ kind: 'boolean', value: false, at: cursor.take().at }),
  case: parseCase,
  cast: (cursor, at) => parseCast(cursor, false, at),
  safe_cast: (cursor, at) => (cursor.isSymbol('(', 1) ? parseCast(cursor, true, at) : undefined),
  extract: parseExtract,
  exists: (cursor, at) => {
    cursor.take()
    return { kind: 'exists', query: bracketedQuery(cursor), at }
  },
  interval: parseInterval,
  array: parseArray,
  struct: parseStruct,
}
// A map, as words such as `constructor` would be found in any object.
const SPECIAL = new Map(Object.entries(FORMS))

function bracketedQuery(cursor: Cursor) {
  cursor.expectSymbol('(')
  const query = cursor.query()
  cursor.expectSymbol(')')
  return query
}

function parseBrackets(cursor: Cursor, at: number): Expr {
  if (cursor.isWord('select', 1) || cursor.isWord('with', 1)) {
    return { kind: 'scalarQuery', query: bracketedQuery(cursor), at }
  }
  cursor.take()
  const first = parseExpression(cursor)
  if (!cursor.isSymbol(',')) {
    cursor.expectSymbol(')')
    return first
  }
  const items = [{ value: first, name: null as string | null }]
  while (cursor.takeSymbol(',')) items.push({ value: parseExpression(cursor), name: null })
  cursor.expectSymbol(')')
  return { kind: 'struct', items, type: null, at }
}

function parseCase(cursor: Cursor, at: number): Expr {
  cursor.take()
  const of = cursor.isWord('when') ? null : parseExpression(cursor)
  const whens: { when: Expr; result: Expr }[] = []
  while (cursor.takeWords('when')) {
    const when = parseExpression(cursor)
    cursor.expectWord('then')
    whens.push({ when, result: parseExpression(cursor) })
  }
  if (whens.length === 0) throw cursor.fail('WHEN')
  const otherwise = cursor.takeWords('else') ? parseExpression(cursor) : null
  cursor.expectWord('end')
  return { kind: 'case', of, whens, otherwise, at }
}

function parseCast(cursor: Cursor, safe: boolean, at: number): Expr {
  cursor.take()
  cursor.expectSymbol('(')
  const of = parseExpression(cursor)
  cursor.expectWord('as')
  const to = parseTypeName(cursor)
  if (cursor.isWord('format'))
    throw cursor.refuse('CAST with FORMAT is not supported; use FORMAT_TIMESTAMP or PARSE_TIMESTAMP')
  cursor.expectSymbol(')')
  return { kind: 'cast', of, to, safe, at }
}

function parseExtract(cursor: Cursor, at: number): Expr {
  cursor.take()
  cursor.expectSymbol('(')
  const part = parsePrimary(cursor)
  cursor.expectWord('from')
  const of = parseExpression(cursor)
  const zone = cursor.takeWords('at', 'time', 'zone') ? parseExpression(cursor) : null
  cursor.expectSymbol(')')
  return { kind: 'extract', part, of, zone, at }
}

function parseInterval(cursor: Cursor, at: number): Expr {
  cursor.take()
  const of = parseLevel(cursor, 0)
  const unit = cursor.takeName('a unit of time').toLowerCase()
  if (cursor.isWord('to')) throw cursor.refuse('an interval over several units is not supported; add two intervals')
  return { kind: 'interval', of, unit, at }
}

function parseArray(cursor: Cursor, at: number): Expr {
  let of = null
  if (cursor.takeWords('array')) {
    if (cursor.isSymbol('(')) return { kind: 'arrayQuery', query: bracketedQuery(cursor), at }
    if (cursor.takeSymbol('<')) {
      of = parseTypeName(cursor)
      cursor.expectClosingAngle()
    }
  }
  cursor.expectSymbol('[')
  const items = cursor.isSymbol(']') ? [] : cursor.list(() => parseExpression(cursor))
  cursor.expectSymbol(']')
  return { kind: 'array', items, of, at }
}

function parseStruct(cursor: Cursor, at: number): Expr {
  const type = cursor.isSymbol('<', 1) ? parseTypeName(cursor) : null
  if (!type) cursor.take()
  cursor.expectSymbol('(')
  const one = () => {
    const value = parseExpression(cursor)
    return { value, name: cursor.takeWords('as') ? cursor.takeName('a field name') : null }
  }
  const items = cursor.isSymbol(')') ? [] : cursor.list(one)
  cursor.expectSymbol(')')
  return { kind: 'struct', items, type, at }
}

function parsePathOrCall(cursor: Cursor, at: number): Expr {
  const parts: Name[] = [takePart(cursor)]
  while (cursor.isSymbol('.') && !cursor.isSymbol('*', 1)) {
    cursor.take()
    const { kind } = cursor.peek()
    if (kind !== 'word' && kind !== 'quoted') throw cursor.fail('a field name')
    parts.push(takePart(cursor))
  }
  if (!cursor.isSymbol('(')) return { kind: 'path', parts, at }
  return parseCall(
    cursor,
    parts.map((part) => part.text.toLowerCase()),
    at,
  )
}

function takePart(cursor: Cursor): Name {
  const { kind, text } = cursor.take()
  return { text, quoted: kind === 'quoted' }
}

function parseCall(cursor: Cursor, names: string[], at: number): Call {
  const safe = names.length > 1 && names[0] === 'safe'
  const call: Call = {
    kind: 'call',
    name: (safe ? names.slice(1) : names).join('.'),
    args: [],
    safe,
    star: false,
    distinct: false,
    nulls: null,
    having: null,
    orderBy: [],
    limit: null,
    over: null,
    at,
  }
  cursor.expectSymbol('(')
  if (cursor.takeSymbol('*')) call.star = true
  else if (!cursor.isSymbol(')')) parseArguments(cursor, call)
  cursor.expectSymbol(')')
  if (cursor.takeWords('over')) call.over = parseOver(cursor)
  return call
}

function parseArguments(cursor: Cursor, call: Call): void {
  call.distinct = cursor.takeWords('distinct')
  call.args = cursor.list(() => {
    if (cursor.isWord('interval') || !cursor.startsQuery()) return parseExpression(cursor)
    const { at } = cursor.peek()
    return cursor.isSymbol('(') ? parseExpression(cursor) : { kind: 'scalarQuery' as const, query: cursor.query(), at }
  })
  takeNulls(cursor, call)
  if (cursor.takeWords('having')) {
    const most = cursor.takeWords('max')
    if (!most) cursor.expectWord('min')
    call.having = { most, value: parseExpression(cursor) }
  }
  call.orderBy = parseOrderBy(cursor)
  if (cursor.takeWords('limit')) call.limit = parseExpression(cursor)
}

function takeNulls(cursor: Cursor, call: Call): void {
  if (cursor.takeWords('ignore', 'nulls')) call.nulls = 'ignore'
  else if (cursor.takeWords('respect', 'nulls')) call.nulls = 'respect'
}

export function parseOrderBy(cursor: Cursor): Order[] {
  if (!cursor.takeWords('order', 'by')) return []
  return cursor.list(() => {
    const value = parseExpression(cursor)
    const descending = cursor.takeWords('desc')
    if (!descending) cursor.takeWords('asc')
    const nulls = cursor.takeWords('nulls', 'first') ? 'first' : cursor.takeWords('nulls', 'last') ? 'last' : null
    return { value, descending, nulls }
  })
}

function parseOver(cursor: Cursor): Window {
  if (cursor.startsName()) return { base: cursor.take().text, partitionBy: [], orderBy: [], frame: null }
  return parseWindow(cursor)
}

export function parseWindow(cursor: Cursor): Window {
  cursor.expectSymbol('(')
  const base = cursor.startsName() && !cursor.isWord('rows') ? cursor.take().text : null
  const partitionBy = cursor.takeWords('partition', 'by') ? cursor.list(() => parseExpression(cursor)) : []
  const orderBy = parseOrderBy(cursor)
  const frame = parseFrame(cursor)
  cursor.expectSymbol(')')
  return { base, partitionBy, orderBy, frame }
}

function parseFrame(cursor: Cursor): Frame | null {
  const unit = cursor.takeWords('rows') ? 'rows' : cursor.takeWords('range') ? 'range' : null
  if (!unit) return null
  if (!cursor.takeWords('between')) return { unit, from: parseFrameEdge(cursor), to: null }
  const from = parseFrameEdge(cursor)
  cursor.expectWord('and')
  return { unit, from, to: parseFrameEdge(cursor) }
}

function parseFrameEdge(cursor: Cursor): FrameEdge {
  if (cursor.takeWords('current', 'row')) return { kind: 'current' }
  const value = cursor.takeWords('unbounded') ? null : parseLevel(cursor, 0)
  const side = cursor.takeWords('preceding') ? 'preceding' : cursor.takeWords('following') ? 'following' : null
  if (!side) throw cursor.fail('PRECEDING or FOLLOWING')
  return { kind: value ? 'value' : 'unbounded', value, side }
}
