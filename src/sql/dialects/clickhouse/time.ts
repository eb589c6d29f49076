import type { Emitted } from '../../emitted.ts'
import { type DatePart, UNIT_US } from '../../time-units.ts'
import type { TimeKind, TimeWords } from '../dialect.ts'
import { formatTime, parseFormat } from './formats.ts'
import { fromMicros, literal, micros } from './nested.ts'

/** Instants and wall clocks are both DateTime64(6, 'UTC'), so UTC needs no step between them. */
export const time: TimeWords = {
  now: "now64(6, 'UTC')",
  inZone: (of, zone) => (zone ? inZone(clockOf(of), zone) : of.sql),
  fromZone: (clock, zone) => (zone ? fromZone(clockOf(clock), zone) : clockOf(clock)),
  micros,
  fromMicros,
  interval: (unit, amount) => `toInterval${unit[0]!.toUpperCase()}${unit.slice(1)}(${amount})`,
  moved: (of, sign, interval, kind) =>
    kind === 'date' ? `toDate32(${of} ${sign} ${interval})` : `(${of} ${sign} ${interval})`,
  truncated(of, part, zone) {
    if (of.type.kind === 'date') return firstDay(of.sql, part)
    const clock = zone ? inZone(of.sql, zone) : of.sql
    const size = UNIT_US.get(part.unit)
    const count = micros(clock)
    const cut =
      size === undefined
        ? `toDateTime64(${firstDay(clock, part)}, 6, 'UTC')`
        : fromMicros(`${count} - positiveModulo(${count}, ${size})`)
    return zone ? fromZone(cut, zone) : cut
  },
  boundaries(later, earlier, part) {
    const count = (of: (x: string) => string): string => `(${of(later)} - ${of(earlier)})`
    if (part.unit === 'week' || part.unit === 'isoweek')
      return count((x) => `toInt64(floor((${dayNumber(x)} + ${3 - part.shift}) / 7))`)
    if (part.unit === 'isoyear') return count((x) => `toInt64(toISOYear(${x}))`)
    return `dateDiff('${part.unit}', ${earlier}, ${later})`
  },
  extract: ({ unit, shift }, clock) => EXTRACTORS.get(unit)?.(clock, shift) ?? null,
  format: formatTime,
  formatBy: () => null,
  parse(text, format, kind, safe) {
    const read = parseFormat(format)
    return read === null ? null : parsed(`parseDateTime${safe ? 'OrNull' : ''}(${text}, ${literal(read)}, 'UTC')`, kind)
  },
  parseBy: () => null,
}

const parsed = (sql: string, kind: TimeKind): string =>
  kind === 'date' ? `toDate32(${sql})` : `toDateTime64(${sql}, 6, 'UTC')`

const clockOf = ({ sql, type }: Emitted): string => (type.kind === 'date' ? `toDateTime64(${sql}, 6, 'UTC')` : sql)

/** The clock's own text read again as UTC, and back. */
const inZone = (of: string, zone: string): string => `toDateTime64(toString(toTimeZone(${of}, ${zone})), 6, 'UTC')`
const fromZone = (clock: string, zone: string): string =>
  `toTimeZone(toDateTime64(toString(${clock}), 6, ${zone}), 'UTC')`

/** Days since 1970-01-01, which was a Thursday. */
const dayNumber = (of: string): string => `toInt64(dateDiff('day', toDate32('1970-01-01'), toDate32(${of})))`

const dayAt = (number: string): string => `(toDate32('1970-01-01') + ${number})`

/** The first day of the calendar unit that a day lies in. */
function firstDay(of: string, { unit, shift }: DatePart): string {
  switch (unit) {
    case 'week':
    case 'isoweek':
      return dayAt(`(${dayNumber(of)} - positiveModulo(${dayNumber(of)} + ${3 - shift}, 7))`)
    case 'isoyear': {
      const inFirstWeek = `makeDate32(toISOYear(${of}), 1, 4)`
      return dayAt(`(${dayNumber(inFirstWeek)} - positiveModulo(${dayNumber(inFirstWeek)} + 3, 7))`)
    }
    case 'month':
      return `makeDate32(toYear(${of}), toMonth(${of}), 1)`
    case 'quarter':
      return `makeDate32(toYear(${of}), toQuarter(${of}) * 3 - 2, 1)`
    case 'year':
      return `makeDate32(toYear(${of}), 1, 1)`
    default:
      return of
  }
}

const part = (name: string) => (x: string) => `toInt64(${name}(${x}))`
const PARTS: Record<string, (x: string, shift: number) => string> = {
  year: part('toYear'),
  quarter: part('toQuarter'),
  month: part('toMonth'),
  day: part('toDayOfMonth'),
  hour: part('toHour'),
  minute: part('toMinute'),
  second: part('toSecond'),
  millisecond: (x) => `toInt64(intDiv(positiveModulo(${micros(x)}, 1000000), 1000))`,
  microsecond: (x) => `toInt64(positiveModulo(${micros(x)}, 1000000))`,
  dayofweek: (x) => `toInt64(toDayOfWeek(${x}) % 7 + 1)`,
  dayofyear: part('toDayOfYear'),
  isoweek: part('toISOWeek'),
  isoyear: part('toISOYear'),
  // Weeks before the first such weekday of the year are week 0.
  week: (x, shift) => `toInt64(intDiv(toDayOfYear(${x}) + 6 - (toDayOfWeek(${x}) + ${6 - shift}) % 7, 7))`,
  date: (x) => `toDate32(${x})`,
  time: (x) => fromMicros(`positiveModulo(${micros(x)}, 86400000000)`),
  datetime: (x) => x,
}
const EXTRACTORS = new Map(Object.entries(PARTS))
