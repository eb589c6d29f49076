import type { Expr } from './tree.ts'

/** Units of fixed length, in microseconds. */
export const UNIT_US: ReadonlyMap<string, number> = new Map(
  Object.entries({
    microsecond: 1,
    millisecond: 1e3,
    second: 1e6,
    minute: 6e7,
    hour: 3.6e9,
    day: 8.64e10,
  }),
)

export const CALENDAR_UNITS = new Set(['week', 'isoweek', 'month', 'quarter', 'year', 'isoyear'])

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** A date part as written in an argument: `HOUR`, `ISOWEEK`, `WEEK(MONDAY)`. */
export type DatePart = { unit: string /** For weeks: days from Monday to their first day. */; shift: number }

export function datePart(expr: Expr | undefined): DatePart | null {
  if (!expr) return null
  if (expr.kind === 'path' && expr.parts.length === 1) {
    const unit = expr.parts[0]!.text.toLowerCase()
    return { unit, shift: unit === 'week' ? 6 : 0 }
  }
  if (expr.kind === 'call' && expr.name === 'week' && expr.args.length === 1) {
    const day = expr.args[0]
    const shift = day?.kind === 'path' ? WEEKDAYS.indexOf(day.parts[0]!.text.toLowerCase()) : -1
    return shift < 0 ? null : { unit: 'week', shift }
  }
  // DATE and TIME open typed literals, so EXTRACT(DATE FROM …) arrives as a name of its own.
  return null
}

/** The engine's function that makes an interval of n such units. */
export const INTERVAL_MAKERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    microsecond: 'to_microseconds',
    millisecond: 'to_milliseconds',
    second: 'to_seconds',
    minute: 'to_minutes',
    hour: 'to_hours',
    day: 'to_days',
    week: 'to_weeks',
    month: 'to_months',
    quarter: 'to_quarters',
    year: 'to_years',
  }),
)

const INSTANT =
  /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ]+(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?)?\s*(Z|z|UTC|[+-]\d{1,2}(?::?\d{2})?)?\s*$/

/** The microseconds of a written instant (no offset means UTC), or null when it cannot be read. */
export function instantUs(text: string): number | null {
  const match = INSTANT.exec(text)
  if (!match) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  const real = new Date(ms)
  if (real.getUTCMonth() !== Number(month) - 1 || real.getUTCDate() !== Number(day) || Number(hour) > 23) return null
  const us = ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  return us - offsetUs(zone)
}

function offsetUs(zone: string): number {
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(zone)
  if (!match) return 0
  const us = (Number(match[2]) * 60 + Number(match[3] ?? 0)) * 6e7
  return match[1] === '-' ? -us : us
}

/** `2025-03-03 08:15:30.25`, as the engine's TIMESTAMP literal wants it. */
export function instantText(us: number): string {
  const ms = Math.floor(us / 1000)
  const iso = new Date(ms).toISOString()
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}.${iso.slice(20, 23)}${String(us - ms * 1000).padStart(3, '0')}`
}
