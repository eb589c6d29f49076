import { LqlError } from './error.ts'
import { parse } from './parse.ts'

/** What is wrong with a text; null when it is a query. */
export function problemOf(text: string): string | null {
  try {
    parse(text)
    return null
  } catch (error) {
    if (error instanceof LqlError) return error.message
    throw error
  }
}
