/**
 * What the three rule texts of a source (copy, enrichment, drop) have in common: one rule a line, blank lines and
 * lines starting with `#` ignored, parts trimmed, dotted paths, `m.` for `metadata.`.
 *
 * Promise: a text is read completely when the source is saved, and every bad line is named. So a rule that was
 * saved can never fail on an event. Names are those after key transformation.
 */
import { Fault } from '../../base/faults.ts'
import { UNFIT, UNLISTED } from '../fields.ts'

/** One sentence per bad line, each starting with its number and text. */
export class BadRules extends Fault {
  readonly problems: string[]

  constructor(problems: string[]) {
    super('invalid', problems.join('; '))
    this.name = 'BadRules'
    this.problems = problems
  }
}

/** What is wrong with one line; `parseLines` adds where it stands. */
export class BadLine extends Error {}

export function parseLines<Rule>(text: string, parseLine: (line: string) => Rule): Rule[] {
  const rules: Rule[] = []
  const problems: string[] = []
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      rules.push(parseLine(line))
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      problems.push(`line ${index + 1}: "${line}": ${error.message}`)
    }
  }
  if (problems.length > 0) throw new BadRules(problems)
  return rules
}

/** The names of a dotted path. Any names: one that no event can carry just never matches. */
export function parsePath(text: string): string[] {
  const path = text.trim()
  if (path === '') throw new BadLine('a field path is missing')
  const names = (path.startsWith('m.') ? `metadata.${path.slice(2)}` : path).split('.')
  if (names.some((name) => name === '')) throw new BadLine(`"${path}" has an empty name between its dots`)
  return names
}

const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const LONGEST_NAME = 128
const DEEPEST_PATH = 32
const RESERVED_PREFIX =
  /^(_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/
const SET_BY_THE_SERVICE = new Set(['id', 'timestamp', UNFIT, UNLISTED])

/** A path that rules write to: its names become columns, so they must follow the column rules as they stand. */
export function parseDestination(text: string): string[] {
  const names = parsePath(text)
  for (const name of names) {
    if (!COLUMN_NAME.test(name)) {
      throw new BadLine(`"${name}" is not a valid field name (letters, digits and _, not starting with a digit)`)
    }
    if (name.length > LONGEST_NAME) throw new BadLine(`"${name}" is longer than ${LONGEST_NAME} characters`)
    if (RESERVED_PREFIX.test(name)) throw new BadLine(`"${name}" starts with a reserved prefix`)
  }
  if (names.length > DEEPEST_PATH) throw new BadLine(`the destination is deeper than ${DEEPEST_PATH} levels`)
  const first = names[0]!
  if (SET_BY_THE_SERVICE.has(first)) throw new BadLine(`"${first}" is set by the service and cannot be a destination`)
  if (first === 'event_message' && names.length > 1) throw new BadLine('"event_message" is text and has no fields')
  return names
}
