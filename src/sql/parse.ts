import { Fault } from '../base/faults.ts'
import { type Cursor, createCursor } from './cursor.ts'
import { parseExpression, parseOrderBy, parseWindow } from './expressions.ts'
import { faultAt } from './lexer.ts'
import type { Body, Cte, Grouping, Item, JoinKind, Name, Query, Relation, Select } from './tree.ts'

/** The one query of a text. Anything that is no query, or more than one, is a fault with its position. */
export function parse(sql: string): Query {
  const cursor: Cursor = createCursor(sql, () => parseQuery(cursor))
  while (cursor.takeSymbol(';'));
  if (cursor.peek().kind === 'end') throw new Fault('bad_request', 'the query is empty: send SQL text')
  if (!cursor.startsQuery()) {
    throw faultAt(sql, cursor.peek().at, `only SELECT queries are allowed, found ${JSON.stringify(cursor.peek().text)}`)
  }
  const query = cursor.query()
  const ended = cursor.isSymbol(';')
  while (cursor.takeSymbol(';'));
  if (cursor.peek().kind !== 'end') {
    if (ended) throw cursor.refuse('only one statement is allowed')
    throw cursor.fail('the end of the query')
  }
  return query
}

function parseQuery(cursor: Cursor): Query {
  const { at } = cursor.peek()
  const withed = cursor.takeWords('with')
  const recursive = withed && cursor.takeWords('recursive')
  const ctes = withed ? parseCtes(cursor) : []
  const body = parseBody(cursor)
  const orderBy = parseOrderBy(cursor)
  const limit = cursor.takeWords('limit') ? parseExpression(cursor) : null
  const offset = cursor.takeWords('offset') ? parseExpression(cursor) : null
  return { ctes, recursive, body, orderBy, limit, offset, sealed: false, at }
}

function parseCtes(cursor: Cursor): Cte[] {
  const ctes: Cte[] = []
  do {
    if (ctes.length > 0 && (cursor.isWord('select') || cursor.isSymbol('('))) break // a trailing comma
    const { at } = cursor.peek()
    const name = cursor.takeName('the name of a WITH query')
    cursor.expectWord('as')
    cursor.expectSymbol('(')
    if (!cursor.startsQuery()) throw cursor.refuse('only SELECT queries are allowed in WITH')
    const query = cursor.query()
    cursor.expectSymbol(')')
    ctes.push({ name, query, at })
  } while (cursor.takeSymbol(','))
  return ctes
}

const SET_OPERATORS = ['union', 'except', 'intersect'] as const

function parseBody(cursor: Cursor): Body {
  let left = parseTerm(cursor)
  for (;;) {
    const { at } = cursor.peek()
    const operator = SET_OPERATORS.find((word) => cursor.isWord(word))
    if (!operator) return left
    cursor.take()
    const all = cursor.takeWords('all')
    // Plain UNION is an error in GoogleSQL; other engines read it as DISTINCT, and so do we.
    if (!all) cursor.takeWords('distinct')
    left = { kind: 'set', operator, all, left, right: parseTerm(cursor), at }
  }
}

function parseTerm(cursor: Cursor): Body {
  const { at } = cursor.peek()
  if (cursor.takeSymbol('(')) {
    const query = cursor.query()
    cursor.expectSymbol(')')
    return { kind: 'nested', query, at }
  }
  return parseSelect(cursor)
}

function parseSelect(cursor: Cursor): Select {
  const { at } = cursor.peek()
  cursor.expectWord('select')
  const distinct = cursor.takeWords('distinct')
  if (!distinct) cursor.takeWords('all')
  const asStruct = cursor.takeWords('as', 'struct')
  if (!asStruct && cursor.isWord('as')) throw cursor.refuse('SELECT AS VALUE is not supported')
  const items = parseItems(cursor)
  const from = cursor.takeWords('from') ? parseFrom(cursor) : null
  const where = cursor.takeWords('where') ? parseExpression(cursor) : null
  const groupBy = parseGrouping(cursor)
  const having = cursor.takeWords('having') ? parseExpression(cursor) : null
  const qualify = cursor.takeWords('qualify') ? parseExpression(cursor) : null
  const windows = cursor.takeWords('window') ? parseWindows(cursor) : []
  return { kind: 'select', distinct, asStruct, items, from, where, groupBy, having, qualify, windows, at }
}

function parseWindows(cursor: Cursor): Select['windows'] {
  return cursor.list(() => {
    const name = cursor.takeName('a window name')
    cursor.expectWord('as')
    return { name, window: parseWindow(cursor) }
  })
}

function parseItems(cursor: Cursor): Item[] {
  const items: Item[] = []
  do {
    const ends = cursor.isWord('from') || cursor.isSymbol(')') || cursor.isSymbol(';') || cursor.peek().kind === 'end'
    if (items.length > 0 && ends) break // a trailing comma
    items.push(parseItem(cursor))
  } while (cursor.takeSymbol(','))
  return items
}

function parseItem(cursor: Cursor): Item {
  const { at } = cursor.peek()
  if (cursor.takeSymbol('*')) return { kind: 'star', of: null, ...parseStarChanges(cursor), at }
  const value = parseExpression(cursor)
  if (cursor.isSymbol('.') && cursor.isSymbol('*', 1)) {
    cursor.take()
    cursor.take()
    return { kind: 'star', of: value, ...parseStarChanges(cursor), at }
  }
  return { kind: 'value', value, alias: cursor.takeAlias(), at }
}

