/** What the bars of a plain count are made of: classes of a status code, or levels, whichever the source has. */
import type { Dialect, Query } from '../../lql/lql.ts'
import type { FlatFields } from '../../model/fields.ts'

export type Breakdown = {
  field: string
  /** In the order in which they are shown; what fits none is `other`. */
  keys: string[]
  /** A condition for each key. */
  conditions: string[]
}

const STATUS_FIELDS = ['metadata.status_code', 'metadata.response.status_code', 'metadata.proxy.statusCode']
const LEVEL_FIELDS = ['metadata.level', 'level']

const LEVELS: Record<string, string[]> = {
  debug: ['debug', 'trace'],
  info: ['info'],
  notice: ['notice'],
  warning: ['warning', 'warn'],
  error: ['error'],
  critical: ['critical', 'fatal'],
  alert: ['alert'],
  emergency: ['emergency'],
}

/** The first of the fields that the source has with a fitting type. `sqlOf` gives a path as SQL. */
export function breakdownOf(fields: FlatFields, words: Dialect, sqlOf: (path: string) => string): Breakdown | null {
  const has = (path: string, types: string[]): boolean =>
    types.includes(fields[path] ?? '') && parentsOf(path).every((parent) => fields[parent] === 'object')
  const status = STATUS_FIELDS.find((path) => has(path, ['integer', 'float', 'string']))
  if (status !== undefined)
    return statusClasses(status, fields[status] === 'string' ? words.integerOf(sqlOf(status)) : sqlOf(status))
  const level = LEVEL_FIELDS.find((path) => has(path, ['string']))
  return level === undefined ? null : levelNames(level, sqlOf(level), words)
}

const parentsOf = (path: string): string[] =>
  path
    .split('.')
    .slice(0, -1)
    .map((_, i, names) => names.slice(0, i + 1).join('.'))

function statusClasses(field: string, number: string): Breakdown {
  const hundreds = [1, 2, 3, 4, 5]
  return {
    field,
    keys: hundreds.map((digit) => `${digit}xx`),
    conditions: hundreds.map((digit) => `${number} >= ${digit}00 AND ${number} < ${digit + 1}00`),
  }
}

function levelNames(field: string, value: string, words: Dialect): Breakdown {
  return {
    field,
    keys: Object.keys(LEVELS),
    conditions: Object.values(LEVELS).map(
      (names) => `lower(${value}) IN (${names.map((name) => words.literal(name)).join(', ')})`,
    ),
  }
}

const NOWHERE = { start: 0, end: 0 }

/** A query that asks for these paths, to get at their SQL. */
export const selecting = (paths: string[]): Pick<Query, 'selects'> => ({
  selects: paths.map((path) => ({ path, alias: null, at: NOWHERE, pathAt: NOWHERE })),
})
