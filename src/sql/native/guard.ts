/**
 * The first fence for statements in an engine's own dialect, and where names of sources become tables.
 *
 * Promises: one statement that reads; every table in it is a source that the look-up named, one of its own WITH queries,
 * or a listed table function; every function is listed; parameters are places, never text. It knows where tables stand
 * (FROM, JOIN, commas between them, ClickHouse's IN) and nothing else of the grammar: a statement that is no SQL is left
 * to the engine to refuse, one that has a table where none is looked for cannot be written.
 * The engine's own fence (read-only, limits) is the second one.
 */
import { Fault } from '../../base/faults.ts'
import { faultAt } from '../lexer.ts'
import { isAllowed, isTableCall } from './functions.ts'
import { lexNative, type Token } from './lexer.ts'
import { AFTER_TABLE, ENDS_FROM, ENDS_VALUE, FROM_CALLS, type NativeDialect, NO_CALL, REFUSED } from './words.ts'

export type NativeRequest = {
  sql: string
  dialect: NativeDialect
  /** The source's token by its name as written, dots included. */
  resolve(name: string): string | undefined
  /** The text that stands for a source in FROM. */
  table(token: string, isFinal: boolean): string
  /** The place of a parameter in the text. */
  place(name: string, type: string | null): string
  requireTimestamp: boolean
  /** WITH queries of others that may be read. */
  known?: ReadonlySet<string>
}

export type Guarded = {
  text: string
  /** Its part before the statement's own SELECT; null when there is no WITH list. */
  withList: string | null
  /** Tokens, without doubles. */
  sources: string[]
  parameters: string[]
  /** The names of its WITH queries. */
  ctes: string[]
}

type Frame = {
  /** The function that the bracket belongs to. */
  call: string | null
  isQuery: boolean
  clause: 'with' | 'select' | 'from' | 'where' | 'other'
  expectsTable: boolean
  /** Names of sources read here, for the check on time. */
  reads: { name: string; at: number }[]
  hasTime: boolean
  /** WITH queries that can be read from here on, and in the brackets inside. */
  ctes: Set<string>
  isRecursive: boolean
  /** The WITH query whose body is to come, and the one whose body this is. */
  announced: string | null
  defines: string | null
}

const frame = (call: string | null, isQuery: boolean, expectsTable = false): Frame => ({
  ...{ call, isQuery, expectsTable, reads: [], hasTime: false, clause: expectsTable ? 'from' : 'other' },
  ...{ ctes: new Set<string>(), isRecursive: false, announced: null, defines: null },
})

