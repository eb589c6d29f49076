/**
 * Tokens of a statement in the dialect of an outside engine. What leaves here is written again from the tokens, without
 * comments, so nothing can hide in them; forms of quoting that engines read in several ways are refused.
 */
import { Fault } from '../../base/faults.ts'
import { faultAt } from '../lexer.ts'
import type { NativeDialect } from './words.ts'

export type Token = {
  kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'symbol' | 'end'
  /** A word as written, a quoted name without its quotes, the name of a parameter. */
  text: string
  /** As it is written again. */
  raw: string
  /** Of a parameter, where the caller gave one. */
  type: string | null
  /** White space or a comment stood before it. */
  isApart: boolean
  at: number
}

const MOST_TEXT = 1_000_000

const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y
const PARAMETER = /@([\p{L}_][\p{L}\p{N}_]*)/uy
/** `{name:Type}`, with brackets in the type. */
const TYPED_PARAMETER = /\{\s*([A-Za-z_]\w*)\s*:\s*([A-Za-z][A-Za-z0-9_(), ]*)\}/y
const SPACE = /\s+/y
const LINE_COMMENT: Record<NativeDialect, RegExp> = { postgres: /--[^\n]*/y, clickhouse: /--[^\n]*|#[ !][^\n]*/y }
const STRING: Record<NativeDialect, RegExp> = {
  postgres: /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'/y,
  clickhouse: /'(?:[^'\\]|\\[\s\S]|'')*'/y,
}
const QUOTED: Record<NativeDialect, RegExp> = {
  postgres: /"((?:[^"]|"")+)"/y,
  clickhouse: /"((?:[^"\\]|\\[\s\S]|"")+)"|`((?:[^`\\]|\\[\s\S]|``)+)`/y,
}
const SYMBOL =
  /<=>|->>|#>>|::|:=|->|#>|@>|<@|@@|@\?|\?\||\?&|<=|>=|<>|!=|\|\||&&|==|!~~?\*?|~~\*?|~\*|[-+*/%<>=~!&|^#?:.,;()[\]{}]/y

export function lexNative(sql: string, dialect: NativeDialect): Token[] {
  if (sql.length > MOST_TEXT) throw new Fault('bad_request', `the query is longer than ${MOST_TEXT} characters`)
  const tokens: Token[] = []
  let at = 0
  let isApart = false
  const matched = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(sql)
  }
  const push = (kind: Token['kind'], raw: string, text = raw, type: string | null = null): void => {
    tokens.push({ kind, text, raw, type, isApart, at })
    at += raw.length
    isApart = false
  }
  const skip = (length: number): void => {
    at += length
    isApart = true
  }

  while (at < sql.length) {
    const gap = matched(SPACE) ?? matched(LINE_COMMENT[dialect])
    if (gap) skip(gap[0].length)
    else if (sql.startsWith('/*', at)) skip(commentLength(sql, at))
    else {
      const string = matched(STRING[dialect])
      const quoted = string ? null : matched(QUOTED[dialect])
      const parameter = matched(PARAMETER)
      const typed = dialect === 'clickhouse' ? matched(TYPED_PARAMETER) : null
      const plain = matched(WORD)
      const number = matched(NUMBER)
      if (string) push('string', string[0])
      else if (quoted) push('quoted', quoted[0], unquoted(quoted[1] ?? quoted[2]!, quoted[0][0]!, dialect))
      else if (parameter) push('parameter', parameter[0], parameter[1]!)
      else if (typed) push('parameter', typed[0], typed[1]!, typed[2]!.trim())
      else if (plain) {
        if (sql[at + plain[0].length] === "'" || (/^u$/i.test(plain[0]) && sql.startsWith('&', at + 1)))
          throw faultAt(sql, at, `texts are written '…' here, not ${plain[0]}'…'`)
        push('word', plain[0])
      } else if (number && !(sql[at] === '.' && isNameEnd(tokens.at(-1), isApart))) push('number', number[0])
      else {
        const symbol = matched(SYMBOL)
        if (!symbol) throw faultAt(sql, at, unreadable(sql, at))
        push('symbol', symbol[0])
      }
    }
  }
  while (tokens.at(-1)?.raw === ';') tokens.pop()
  tokens.push({ kind: 'end', text: '', raw: '', type: null, isApart: false, at: sql.length })
  return tokens
}

const isNameEnd = (token: Token | undefined, isApart: boolean): boolean =>
  token !== undefined && !isApart && (token.kind === 'word' || token.kind === 'quoted' || token.raw === ')')

/** They may be nested. */
function commentLength(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    if (sql.startsWith('/*', at)) {
      depth++
      at++
    } else if (sql.startsWith('*/', at)) {
      depth--
      at++
      if (depth === 0) return at + 1 - start
    }
  }
  throw faultAt(sql, start, 'this comment has no end')
}

function unquoted(text: string, quote: string, dialect: NativeDialect): string {
  const plain = text.replaceAll(quote + quote, quote)
  if (dialect === 'postgres') return plain
  return plain.replace(/\\(.)/gs, '$1')
}

function unreadable(sql: string, at: number): string {
  if (sql[at] === "'" || sql[at] === '"' || sql[at] === '`') return 'this quote has no end'
  if (sql[at] === '$') return 'texts are written with quotes here, and parameters as @name'
  return `${JSON.stringify(sql[at])} is not expected here`
}
