import { faultAt, lex, type Token } from './lexer.ts'
import type { Query } from './tree.ts'

/** Words that end an expression or a name list and so can be no alias without back-ticks. */
const RESERVED = new Set(
  `all and any array as asc at between by case cast collate contains create cross cube current default define desc
  distinct else end enum escape except exclude exists extract false fetch following for from full group grouping groups
  having if ignore in inner intersect interval into is join lateral left like limit lookup merge natural new no not null
  nulls of on or order outer over partition preceding proto qualify range recursive respect right rollup rows select set
  some struct tablesample then to treat true unbounded union unnest using when where window with within`.split(/\s+/),
)

export const isReservedWord = (word: string): boolean => RESERVED.has(word.toLowerCase())

/** Queries nested deeper than this are refused before they can exhaust the stack. */
const MOST_DEPTH = 200

/** A place in the tokens of one query text, and the small questions a parser asks there. */
export type Cursor = ReturnType<typeof createCursor>

export function createCursor(sql: string, parseQuery: () => Query) {
  const tokens = lex(sql)
  let index = 0
  let depth = 0

  const peek = (ahead = 0): Token => tokens[Math.min(index + ahead, tokens.length - 1)]!
  const isWord = (word: string, ahead = 0): boolean => {
    const token = peek(ahead)
    return token.kind === 'word' && token.text.toLowerCase() === word
  }
  const isSymbol = (symbol: string, ahead = 0): boolean => {
    const token = peek(ahead)
    return token.kind === 'symbol' && token.text === symbol
  }
  const take = (): Token => {
    const token = peek()
    if (token.kind !== 'end') index++
    return token
  }
  const found = (): string =>
    peek().kind === 'end' ? 'the end of the query' : JSON.stringify(sql.slice(peek().at, peek().end))
  const fail = (expected: string, at = peek().at): Error => faultAt(sql, at, `expected ${expected}, found ${found()}`)
  const refuse = (message: string, at = peek().at): Error => faultAt(sql, at, message)

  /** Takes the words when all of them stand here in this order. */
  const takeWords = (...words: string[]): boolean => {
    if (!words.every((word, ahead) => isWord(word, ahead))) return false
    index += words.length
    return true
  }
  const takeSymbol = (symbol: string): boolean => {
    if (!isSymbol(symbol)) return false
    index++
    return true
  }
  const expectWord = (word: string): void => {
    if (!takeWords(word)) throw fail(word.toUpperCase())
  }
  const expectSymbol = (symbol: string): void => {
    if (!takeSymbol(symbol)) throw fail(JSON.stringify(symbol))
  }
  /** `ARRAY<ARRAY<INT64>>` ends in one symbol that stands for two. */
  const expectClosingAngle = (): void => {
    const token = peek()
    if (token.kind !== 'symbol' || (token.text !== '>' && token.text !== '>>')) throw fail('">"')
    if (token.text === '>') index++
    else tokens[index] = { ...token, text: '>', at: token.at + 1 }
  }

  const isReserved = (token: Token): boolean => token.kind === 'word' && isReservedWord(token.text)
  const startsName = (ahead = 0): boolean => {
    const token = peek(ahead)
    return token.kind === 'quoted' || (token.kind === 'word' && !isReserved(token))
  }
  const takeName = (what: string): string => {
    if (!startsName()) throw fail(what)
    return take().text
  }
  /** An alias, with AS or without. */
  const takeAlias = (): string | null => {
    if (takeWords('as')) return takeName('an alias')
    return startsName() ? take().text : null
  }
  const list = <T>(one: () => T): T[] => {
    const items = [one()]
    while (takeSymbol(',')) items.push(one())
    return items
  }
  const nested = <T>(inner: () => T): T => {
    if (++depth > MOST_DEPTH) throw refuse('the query is nested too deeply')
    try {
      return inner()
    } finally {
      depth--
    }
  }

  return {
    peek,
    isWord,
    isSymbol,
    take,
    fail,
    refuse,
    takeWords,
    takeSymbol,
    expectWord,
    expectSymbol,
    expectClosingAngle,
    isReserved,
    startsName,
    takeName,
    takeAlias,
    list,
    nested,
    /** The query that starts here, for the expressions that hold one. */
    query: (): Query => nested(parseQuery),
    /** Whether a query starts here, behind any number of opening brackets. */
    startsQuery: (): boolean => {
      let ahead = 0
      while (isSymbol('(', ahead)) ahead++
      return isWord('select', ahead) || isWord('with', ahead)
    },
  }
}
