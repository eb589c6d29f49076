import { LqlError } from './error.ts'
import { parse } from './parse.ts'

/** A filter must say which events it means; a search may ask for all of them. */
export type TextUse = 'filter' | 'search'

/** What is wrong with a text that someone wants to save, as a sentence with the place; null when nothing is. */
export function problemOf(text: string, use: TextUse): string | null {
  try {
    const { filter } = parse(text)
    return use === 'filter' && filter === null ? 'needs a condition that says which events it means' : null
  } catch (error) {
    if (!(error instanceof LqlError)) throw error
    return error.message
  }
}
