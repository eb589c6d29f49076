import { LqlError } from './error.ts'
import { MAX_TERMS, MAX_TEXT } from './limits.ts'
import type { Literal, Span } from './query.ts'

const SHOWN = 20

/** A place in the text, and how words, quotes and faults look from there. */
export class Reader {
  readonly text: string
  at = 0
  /** Groups that are open here: inside one, a closing parenthesis ends an unquoted text. */
  openGroups = 0
  #terms = 0

  constructor(text: string) {
    this.text = text
    if (text.length > MAX_TEXT) this.refuse(`at most ${MAX_TEXT} characters`, MAX_TEXT)
  }

  get char(): string {
    return this.text.charAt(this.at)
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** Nothing more belongs to the clause that is being read. */
  get isAtBoundary(): boolean {
    return this.isAtEnd || isSpace(this.char) || this.isAtGroupEnd
  }

  get isAtGroupEnd(): boolean {
    return this.openGroups > 0 && this.char === ')'
  }

  skipSpace(): void {
    while (!this.isAtEnd && isSpace(this.char)) this.at++
  }

  skip(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  /** What a sticky expression finds here; it is taken. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at += found[0].length
    return found
  }

  spanFrom(start: number): Span {
    return { start, end: this.at }
  }

  /** Counts what costs work per event. */
  countTerm(position = this.at): void {
    this.#terms++
    if (this.#terms > MAX_TERMS) this.refuse(`at most ${MAX_TERMS} clauses and values in one query`, position)
  }

  /** Text in quotes; the reader stands on the first one. */
  quoted(): Literal {
    const start = this.at
    let text = ''
    for (this.at++; !this.isAtEnd; this.at++) {
      if (this.char === '"') {
        this.at++
        return { text, quoted: true, at: this.spanFrom(start) }
      }
      // A backslash before anything else is itself, so that expressions like "\d+" need no doubling.
      if (this.char === '\\' && /["\\]/.test(this.text.charAt(this.at + 1))) this.at++
      text += this.char
    }
    this.at = start
    return this.refuse('a closing quote for this one')
  }

  /** Text up to white space, or to the parenthesis that closes the group around it. */
  bare(): Literal {
    const start = this.at
    for (let depth = 0; !this.isAtEnd && !isSpace(this.char); this.at++) {
      if (this.char === '(') depth++
      else if (this.char === ')') {
        if (depth === 0 && this.openGroups > 0) break
        depth--
      }
    }
    return { text: this.text.slice(start, this.at), quoted: false, at: this.spanFrom(start) }
  }

  quotedOrBare(expected: string): Literal {
    if (this.isAtBoundary) this.refuse(expected)
    const literal = this.char === '"' ? this.quoted() : this.bare()
    this.endClause()
    return literal
  }

  /** Clauses are separated by white space; what sticks to one would otherwise be read as a clause nobody meant. */
  endClause(): void {
    if (!this.isAtBoundary) this.refuse('white space')
  }

  refuse(expected: string, position = this.at, suggestion: string | null = null): never {
    const found = this.foundAt(position)
    throw new LqlError(
      `Expected ${expected} at position ${position}, found ${found}.${suggestion === null ? '' : ` Did you mean ${suggestion}?`}`,
      { position, found, expected, suggestion },
    )
  }

  foundAt(position: number): string {
    if (position >= this.text.length) return 'the end of the query'
    const rest = this.text.slice(position)
    const word = /^[ \t\r\n]/.test(rest) ? 'white space' : (/^[^ \t\r\n]+/.exec(rest)?.[0] ?? '')
    return word.length > SHOWN ? `${word.slice(0, SHOWN)}…` : word
  }
}

export const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\n' || char === '\r'