function parseStarChanges(cursor: Cursor) {
  let except: string[] = []
  let replace: { value: Item & { kind: 'value' } }[] = []
  if (cursor.isWord('except') && cursor.isSymbol('(', 1)) {
    cursor.take()
    cursor.take()
    except = cursor.list(() => cursor.takeName('a column name'))
    cursor.expectSymbol(')')
  }
  if (cursor.takeWords('replace')) {
    cursor.expectSymbol('(')
    replace = cursor.list(() => {
      const item = parseItem(cursor)
      if (item.kind !== 'value' || item.alias === null) throw cursor.fail('an expression with its column name')
      return { value: item }
    })
    cursor.expectSymbol(')')
  }
  return { except, replace: replace.map(({ value }) => ({ value: value.value, name: value.alias ?? '' })) }
}

function parseGrouping(cursor: Cursor): Grouping {
  if (!cursor.takeWords('group', 'by')) return { kind: 'none' }
  if (cursor.takeWords('all')) return { kind: 'all' }
  for (const kind of ['rollup', 'cube'] as const) {
    if (!cursor.takeWords(kind)) continue
    cursor.expectSymbol('(')
    const items = cursor.list(() => parseExpression(cursor))
    cursor.expectSymbol(')')
    return { kind, items }
  }
  return { kind: 'by', items: cursor.list(() => parseExpression(cursor)) }
}

function parseFrom(cursor: Cursor): Relation {
  let left = parseJoins(cursor)
  while (cursor.isSymbol(',')) {
    const { at } = cursor.take()
    left = { kind: 'join', join: 'cross', left, right: parseJoins(cursor), on: null, using: null, at }
  }
  return left
}

function parseJoins(cursor: Cursor): Relation {
  let left = parseRelation(cursor)
  for (;;) {
    const { at } = cursor.peek()
    const join = takeJoin(cursor)
    if (!join) return left
    const right = parseRelation(cursor)
    let on = null
    let using = null
    if (cursor.takeWords('on')) on = parseExpression(cursor)
    else if (cursor.takeWords('using')) {
      cursor.expectSymbol('(')
      using = cursor.list(() => cursor.takeName('a column name'))
      cursor.expectSymbol(')')
    }
    const array = right.kind === 'unnest' || right.kind === 'table'
    if (join !== 'cross' && !on && !using && !array) throw cursor.fail('ON or USING')
    left = { kind: 'join', join, left, right, on, using, at }
  }
}

function takeJoin(cursor: Cursor): JoinKind | null {
  if (cursor.takeWords('cross', 'join')) return 'cross'
  if (cursor.takeWords('join') || cursor.takeWords('inner', 'join')) return 'inner'
  for (const kind of ['left', 'right', 'full'] as const) {
    if (cursor.takeWords(kind, 'join') || cursor.takeWords(kind, 'outer', 'join')) return kind
  }
  return null
}

function parseRelation(cursor: Cursor): Relation {
  const { at, kind } = cursor.peek()
  if (cursor.takeWords('unnest')) return parseUnnest(cursor, at)
  if (cursor.isSymbol('(')) return parseBracketed(cursor, at)
  if (kind === 'string') throw cursor.refuse('a table is named without quotes or in back-ticks')
  const parts = parseTableName(cursor)
  if (cursor.isSymbol('('))
    throw cursor.refuse(`table functions are not allowed: ${parts.map((part) => part.text).join('.')}`, at)
  const alias = cursor.takeAlias()
  if (cursor.isWord('tablesample')) throw cursor.refuse('TABLESAMPLE is not supported')
  return { kind: 'table', parts, alias, at }
}

function parseBracketed(cursor: Cursor, at: number): Relation {
  if (!cursor.startsQuery()) {
    cursor.take()
    const relation = cursor.nested(() => parseFrom(cursor))
    cursor.expectSymbol(')')
    return relation
  }
  cursor.take()
  const query = cursor.query()
  cursor.expectSymbol(')')
  return { kind: 'derived', query, alias: cursor.takeAlias(), at }
}

function parseUnnest(cursor: Cursor, at: number): Relation {
  cursor.expectSymbol('(')
  const of = parseExpression(cursor)
  cursor.expectSymbol(')')
  const alias = cursor.takeAlias()
  const offset = cursor.takeWords('with', 'offset') ? (cursor.takeAlias() ?? 'offset') : null
  return { kind: 'unnest', of, alias, offset, at }
}

/** `a.b.c`, also in back-ticks, also with hyphens (`app-logs`), which belong to the name when nothing stands between. */
function parseTableName(cursor: Cursor): Name[] {
  const parts: Name[] = []
  do {
    const first = cursor.peek()
    if (
      parts.length === 0
        ? !cursor.startsName()
        : first.kind !== 'word' && first.kind !== 'quoted' && first.kind !== 'number'
    ) {
      throw cursor.fail('a table name')
    }
    cursor.take()
    let text = first.text
    let { end } = first
    while (first.kind === 'word' && cursor.isSymbol('-') && cursor.peek().at === end) {
      const next = cursor.peek(1)
      if (next.at !== end + 1 || (next.kind !== 'word' && next.kind !== 'number')) break
      cursor.take()
      cursor.take()
      text += `-${next.text}`
      end = next.end
      // The lexer reads the `1w` of `app-1w` as a number and a word.
      const rest = cursor.peek()
      if (next.kind === 'number' && rest.kind === 'word' && rest.at === end) {
        cursor.take()
        text += rest.text
        end = rest.end
      }
    }
    parts.push({ text, quoted: first.kind === 'quoted' })
  } while (cursor.takeSymbol('.'))
  return parts
}
