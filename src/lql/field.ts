/** `path operator value`: which operator it is depends on the sign and on what the value looks like. */
import { isNull, settle } from './literals.ts'
import { readLevels } from './operators/levels.ts'
import { readRange } from './operators/range.ts'
import { type Clause, type Literal, MESSAGE, type Sign, type Span } from './query.ts'
import type { Reader } from './reader.ts'
import { compilePattern } from './regex.ts'
import { readTime } from './time/read.ts'

type Place = { path: string; pathAt: Span }

const A_VALUE = 'a value'

/** The reader stands behind the sign (`:`, `:>`, `:~` …). */
export function readField(reader: Reader, path: string, pathAt: Span, sign: string): Clause {
  const place = { path, pathAt }
  const at = (): Span => reader.spanFrom(pathAt.start)
  switch (sign) {
    case ':~': {
      const value = readPattern(reader)
      return { op: 'regex', ...place, value: path === MESSAGE ? value : settle(value), at: at() }
    }
    case ':@>~':
      return { op: 'includes_regex', ...place, value: settle(readPattern(reader)), at: at() }
    case ':@>': {
      const value = reader.char === '(' ? readList(reader) : [settle(reader.quotedOrBare(A_VALUE))]
      return value.length === 1
        ? { op: 'includes', ...place, value: value[0]!, at: at() }
        : { op: 'one_of', ...place, values: value, at: at() }
    }
    case ':':
      return readPlain(reader, place)
    default:
      return readCompare(reader, place, signOf(sign))
  }
}

const SIGNS: readonly Sign[] = ['>=', '<=', '>', '<']

function signOf(text: string): Sign {
  return SIGNS.find((sign) => text === `:${sign}`)!
}

function readPlain(reader: Reader, place: Place): Clause {
  const at = (): Span => reader.spanFrom(place.pathAt.start)
  if (reader.char === '(') {
    const values = readList(reader)
    return values.length === 1 ? single(place, values[0]!, at()) : { op: 'one_of', ...place, values, at: at() }
  }
  const typed = reader.quotedOrBare(A_VALUE)
  const levels = readLevels(place.path, typed)
  if (levels) return { op: 'levels', ...place, ...levels, at: at() }
  const range = readRange(typed)
  if (range) return { op: 'range', ...place, ...range, at: at() }
  return single(place, settle(typed), at())
}

function single(place: Place, value: Literal, at: Span): Clause {
  return isNull(value) ? { op: 'missing', ...place, at } : { op: 'equals', ...place, value, at }
}

function readCompare(reader: Reader, place: Place, sign: Sign): Clause {
  const start = reader.at
  const [typed, ...more] = reader.char === '(' ? readList(reader) : [reader.quotedOrBare(A_VALUE)]
  if (!typed || more.length > 0) return reader.refuse('one value after a comparison', start)
  if (isNull(typed)) reader.refuse('a value that can be compared', start)
  if (readRange(typed)) reader.refuse('one value after a comparison; a range takes none', start)
  return { op: 'compare', ...place, sign, value: settle(typed), at: reader.spanFrom(place.pathAt.start) }
}

/** The reader stands on the pattern. */
export function readPattern(reader: Reader): Literal {
  const value = reader.quotedOrBare('a regular expression')
  const pattern = compilePattern(value.text)
  if (typeof pattern === 'string') reader.refuse(pattern, value.at.start)
  return value
}

/** `(500, 502)`. White space around a value is not part of it. */
function readList(reader: Reader): Literal[] {
  const start = reader.at
  const values: Literal[] = []
  do {
    reader.at++
    reader.skipSpace()
    reader.countTerm()
    values.push(settle(reader.char === '"' ? reader.quoted() : readItem(reader, start)))
    reader.skipSpace()
  } while (reader.char === ',')
  if (!reader.isAtEnd && reader.char !== ')') reader.refuse('a comma or a closing parenthesis')
  if (!reader.skip(')')) reader.refuse('a closing parenthesis for this one', start)
  reader.endClause()
  return values
}

const ITEM_END = /[,)"]/

function readItem(reader: Reader, listStart: number): Literal {
  const start = reader.at
  for (let depth = 0; !reader.isAtEnd; reader.at++) {
    if (depth === 0 && ITEM_END.test(reader.char)) break
    if (reader.char === '(') depth++
    else if (reader.char === ')') depth--
  }
  if (reader.isAtEnd) reader.refuse('a closing parenthesis for this one', listStart)
  const text = reader.text.slice(start, reader.at).trimEnd()
  if (text === '') reader.refuse(A_VALUE, start)
  return { text, quoted: false, at: { start, end: start + text.length } }
}

/** `t:` and its value; the reader stands behind the sign. */
export function readTimeClause(reader: Reader, path: string, pathAt: Span, sign: string): Clause {
  const signs = ['=', ...SIGNS] as const
  const known = signs.find((known) => sign === (known === '=' ? ':' : `:${known}`))
  if (known === undefined) return reader.refuse(': or a comparison before a time', pathAt.end)
  const typed = reader.quotedOrBare('a time')
  const time = readTime(typed.text)
  if (typeof time === 'string') return reader.refuse(time, typed.at.start)
  if (time.form === 'span' && known !== '=')
    reader.refuse('one time after a comparison; a range takes none', typed.at.start)
  return { op: 'time', path, pathAt, sign: known, time, valueAt: typed.at, at: reader.spanFrom(pathAt.start) }
}
