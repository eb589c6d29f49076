import { type Emitted, quoteText } from '../../emitted.ts'
import { type DatePart, UNIT_US } from '../../time-units.ts'
import type { TimeWords } from '../dialect.ts'
import { formatTime, readingOf } from './formats.ts'
import { fromMicros, micros } from './json.ts'

/** TIMESTAMP is timestamptz and DATETIME is timestamp. The session's time zone is UTC, so a cast between them keeps the clock. */
export const time: TimeWords = {
  now: 'now()',
  inZone: ({ sql, type }, zone) => {
    if (type.kind === 'timestamp') return `(${sql} AT TIME ZONE ${zone ?? "'UTC'"})`
    return zone ? `((CAST(${sql} AS timestamp) AT TIME ZONE 'UTC') AT TIME ZONE ${zone})` : sql
  },
  fromZone: ({ sql, type }, zone) => {
    const clock = type.kind === 'timestamp' ? `(${sql} AT TIME ZONE 'UTC')` : sql
    return `(${clock} AT TIME ZONE ${zone ?? "'UTC'"})`
  },
  micros,
  fromMicros,
  interval: (unit, amount) => `(${amount} * interval '${INTERVALS[unit] ?? `1 ${unit}`}')`,
  moved: (of, sign, interval, kind) =>
    kind === 'date' ? `CAST(${of} ${sign} ${interval} AS date)` : `(${of} ${sign} ${interval})`,
  truncated,
  boundaries,
  extract: ({ unit, shift }, clock) => EXTRACTORS.get(unit)?.(clock, shift) ?? null,
  format: formatTime,
  formatBy: () => null,
  parse: (text, format, kind, safe) => {
    const reading = readingOf(format)
    if (!reading) return null
    const [template, pattern] = [quoteText(reading.template), quoteText(reading.pattern)]
    const type = kind === 'timestamp' ? 'timestamptz' : kind === 'datetime' ? 'timestamp' : kind
    if (safe) return `CASE WHEN ${text} ~ ${pattern} THEN CAST(pg_temp.bq_parse(${text}, ${template}) AS ${type}) END`
    const failure = `CAST(pg_temp.bq_error('cannot read "' || ${text} || '" by the format ' || ${quoteText(format)}) AS ${type})`
    return `CASE WHEN NOT ${text} ~ ${pattern} THEN ${failure} ELSE CAST(to_timestamp(${text}, ${template}) AS ${type}) END`
  },
  parseBy: () => null,
}

const INTERVALS: Record<string, string> = { quarter: '3 months', week: '7 days' }

/** The engine's weeks start on Monday; others are truncated by moving there and back. */
function truncatedClock(clock: string, { unit, shift }: DatePart): string {
  if (unit === 'isoyear')
    return `date_trunc('week', make_timestamp(CAST(extract(isoyear FROM ${clock}) AS integer), 1, 4, 0, 0, 0))`
  if (unit === 'isoweek') return `date_trunc('week', ${clock})`
  if (unit !== 'week' || shift === 0) return `date_trunc('${unit}', ${clock})`
  return `(date_trunc('week', ${clock} - interval '${shift} days') + interval '${shift} days')`
}

function truncated({ sql, type }: Emitted, part: DatePart, zone: string | null): string {
  if (type.kind === 'date') return `CAST(${truncatedClock(`CAST(${sql} AS timestamp)`, part)} AS date)`
  if (type.kind !== 'timestamp') return truncatedClock(sql, part)
  const at = zone ?? "'UTC'"
  return `(${truncatedClock(`(${sql} AT TIME ZONE ${at})`, part)} AT TIME ZONE ${at})`
}

function boundaries(later: string, earlier: string, part: DatePart): string {
  const { unit } = part
  const size = UNIT_US.get(unit)
  const count = (of: (x: string) => string): string => `CAST(${of(later)} - ${of(earlier)} AS bigint)`
  const year = (x: string): string => `extract(year FROM ${x})`
  if (unit === 'day') return count((x) => `CAST(${x} AS date)`)
  if (size !== undefined) return count((x) => `floor(${micros(x)} / ${size}.0)`)
  if (unit === 'week' || unit === 'isoweek') {
    const firstDay = (x: string): string => `CAST(${truncatedClock(`CAST(${x} AS timestamp)`, part)} AS date)`
    return `CAST((${firstDay(later)} - ${firstDay(earlier)}) / 7 AS bigint)`
  }
  if (unit === 'isoyear') return count((x) => `extract(isoyear FROM ${x})`)
  if (unit === 'year') return count(year)
  const perYear = unit === 'quarter' ? 4 : 12
  return count((x) => `(${year(x)} * ${perYear} + extract(${unit} FROM ${x}))`)
}

const field = (name: string) => (x: string) => `CAST(floor(extract(${name} FROM ${x})) AS bigint)`
const PARTS: Record<string, (x: string, shift: number) => string> = {
  year: field('year'),
  quarter: field('quarter'),
  month: field('month'),
  day: field('day'),
  hour: field('hour'),
  minute: field('minute'),
  second: field('second'),
  millisecond: (x) => `(${field('milliseconds')(x)} % 1000)`,
  microsecond: (x) => `(${field('microseconds')(x)} % 1000000)`,
  dayofweek: (x) => `(${field('dow')(x)} + 1)`,
  dayofyear: field('doy'),
  isoweek: field('week'),
  isoyear: field('isoyear'),
  // Weeks before the first such weekday of the year are week 0.
  week: (x, shift) => `((${field('doy')(x)} + 6 - (${field('dow')(x)} + 6 - ${shift}) % 7) / 7)`,
  date: (x) => `CAST(${x} AS date)`,
  time: (x) => `CAST(${x} AS time)`,
  datetime: (x) => `CAST(${x} AS timestamp)`,
}
const EXTRACTORS = new Map(Object.entries(PARTS))
