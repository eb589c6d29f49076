import { Fault } from '../base/faults.ts'

export type Token = {
  kind: 'word' | 'quoted' | 'string' | 'bytes' | 'number' | 'parameter' | 'symbol' | 'end'
  /** A word as written; of strings and quoted names the value. */
  text: string
  at: number
  end: number
}

const SYMBOLS = ['<=>', '<<', '>>', '<=', '>=', '<>', '!=', '||', '::', '=>', '|>'] as const
const SINGLE = new Set('()[],.;+-*/%=<>&|^~:?{}@$!'.split(''))
const SPACE = /\s/
const WORD_START = /[\p{L}_]/u
const WORD = /[\p{L}\p{N}_]*/uy
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
const PARAMETER = /@\s*([\p{L}_][\p{L}\p{N}_]*|\d+(?![\p{L}\p{N}_]))/uy
const STRING_START = /(?:[rR][bB]?|[bB][rR]?)?('''|"""|'|")/y
/** Longer text than any query a person or a dashboard writes; guards the parser's stack and time. */
const MOST_TEXT = 1_000_000

/** Programs get the offset in the text, people the line and the column. */
class FaultInText extends Fault {
  readonly position: number

  constructor(sql: string, at: number, message: string) {
    const before = sql.slice(0, at).split('\n')
    super('bad_request', `${message} (line ${before.length}, column ${before.at(-1)!.length + 1})`)
    this.position = at
  }

  override get details(): Record<string, unknown> {
    return { position: this.position }
  }
}

/** A fault at an offset of the query text; without a place when there is no one text. */
export function faultAt(sql: string | null, at: number, message: string): Fault {
  return sql === null ? new Fault('bad_request', message) : new FaultInText(sql, at, message)
}

/** The tokens of a query text, without comments; the last one is `end`. */
export function lex(sql: string): Token[] {
  if (sql.length > MOST_TEXT) throw new Fault('bad_request', `the query is longer than ${MOST_TEXT} characters`)
  const tokens: Token[] = []
  let at = 0
  const push = (kind: Token['kind'], text: string, end: number): void => {
    tokens.push({ kind, text, at, end })
    at = end
  }
  const matched = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(sql)
  }

  while (at < sql.length) {
    const char = sql[at]!
    if (SPACE.test(char)) at++
    else if (char === '#' || sql.startsWith('--', at)) at = endOfLine(sql, at)
    else if (sql.startsWith('/*', at)) at = endOfComment(sql, at)
    else if (matched(STRING_START)) {
      const [opening, quote] = matched(STRING_START)!
      const prefix = opening.slice(0, -quote!.length).toLowerCase()
      const { value, end } = readQuoted(sql, at + opening.length, quote!, prefix.includes('r'))
      if (value.includes('\0') && !prefix.includes('b'))
        throw faultAt(sql, at, 'a text may not hold the character with code 0')
      push(prefix.includes('b') ? 'bytes' : 'string', value, end)
    } else if (char === '`') {
      const { value, end } = readQuoted(sql, at + 1, '`', false)
      if (value === '' || value.includes('\0'))
        throw faultAt(sql, at, 'a quoted name is empty or holds the character with code 0')
      push('quoted', value, end)
    } else if (WORD_START.test(char)) {
      const [word] = matched(WORD)!
      push('word', word, at + word.length)
    } else if (/\d/.test(char) || (char === '.' && /\d/.test(sql[at + 1] ?? '') && !followsName(tokens, at))) {
      const [number] = matched(NUMBER)!
      push('number', number, at + number.length)
    } else if (char === '@') {
      const parameter = matched(PARAMETER)
      if (!parameter) throw faultAt(sql, at, 'a parameter is written @name')
      push('parameter', parameter[1]!, at + parameter[0].length)
    } else {
      const symbol = SYMBOLS.find((text) => sql.startsWith(text, at)) ?? (SINGLE.has(char) ? char : null)
      if (symbol === null) throw faultAt(sql, at, `unexpected character ${JSON.stringify(char)}`)
      push('symbol', symbol, at + symbol.length)
    }
  }
  tokens.push({ kind: 'end', text: '', at: sql.length, end: sql.length })
  return tokens
}

/** `t.1` is no number: a dot right after a name goes on with it. */
function followsName(tokens: Token[], at: number): boolean {
  const last = tokens.at(-1)
  return last !== undefined && last.end === at && (last.kind === 'word' || last.kind === 'quoted')
}

function endOfLine(sql: string, at: number): number {
  const end = sql.indexOf('\n', at)
  return end < 0 ? sql.length : end
}

function endOfComment(sql: string, at: number): number {
  const end = sql.indexOf('*/', at + 2)
  if (end < 0) throw faultAt(sql, at, 'a comment is not closed')
  return end + 2
}

const ESCAPES: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}
const CODE = /x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})/y

function readQuoted(sql: string, start: number, quote: string, raw: boolean): { value: string; end: number } {
  let value = ''
  let at = start
  while (at < sql.length) {
    if (sql.startsWith(quote, at)) return { value, end: at + quote.length }
    const char = sql[at]!
    if (char === '\n' && quote.length === 1) break
    if (char !== '\\') {
      value += char
      at++
    } else if (raw) {
      value += sql.slice(at, at + 2)
      at += 2
    } else {
      const { text, length } = readEscape(sql, at)
      value += text
      at += length
    }
  }
  throw faultAt(sql, start - quote.length, quote === '`' ? 'a quoted name is not closed' : 'a string is not closed')
}

function readEscape(sql: string, at: number): { text: string; length: number } {
  const simple = ESCAPES[sql[at + 1] ?? '']
  if (simple !== undefined) return { text: simple, length: 2 }
  CODE.lastIndex = at + 1
  const code = CODE.exec(sql)
  if (!code) throw faultAt(sql, at, `unknown escape ${JSON.stringify(sql.slice(at, at + 2))} in a string`)
  const hex = code[1] ?? code[2] ?? code[3] ?? code[4]
  const point = hex === undefined ? Number.parseInt(code[5]!, 8) : Number.parseInt(hex, 16)
  if (point > 0x10ffff) throw faultAt(sql, at, 'no such character code')
  return { text: String.fromCodePoint(point), length: code[0].length + 1 }
}
