/** Text to tree, by recursive descent: OR of ANDs of possibly negated clauses and groups. Linear in the text. */
import { allOf, anyOf, negated } from './arrange.ts'
import { readChart } from './clauses/chart.ts'
import { readFrom } from './clauses/from.ts'
import { readSelect } from './clauses/select.ts'
import { readField, readPattern, readTimeClause } from './field.ts'
import { MAX_DEPTH } from './limits.ts'
import { fullPath } from './paths.ts'
import {
  type Chart,
  type Clause,
  type Filter,
  type From,
  MESSAGE,
  type Query,
  type Select,
  TIMESTAMP,
} from './query.ts'
import { Reader } from './reader.ts'

const A_CLAUSE = 'a word, a quoted phrase, a field such as m.status:500, or a group'
const FIELD = /([A-Za-z0-9_.]+)(:>=|:<=|:>|:<|:~|:@>~|:@>|:)/y
const KEYWORD = /(OR|AND|NOT)(?=[ \t\r\n(]|$)/y
const KEYWORD_IN_GROUP = /(OR|AND|NOT)(?=[ \t\r\n()]|$)/y

/** The parts of a query that say what to do with the events found; they belong to the query as a whole. */
type Frame = { from: From | null; selects: Select[]; chart: Chart | null }

export function parse(text: string): Query {
  const reader = new Reader(text)
  const frame: Frame = { from: null, selects: [], chart: null }
  reader.skipSpace()
  const filter = reader.isAtEnd ? null : readAny(reader, frame)
  return { from: frame.from, selects: frame.selects, filter, chart: frame.chart }
}

/** Up to the end of the text, or to the parenthesis that closes this group. `null`: only clauses of the frame. */
function readAny(reader: Reader, frame: Frame): Filter | null {
  const start = reader.at
  const first = readAll(reader, frame)
  const parts: Filter[] = first ? [first] : []
  while (peekKeyword(reader) === 'OR') {
    if (parts.length === 0) reader.refuse(`${A_CLAUSE} before OR`)
    reader.at += 'OR'.length
    reader.skipSpace()
    const partAt = reader.at
    const part = readAll(reader, frame)
    parts.push(part ?? reader.refuse(A_CLAUSE, partAt))
  }
  return parts.length === 0 ? null : anyOf(parts, reader.spanFrom(start))
}

function readAll(reader: Reader, frame: Frame): Filter | null {
  const start = reader.at
  const parts: Filter[] = []
  let end = start
  for (let needsOperand = true; ; ) {
    reader.skipSpace()
    const keyword = peekKeyword(reader)
    if (reader.isAtEnd || reader.isAtGroupEnd || keyword === 'OR' || keyword === 'AND') {
      if (needsOperand) reader.refuse(A_CLAUSE)
      if (keyword !== 'AND') break
      reader.at += 'AND'.length
      needsOperand = true
      continue
    }
    needsOperand = false
    const part = readOperand(reader, frame)
    if (part) parts.push(part)
    end = reader.at
  }
  return parts.length === 0 ? null : allOf(parts, { start, end })
}

/** A clause or a group, with the negations before it. `null`: a clause of the frame. */
function readOperand(reader: Reader, frame: Frame): Filter | null {
  const start = reader.at
  let isNegated = false
  while (peekKeyword(reader) === 'NOT') {
    isNegated = !isNegated
    reader.at += 'NOT'.length
    reader.skipSpace()
    const keyword = peekKeyword(reader)
    if (reader.isAtBoundary || keyword === 'OR' || keyword === 'AND') reader.refuse(A_CLAUSE)
  }
  if (reader.skip('-')) {
    isNegated = !isNegated
    if (reader.isAtBoundary) reader.refuse(A_CLAUSE)
  }
  const hasSign = reader.at > start
  const operand = reader.char === '(' ? readGroup(reader, frame) : readClause(reader, frame, hasSign ? start : null)
  return operand && isNegated ? negated(operand, reader.spanFrom(start)) : operand
}

function readGroup(reader: Reader, frame: Frame): Filter {
  const start = reader.at
  if (reader.openGroups === MAX_DEPTH) reader.refuse(`at most ${MAX_DEPTH} groups inside each other`)
  reader.at++
  reader.openGroups++
  reader.skipSpace()
  if (reader.isAtEnd) reader.refuse('a closing parenthesis for this one', start)
  const filter = readAny(reader, frame)
  if (!reader.skip(')')) reader.refuse('a closing parenthesis for this one', start)
  reader.openGroups--
  reader.endClause()
  return filter ?? reader.refuse(A_CLAUSE, start + 1)
}

/** `signAt`: where a negation starts, if there is one. */
function readClause(reader: Reader, frame: Frame, signAt: number | null): Clause | null {
  const start = reader.at
  reader.countTerm(start)
  const field = reader.take(FIELD)
  if (!field) return readWord(reader)
  const [, typed = '', sign = ''] = field
  const pathAt = { start, end: start + typed.length }
  if (isFrameName(typed)) {
    if (signAt !== null) reader.refuse('a filter: only filters can be negated', signAt)
    if (reader.openGroups > 0) reader.refuse(`a filter: ${typed}: stands outside of groups`, start)
    reader.at = pathAt.end + 1
    readFrameClause(reader, frame, typed, start)
    return null
  }
  if (typed === 't' || typed === TIMESTAMP) return readTimeClause(reader, TIMESTAMP, pathAt, sign)
  return readField(reader, fullPath(typed), pathAt, sign)
}

const FRAME_NAMES = ['f', 'from', 's', 'select', 'c', 'chart']

const isFrameName = (name: string): boolean => FRAME_NAMES.includes(name)

function readFrameClause(reader: Reader, frame: Frame, name: string, start: number): void {
  if (name.startsWith('f')) {
    if (frame.from) reader.refuse('one from clause only', start)
    frame.from = readFrom(reader, start)
  } else if (name.startsWith('s')) frame.selects.push(readSelect(reader, start))
  else frame.chart = readChart(reader, start, frame.chart)
}

function readWord(reader: Reader): Clause {
  const start = reader.at
  const isPattern = reader.skip('~')
  const value = isPattern ? readPattern(reader) : reader.quotedOrBare(A_CLAUSE)
  const at = reader.spanFrom(start)
  return { op: isPattern ? 'regex' : 'contains', path: MESSAGE, value, at, pathAt: at }
}

function peekKeyword(reader: Reader): string | null {
  const start = reader.at
  const found = reader.take(reader.openGroups > 0 ? KEYWORD_IN_GROUP : KEYWORD)
  reader.at = start
  return found?.[0] ?? null
}
