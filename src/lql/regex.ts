/**
 * Regular expressions in RE2 syntax: linear time in memory (re2js) and in the engine (RE2), with one result. What only
 * one of the two accepts is refused here, so that a rule never works where a search fails.
 */
import { RE2JS } from 're2js'
import { MAX_PATTERN } from './limits.ts'

export type Pattern = { test(text: string): boolean; programSize(): number }

/** RE2 compiles to byte instructions within 8 MB: it gave up at about 500 copies of `\pL`, which are hundreds of instructions each. */
const MAX_PROGRAM = 3_000
const MAX_PROGRAM_WITH_CLASSES = 300

/** The compiled pattern, or why there is none. */
export function compilePattern(text: string): Pattern | string {
  if (text.length > MAX_PATTERN) return `a regular expression of at most ${MAX_PATTERN} characters`
  const foreign = findForeign(text)
  if (foreign !== null) return `a regular expression without ${foreign}`
  try {
    const pattern = RE2JS.compile(text)
    const limit = /\\[pP]/.test(text) ? MAX_PROGRAM_WITH_CLASSES : MAX_PROGRAM
    if (pattern.programSize() > limit) return 'a smaller regular expression (this one repeats too much)'
    return pattern
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : 'it does not compile'
    return `a regular expression in RE2 syntax (${reason})`
  }
}

/** re2js reads `(?<name>` and `\p{LC}`, the engine's RE2 does not. Both may stand in a class or a literal run. */
function findForeign(text: string): string | null {
  let inClass = false
  for (let i = 0; i < text.length; i++) {
    if (text.startsWith('\\Q', i)) {
      const end = text.indexOf('\\E', i + 2)
      if (end < 0) return null
      i = end + 1
    } else if (text[i] === '\\') {
      const cased = /^\\[pP]\{\^?LC\}/i.exec(text.slice(i, i + 7))
      if (cased) return `${cased[0]} (write [\\p{Lu}\\p{Ll}\\p{Lt}])`
      i++
    } else if (inClass) {
      if (text[i] === ']') inClass = false
    } else if (text[i] === '[') {
      inClass = true
      if (text[i + 1] === '^') i++
      if (text[i + 1] === ']') i++
    } else if (text.startsWith('(?<', i)) {
      return '(?<name> (write (?P<name>)'
    }
  }
  return null
}
