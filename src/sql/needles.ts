/** What a row must hold to pass a condition, as far as AND joins plain tests of fields with texts. */
import { type Needles, NO_NEEDLES } from '../model/needles.ts'
import type { Moment } from './bounds.ts'
import type { Expr } from './tree.ts'

/** Which field of which source reference an expression is, if it is a field of text. */
export type TextFieldOf = (expr: Expr) => { source: number; path: string } | null

/** A text once the values of parameters are known; null when it is none. */
type Text = (moment: Moment) => string | null

/** `pieces` are texts inside the value; `anyOf` are what the whole value can be. */
type Test = { pieces: (moment: Moment) => string[] } | { anyOf: Text[] }

export type Needle = { source: number; path: string; test: Test }

const MESSAGE = 'event_message'

export function needlesIn(condition: Expr, fieldOf: TextFieldOf): Needle[] {
  if (condition.kind === 'binary' && condition.operator === 'and')
    return [...needlesIn(condition.left, fieldOf), ...needlesIn(condition.right, fieldOf)]
  const tested = testOf(condition)
  const field = tested && fieldOf(tested.of)
  return tested && field ? [{ ...field, test: tested.test }] : []
}

function testOf(condition: Expr): { of: Expr; test: Test } | null {
  switch (condition.kind) {
    case 'binary':
      return condition.operator === '=' ? equality(condition.left, condition.right) : positionTest(condition)
    case 'like':
      return condition.not ? null : inside(condition.of, condition.pattern, literalPieces)
    case 'inList': {
      const anyOf = condition.items.map(textOf)
      return condition.not || !anyOf.every((text) => text !== null) ? null : { of: condition.of, test: { anyOf } }
    }
    case 'call': {
      const [of, text] = condition.args
      const pieces = SEARCHES[condition.name]
      return of && text && pieces && condition.args.length === 2 ? inside(of, text, pieces) : null
    }
    default:
      return null
  }
}

function equality(left: Expr, right: Expr): { of: Expr; test: Test } | null {
  const [of, text] = textOf(right) ? [left, textOf(right)] : [right, textOf(left)]
  return text ? { of, test: { anyOf: [text] } } : null
}

/** `STRPOS(event_message, 'x') > 0`. */
function positionTest({ operator, left, right }: Expr & { kind: 'binary' }): { of: Expr; test: Test } | null {
  if (operator !== '>' || right.kind !== 'number' || right.text !== '0') return null
  if (left.kind !== 'call' || !['strpos', 'instr'].includes(left.name) || left.args.length !== 2) return null
  return inside(left.args[0]!, left.args[1]!, whole)
}

const whole = (text: string): string[] => [text]

/** Searches of a text for a second one; CONTAINS_SUBSTR is none of them, as it looks past case. */
const SEARCHES: Record<string, ((text: string) => string[]) | undefined> = {
  starts_with: whole,
  ends_with: whole,
  regexp_contains: (pattern) => (/[\\^$.|?*+()[\]{}]/.test(pattern) ? [] : [pattern]),
}

function inside(of: Expr, text: Expr, pieces: (text: string) => string[]): { of: Expr; test: Test } | null {
  const known = textOf(text)
  if (!known) return null
  const inText = (moment: Moment): string[] => {
    const value = known(moment)
    return value === null ? [] : pieces(value)
  }
  return { of, test: { pieces: inText } }
}

/** The runs of plain characters in a LIKE pattern. */
function literalPieces(pattern: string): string[] {
  const pieces = ['']
  for (let i = 0; i < pattern.length; i += 1) {
    const character = pattern[i]!
    if (character === '%' || character === '_') pieces.push('')
    else {
      if (character === '\\') i += 1
      pieces.push(pieces.pop()! + (pattern[i] ?? ''))
    }
  }
  return pieces.filter((piece) => piece !== '')
}

function textOf(expr: Expr): Text | null {
  if (expr.kind === 'string') return () => expr.value
  if (expr.kind !== 'parameter') return null
  return ({ parameters }) => {
    const value = parameters[expr.name]
    return typeof value === 'string' ? value : null
  }
}

/** The needles of one source reference, with the values of this run. */
export function needlesOf(found: Needle[], moment: Moment): Needles {
  const contains: string[] = []
  const equals: Needles['equals'] = []
  for (const { path, test } of found) {
    if ('pieces' in test) {
      if (path === MESSAGE) contains.push(...test.pieces(moment))
      continue
    }
    const anyOf = test.anyOf.map((text) => text(moment))
    if (!anyOf.every((text) => text !== null)) continue
    if (path !== MESSAGE) equals.push({ field: path, anyOf })
    else if (anyOf.length === 1) contains.push(anyOf[0]!)
  }
  return contains.length + equals.length === 0 ? NO_NEEDLES : { contains, equals }
}