export function guardNative(request: NativeRequest): Guarded {
  const { sql, dialect, resolve, table, place, requireTimestamp, known = new Set<string>() } = request
  const tokens = lexNative(sql, dialect)
  const out: string[] = []
  const sources = new Set<string>()
  const parameters = new Set<string>()
  /** Dotted names of sources that have no other name here, by their parts. */
  const dotted = new Map<string, number>()
  const stack: Frame[] = [frame(null, true)]
  let withList: string | null = null
  let index = 0

  const refuse = (token: Token, message: string): Fault => faultAt(sql, token.at, message)
  const peek = (ahead = 0): Token => tokens[Math.min(index + ahead, tokens.length - 1)]!
  const before = (back = 1): Token | undefined => tokens[index - back]
  const top = (): Frame => stack.at(-1)!
  const wordAt = (ahead: number): string => (peek(ahead).kind === 'word' ? peek(ahead).text.toLowerCase() : '')
  const startsQuery = (ahead: number): boolean => ['select', 'with', 'values'].includes(wordAt(ahead))
  const emit = (token: Token, text = token.raw): void => {
    out.push(token.isApart && out.length > 0 ? ` ${text}` : text)
  }

  if (!startsQuery(0) && peek().raw !== '(')
    throw peek().kind === 'end'
      ? new Fault('bad_request', 'the query is empty')
      : refuse(peek(), 'only one statement that reads is allowed: SELECT, or WITH … SELECT')

  while (peek().kind !== 'end') {
    const token = peek()
    if (token.raw === '(') openBracket(token)
    else if (token.raw === ')') closeBracket(token)
    else if (token.raw === ';') throw refuse(token, 'only one statement is allowed')
    else if (token.raw === ',') {
      if (top().clause === 'from') top().expectsTable = true
      emit(token)
      index++
    } else if (token.kind === 'parameter') {
      // ClickHouse puts the value of such a one into the text, as the name of a table for example.
      if (top().expectsTable || /identifier/i.test(token.type ?? ''))
        throw refuse(token, 'a parameter is a value; it cannot name anything')
      parameters.add(token.text)
      // Apart, so that it cannot grow together with what stands before it.
      emit({ ...token, isApart: true }, place(token.text, token.type))
      index++
    } else if (token.kind === 'word' || token.kind === 'quoted') name()
    else {
      if (top().expectsTable) throw refuse(token, 'a source is expected here')
      emit(token)
      index++
    }
  }
  if (stack.length > 1) throw faultAt(sql, sql.length, 'a closing bracket is missing')
  checkTime([top()])
  return { text: out.join(''), withList, sources: [...sources], parameters: [...parameters], ctes: [...top().ctes] }

  function openBracket(token: Token): void {
    const call = callBefore()
    const isTable = top().expectsTable
    top().expectsTable = false
    emit(token)
    index++
    const isQuery = startsQuery(0)
    const outer = top()
    const isBody = outer.announced !== null && (isQuery || peek().raw === '(')
    stack.push({ ...frame(call, isQuery, isTable && !isQuery), defines: isBody ? outer.announced : null })
    if (isBody) outer.announced = null
  }

  function callBefore(): string | null {
    const last = before()
    if (last?.kind === 'quoted') return last.text.toLowerCase()
    return last?.kind === 'word' && !NO_CALL.has(last.text.toLowerCase()) ? last.text.toLowerCase() : null
  }

  function closeBracket(token: Token): void {
    if (stack.length === 1) throw refuse(token, 'this bracket closes nothing')
    checkTime(stack)
    const { defines } = stack.pop()!
    if (defines !== null) top().ctes.add(defines)
    emit(token)
    index++
  }

  /** A filter on time anywhere around the source counts: of a WITH query, the statement that it belongs to. */
  function checkTime(frames: Frame[]): void {
    const own = frames.at(-1)!
    if (!requireTimestamp || own.reads.length === 0) return
    if (own.hasTime) return
    const outer = frames.at(-2)
    if (outer) {
      outer.reads.push(...own.reads)
      return
    }
    const { name: source, at } = own.reads[0]!
    throw faultAt(sql, at, `filter ${source} on its timestamp: add WHERE timestamp > …`)
  }

  function name(): void {
    const parts = chain()
    const [first] = parts
    if (parts.length === 1 && first!.kind === 'word' && keyword(first!)) return
    const lookUp = parts.find((part) => LOOK_UPS.test(part.text))
    if (lookUp) throw refuse(lookUp, `${lookUp.text} is not allowed here`)
    if (top().expectsTable) {
      tableName(parts)
      return
    }
    const next = peek(parts.length * 2 - 1)
    const isHead = parts.length === 1 && announce(first!)
    if (next.raw === '(' && !isAliasHere() && !isHead) checkCall(parts)
    if (parts.at(-1)!.text.toLowerCase() === 'timestamp') noteTime()
    column(parts)
  }

  /** Brackets inside a WHERE belong to it. */
  function noteTime(): void {
    const query = stack.findLast(({ isQuery }) => isQuery)
    if (query?.clause === 'where') query.hasTime = true
  }

  /** A name and what hangs on it by dots. */
  function chain(): Token[] {
    const parts = [peek()]
    while (peek(parts.length * 2 - 1).raw === '.' && ['word', 'quoted'].includes(peek(parts.length * 2).kind))
      parts.push(peek(parts.length * 2))
    return parts
  }

  /** Whether it was one, and is done with. */
  function keyword(token: Token): boolean {
    const word = token.text.toLowerCase()
    const here = top()
    if (REFUSED[dialect].has(word)) throw refuse(token, `${token.text} is not allowed here; quote it if it is a column`)
    if (dialect === 'clickhouse' && word === 'format' && peek(1).raw !== '(')
      throw refuse(token, 'FORMAT is not allowed here; quote it if it is a column')
    // Where a table is expected, hardly any word is more than its name.
    if (here.expectsTable && !['lateral', 'select', 'values'].includes(word)) return false
    if (word === 'from') {
      if (!isDistinctFrom()) {
        if (here.isQuery) Object.assign(here, { clause: 'from', expectsTable: true })
        else if (here.call === null || !FROM_CALLS.has(here.call)) throw refuse(token, 'FROM is not expected here')
      }
    } else if (word === 'join') {
      if (wordBack(1) === 'array' && (wordBack(2) === 'left' || endsValue(2))) here.clause = 'other'
      else Object.assign(here, { clause: 'from', expectsTable: true })
    } else if (word === 'where' || (word === 'prewhere' && dialect === 'clickhouse')) {
      assertPlace(token)
      here.clause = 'where'
    } else if (word === 'with' && (out.length === 0 || before()?.raw === '('))
      Object.assign(here, { clause: 'with', isQuery: true, isRecursive: wordAt(1) === 'recursive' })
    else if (word === 'select') {
      if (index > 0 && before()?.raw !== '(' && !followsSet()) assertPlace(token)
      if (stack.length === 1 && here.clause === 'with') withList = out.join('')
      Object.assign(here, { clause: 'select', isQuery: true, expectsTable: false })
    } else if (ENDS_FROM[dialect].has(word)) {
      assertPlace(token)
      here.clause = 'other'
    } else if (word === 'in' && dialect === 'clickhouse') checkIn(token)
    else if (word === 'exists' && !(peek(1).raw === '(' && (startsQuery(2) || peek(2).raw === '(')))
      throw refuse(token, 'EXISTS takes a query')
    else if (word === 'lateral' || !NO_CALL.has(word)) return word === 'lateral' ? pass(token) : false
    return pass(token)
  }

  function followsSet(): boolean {
    return SETS.has(wordBack(1)) || (['all', 'distinct'].includes(wordBack(1)) && SETS.has(wordBack(2)))
  }

  function pass(token: Token): true {
    emit(token)
    index++
    return true
  }

  function wordBack(back: number): string {
    return before(back)?.kind === 'word' ? before(back)!.text.toLowerCase() : ''
  }

  /** Whether a value, a table or its alias can end with the token that far back. */
  function endsValue(back: number): boolean {
    const token = before(back)
    if (!token) return false
    if (token.kind === 'symbol') return [')', ']'].includes(token.raw) || (token.raw === '*' && isWildcard(back))
    if (token.kind !== 'word' || before(back + 1)?.raw === '.') return true
    const word = token.text.toLowerCase()
    return ENDS_VALUE.has(word) || !(NO_CALL.has(word) || AFTER_TABLE.has(word) || ENDS_FROM[dialect].has(word))
  }

  function isWildcard(back: number): boolean {
    return (
      ['.', ','].includes(before(back + 1)?.raw ?? '') || ['select', 'distinct', 'all'].includes(wordBack(back + 1))
    )
  }

  /**
   * ClickHouse takes nearly every word for a name where a value can stand. One that only looks like the start of a clause
   * would hide that a list of tables goes on behind it.
   */
  function assertPlace(token: Token): void {
    if (dialect === 'clickhouse' && !endsValue(1))
      throw refuse(token, `${token.text} is not expected here; quote it if it is a column`)
  }

  function isDistinctFrom(): boolean {
    return (
      dialect === 'postgres' &&
      wordBack(1) === 'distinct' &&
      (wordBack(2) === 'is' || (wordBack(2) === 'not' && wordBack(3) === 'is'))
    )
  }

  /** A name behind IN is a table to this engine, also inside brackets. */
  function checkIn(token: Token): void {
    if (!endsValue(1) && !(['not', 'global'].includes(wordBack(1)) && (endsValue(2) || endsValue(3))))
      throw refuse(token, 'IN is not expected here')
    let ahead = 1
    while (peek(ahead).raw === '(') ahead++
    const next = peek(ahead)
    if ((next.kind !== 'word' && next.kind !== 'quoted') || startsQuery(ahead)) return
    const isCall = peek(ahead + 1).raw === '('
    if (isCall || ['true', 'false', 'null'].includes(next.text.toLowerCase()) || isCte(next)) return
    throw refuse(next, 'IN takes a list of values or a query here')
  }

  function isCte(token: Token): boolean {
    const text = folded(token, dialect)
    return known.has(text) || stack.some(({ ctes }) => ctes.has(text))
  }

  /** `name AS (SELECT …` in a WITH list: others may read it once its body has ended, its body only when it is recursive. */
  function announce(token: Token): boolean {
    const here = top()
    if (here.clause !== 'with' || !isCteHead(tokens, index)) return false
    if (RESERVED.test(token.text)) throw refuse(token, `a WITH query must not be called ${token.text}`)
    here.announced = folded(token, dialect)
    if (here.isRecursive) here.ctes.add(here.announced)
    return true
  }

  /** `… AS t(a, b)`, or without AS behind a bracket of FROM. */
  function isAliasHere(): boolean {
    return top().clause === 'from' && (wordBack(1) === 'as' || before()?.raw === ')')
  }

  function checkCall(parts: Token[]): void {
    const [first] = parts
    const text = parts.map((part) => part.text).join('.')
    if (parts.length > 1 || !isAllowed(first!.text, dialect))
      throw refuse(first!, `the function ${text} is not allowed`)
  }

  function tableName(parts: Token[]): void {
    const here = top()
    here.expectsTable = false
    const [first] = parts
    if (peek(parts.length * 2 - 1).raw === '(') {
      if (parts.length > 1 || !isTableCall(first!.text, dialect))
        throw refuse(first!, `the table function ${first!.text} is not allowed`)
      copy(parts)
      return
    }
    if (parts.length === 1 && isCte(first!)) {
      copy(parts)
      return
    }
    const written = parts.map((part) => part.text).join('.')
    const token = resolve(written)
    if (token === undefined) throw refuse(first!, `can't find source ${written}`)
    index += parts.length * 2 - 1
    const isFinal = dialect === 'clickhouse' && wordAt(0) === 'final'
    if (isFinal) index++
    sources.add(token)
    here.reads.push({ name: written, at: first!.at })
    emit(first!, table(token, isFinal) + aliasFor(parts, written))
  }

  /** The name that columns may be called by, unless the statement gives another. */
  function aliasFor(parts: Token[], written: string): string {
    const next = peek()
    const hasAlias =
      next.kind === 'quoted' || (next.kind === 'word' && (wordAt(0) === 'as' || !AFTER_TABLE.has(wordAt(0))))
    if (hasAlias) return ''
    if (parts.length === 1) return ` AS ${parts[0]!.raw}`
    dotted.set(written, parts.length)
    return ` AS ${quoted(written, dialect)}`
  }

  function copy(parts: Token[]): void {
    for (let at = 0; at < parts.length * 2 - 1; at++) {
      emit(peek())
      index++
    }
  }

  /** `a.b.column` of the source `a.b` is `"a.b".column`. */
  function column(parts: Token[]): void {
    for (let count = parts.length - 1; count > 1; count--) {
      const prefix = parts
        .slice(0, count)
        .map((part) => part.text)
        .join('.')
      if (dotted.get(prefix) !== count && !isDottedLater(prefix, count)) continue
      emit(parts[0]!, quoted(prefix, dialect))
      index += count * 2 - 1
      copyRest(parts.length - count)
      return
    }
    copy(parts)
  }

  function copyRest(count: number): void {
    for (let at = 0; at < count * 2; at++) {
      emit(peek())
      index++
    }
  }

  /** The select list stands before the FROM that says what it reads. */
  function isDottedLater(prefix: string, count: number): boolean {
    if (resolve(prefix) === undefined) return false
    for (let at = index; at < tokens.length; at++) {
      if (tokens[at]!.kind !== 'word' || !['from', 'join'].includes(tokens[at]!.text.toLowerCase())) continue
      const parts = tokens.slice(at + 1, at + count * 2).filter((_, i) => i % 2 === 0)
      if (parts.map((part) => part.text).join('.') === prefix) return true
    }
    return false
  }
}

