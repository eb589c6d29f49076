import type { KnownField } from '../../../lql/known-fields.ts'
import { printLiteral, settle } from '../../../lql/literals.ts'

export type Suggestion = { kind: string; text: string; detail: string | null }

const items = (kind: string, texts: Record<string, string | null>): Suggestion[] =>
  Object.entries(texts).map(([text, detail]) => ({ kind, text, detail }))

/** The words of the language, by what a place calls for. */
export const WORDS = {
  clauses: items('keyword', {
    't:': 'time of the event',
    'c:': 'chart',
    's:': 'fields to show',
    OR: 'either side',
    NOT: 'the complement of what follows',
    '~': 'regular expression on the message',
  }),
  aggregates: items('keyword', {
    'count(*)': 'events',
    'countd(': 'different values',
    'sum(': null,
    'avg(': null,
    'min(': null,
    'max(': null,
    'p50(': null,
    'p95(': null,
    'p99(': null,
    'group_by(t::': 'period of the chart',
  }),
  periods: items('keyword', {
    'second)': null,
    'minute)': null,
    'hour)': null,
    'day)': null,
    'week)': null,
    'month)': null,
  }),
  times: items('time', {
    'last@15minute': 'the last 15 minutes',
    'last@1hour': 'the last hour',
    'last@24hour': 'the last 24 hours',
    'last@7day': 'the last 7 days',
    'this@hour': 'since the hour began',
    'this@day': 'since the day began',
    'this@week': 'since Monday',
    'this@month': 'since the month began',
    today: 'UTC',
    yesterday: 'UTC',
    now: null,
    '>=': 'from then on',
    '<=': 'up to then',
  }),
}

const ORDERED = items('operator', { '>': null, '>=': null, '<': null, '<=': null })
const TEXT = items('operator', { '~': 'regular expression' })
const LIST = items('operator', { '@>': 'the list has', '@>~': 'the list has one that matches' })
const ABSENT = items('keyword', { NULL: 'the field is missing' })

/** The operators that fit a field, as what follows the colon. */
export function wordsFor({ type, isList }: KnownField): Suggestion[] {
  if (isList) return [...LIST, ...ABSENT]
  if (type === 'integer' || type === 'float') return [...ORDERED, ...ABSENT]
  return type === 'string' ? [...TEXT, ...ABSENT] : ABSENT
}

/** A value as it must be typed to mean itself. */
export function valueText(value: unknown): string {
  const text = String(value)
  const nowhere = { start: 0, end: 0 }
  const literal = { text, quoted: text === '' || text === 'NULL' || text.includes('..'), at: nowhere }
  return printLiteral(settle(literal))
}
