import type { Literal } from './query.ts'

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/
const BARE = /^[A-Za-z0-9_]+$/

export const isNumber = (text: string): boolean => NUMBER.test(text)

/** Field values are written bare only when that cannot be mistaken for anything else. */
export function settle(literal: Literal): Literal {
  if (literal.quoted || BARE.test(literal.text) || isNumber(literal.text)) return literal
  return { ...literal, quoted: true }
}

export const isNull = (literal: Literal): boolean => !literal.quoted && literal.text === 'NULL'

export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

export const printLiteral = ({ text, quoted }: Literal): string => (quoted ? quote(text) : text)