const quoted = (name: string, dialect: NativeDialect): string =>
  dialect === 'postgres' ? `"${name.replaceAll('"', '""')}"` : `\`${name.replace(/[\\`]/g, '\\$&')}\``

/** As the engine compares it. */
const folded = (token: Token, dialect: NativeDialect): string =>
  dialect === 'postgres' && token.kind === 'word' ? token.text.toLowerCase() : token.text

/** Types whose values are found in the engine's own tables, however they are written. */
const LOOK_UPS = /^reg(?:class|proc|procedure|oper|operator|type|role|namespace|config|dictionary|collation)$/i

/** Behind these a SELECT begins anew. */
const SETS = new Set(['union', 'except', 'intersect'])

/** Names that tables of the engine have. */
const RESERVED = /^(?:pg_|log_events_)/i

function isCteHead(tokens: Token[], at: number): boolean {
  let next = at + 1
  if (tokens[next]?.raw === '(') {
    while (tokens[next] && tokens[next]!.raw !== ')') next++
    next++
  }
  const word = (): string => tokens[next]?.text.toLowerCase() ?? ''
  if (word() !== 'as') return false
  next++
  if (word() === 'not') next++
  if (word() === 'materialized') next++
  return tokens[next]?.raw === '(' && /^(?:select|with|values|\()$/i.test(tokens[next + 1]?.raw ?? '')
}
