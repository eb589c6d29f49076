/**
 * A schedule in five fields, in UTC: minute, hour, day of the month, month, day of the week. A field is `*`, a value, a
 * range `1-5`, any of them with a step (`0-30/5`), or a list of those; months and weekdays have names too. `@hourly`, `@daily`,
 * `@weekly`, `@monthly` and `@yearly` are short for the usual ones.
 *
 * Refuses: seconds and years (so nothing runs more than once a minute), and days that never come.
 */
export type Cron = {
  minutes: number[]
  hours: number[]
  days: number[]
  /** From 1. */
  months: number[]
  /** From Sunday, 0. When days of the month are limited as well, a day that is in either list counts. */
  weekdays: number[]
}

type Field = { of: keyof Cron; word: string; from: number; to: number; names?: string[] }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const LONGEST_MONTH_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const FIELDS: Field[] = [
  { of: 'minutes', word: 'minute', from: 0, to: 59 },
  { of: 'hours', word: 'hour', from: 0, to: 23 },
  { of: 'days', word: 'day of the month', from: 1, to: 31 },
  { of: 'months', word: 'month', from: 1, to: 12, names: MONTHS },
  { of: 'weekdays', word: 'day of the week', from: 0, to: 7, names: WEEKDAYS },
]

const SHORT = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
])

/** `problem` is what is wrong with the text, to be read after the word cron. */
export function parseCron(text: string): Cron | { problem: string } {
  const asked = text.trim().toLowerCase()
  const parts = (SHORT.get(asked) ?? asked).split(/\s+/)
  if (parts.length !== FIELDS.length) {
    return { problem: 'must have five fields: minute, hour, day of the month, month, day of the week' }
  }
  const cron: Cron = { minutes: [], hours: [], days: [], months: [], weekdays: [] }
  for (const [i, field] of FIELDS.entries()) {
    const values = new Set<number>()
    for (const part of parts[i]!.split(',')) {
      const range = readPart(part, field)
      if (!range) return { problem: problemOf(part, field) }
      for (let value = range.from; value <= range.to; value += range.step) values.add(plain(value, field))
    }
    cron[field.of] = [...values].sort((a, b) => a - b)
  }
  return comes(cron) ? cron : { problem: 'names a day that never comes' }
}

const PART = /^(?:\*|(\w+)(?:-(\w+))?)(?:\/(\d{1,2}))?$/

function readPart(part: string, field: Field): { from: number; to: number; step: number } | null {
  const match = PART.exec(part)
  if (!match) return null
  const [, first, last, by] = match
  const from = first === undefined ? field.from : numberOf(first, field)
  // A step without an end goes on to the end of the field.
  const until =
    first === undefined || (last === undefined && by !== undefined) ? field.to : numberOf(last ?? first, field)
  const step = by === undefined ? 1 : Number(by)
  if (from === null || until === null || from > until || step < 1) return null
  return { from, to: until, step }
}

function numberOf(text: string, { from, to, names = [] }: Field): number | null {
  const named = names.indexOf(text)
  if (named >= 0) return from + named
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return value >= from && value <= to ? value : null
}

/** Sunday is 0 and 7. */
const plain = (value: number, { of }: Field): number => (of === 'weekdays' ? value % 7 : value)

function problemOf(part: string, { word, from, to, names }: Field): string {
  const or = names ? ` or ${names.slice(0, 2).join(', ')} …` : ''
  return `has "${part.slice(0, 40)}" for the ${word}: give ${from} to ${to}${or}, a range, a list, * or a step`
}

function comes({ days, months, weekdays }: Cron): boolean {
  const byWeekday = weekdays.length < WEEKDAYS.length
  return byWeekday || months.some((month) => days[0]! <= LONGEST_MONTH_DAYS[month - 1]!)
}
