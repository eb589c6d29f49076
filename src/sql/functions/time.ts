import { type Emitted, type Emitter, quoteText } from '../emitter.ts'
import { formatTime, parseFormat } from '../formats.ts'
import { CALENDAR_UNITS, datePart, INTERVAL_MAKERS, UNIT_US } from '../time-units.ts'
import type { Call, Expr } from '../tree.ts'
import { DATE, DATETIME, INT64, STRING, TIME, TIMESTAMP, type ValueType } from '../value-types.ts'
import { emitTime, toTime } from './instant.ts'
import { type Rules, scalar, special } from './rule.ts'

const NOW = 'make_timestamp(epoch_us(now()))'

/** The wall clock of an instant in a zone. */
const inZone = (instant: string, zone: Expr | undefined, emitter: Emitter): string =>
  zone ? `((${instant} AT TIME ZONE 'UTC') AT TIME ZONE ${emitter.value(zone, STRING).sql})` : instant
/** The instant at which a zone's clock shows this. */
const fromZone = (clock: string, zone: Expr | undefined, emitter: Emitter): string =>
  zone ? `((${clock} AT TIME ZONE ${emitter.value(zone, STRING).sql}) AT TIME ZONE 'UTC')` : clock

export const timeFunctions: Rules = {
  current_timestamp: scalar(0, null, TIMESTAMP, () => NOW),
  current_datetime: special([0, 1], (call, emitter) => ({ sql: inZone(NOW, call.args[0], emitter), type: DATETIME })),
  current_date: special([0, 1], (call, emitter) => ({
    sql: `CAST(${inZone(NOW, call.args[0], emitter)} AS DATE)`,
    type: DATE,
  })),
  current_time: special([0, 1], (call, emitter) => ({
    sql: `CAST(${inZone(NOW, call.args[0], emitter)} AS TIME)`,
    type: TIME,
  })),

  timestamp: special([1, 2], (call, emitter) => {
    const of = emitTime(call.args[0]!, TIMESTAMP, emitter)
    return { sql: fromZone(of.sql, call.args[1], emitter), type: TIMESTAMP }
  }),
  datetime: special([1, 6], (call, emitter) => {
    if (call.args.length > 2) return { sql: `make_timestamp(${numbers(call, emitter, 6)})`, type: DATETIME }
    const of = emitTime(call.args[0]!, DATETIME, emitter)
    return { sql: inZone(of.sql, call.args[1], emitter), type: DATETIME }
  }),
  date: special([1, 3], (call, emitter) => {
    if (call.args.length === 3) return { sql: `make_date(${numbers(call, emitter, 3)})`, type: DATE }
    const [of, zone] = call.args
    if (zone)
      return { sql: `CAST(${inZone(emitTime(of!, TIMESTAMP, emitter).sql, zone, emitter)} AS DATE)`, type: DATE }
    return emitTime(of!, DATE, emitter)
  }),
  time: special([1, 3], (call, emitter) => {
    if (call.args.length === 3) return { sql: `make_time(${numbers(call, emitter, 3)})`, type: TIME }
    return { sql: `CAST(${emitter.value(call.args[0]!, DATETIME).sql} AS TIME)`, type: TIME }
  }),

  unix_seconds: scalar(1, TIMESTAMP, INT64, (x) => `bq_floor_div(epoch_us(${x}), 1000000)`),
  unix_millis: scalar(1, TIMESTAMP, INT64, (x) => `bq_floor_div(epoch_us(${x}), 1000)`),
  unix_micros: scalar(1, TIMESTAMP, INT64, (x) => `epoch_us(${x})`),
  unix_date: scalar(1, DATE, INT64, (x) => `date_diff('day', DATE '1970-01-01', ${x})`),
  timestamp_seconds: scalar(1, INT64, TIMESTAMP, (x) => `make_timestamp(CAST(${x} AS BIGINT) * 1000000)`),
  timestamp_millis: scalar(1, INT64, TIMESTAMP, (x) => `make_timestamp(CAST(${x} AS BIGINT) * 1000)`),
  timestamp_micros: scalar(1, INT64, TIMESTAMP, (x) => `make_timestamp(CAST(${x} AS BIGINT))`),
  timestamp_from_unix_seconds: scalar(1, INT64, TIMESTAMP, (x) => `make_timestamp(CAST(${x} AS BIGINT) * 1000000)`),
  date_from_unix_date: scalar(1, INT64, DATE, (x) => `(DATE '1970-01-01' + CAST(${x} AS INTEGER))`),

  timestamp_add: moved(TIMESTAMP, '+'),
  timestamp_sub: moved(TIMESTAMP, '-'),
  datetime_add: moved(DATETIME, '+'),
  datetime_sub: moved(DATETIME, '-'),
  date_add: moved(DATE, '+'),
  date_sub: moved(DATE, '-'),
  time_add: moved(TIME, '+'),
  time_sub: moved(TIME, '-'),

  timestamp_trunc: truncated(TIMESTAMP),
  datetime_trunc: truncated(DATETIME),
  date_trunc: truncated(DATE),

  timestamp_diff: special(3, (call, emitter) => {
    const { unit } = partOf(call.args[2], call, emitter)
    const size = UNIT_US.get(unit)
    if (size === undefined)
      throw emitter.fail(call.at, `TIMESTAMP_DIFF counts MICROSECOND to DAY, not ${unit.toUpperCase()}`)
    const [later, earlier] = [call.args[0]!, call.args[1]!].map((arg) => emitTime(arg, TIMESTAMP, emitter).sql)
    return { sql: `((epoch_us(${later}) - epoch_us(${earlier})) // ${size})`, type: INT64 }
  }),
  datetime_diff: boundaries(DATETIME),
  date_diff: boundaries(DATE),

  format_timestamp: formatted(TIMESTAMP),
  format_datetime: formatted(DATETIME),
  format_date: formatted(DATE),
  format_time: formatted(TIME),
  parse_timestamp: parsed(TIMESTAMP, 'TIMESTAMP'),
  parse_datetime: parsed(DATETIME, 'TIMESTAMP'),
  parse_date: parsed(DATE, 'DATE'),
  last_day: special([1, 2], (call, emitter) => ({
    sql: `last_day(${emitTime(call.args[0]!, DATE, emitter).sql})`,
    type: DATE,
  })),
}

const numbers = (call: Call, emitter: Emitter, count: number): string =>
  Array.from({ length: count }, (_, i) => {
    const arg = call.args[i]
    return arg ? emitter.value(arg, INT64).sql : '0'
  }).join(', ')

function partOf(expr: Expr | undefined, call: Call, emitter: Emitter) {
  const part = datePart(expr)
  if (!part || (!UNIT_US.has(part.unit) && !CALENDAR_UNITS.has(part.unit))) {
    throw emitter.fail(expr?.at ?? call.at, `${call.name.toUpperCase()} needs a unit of time such as HOUR`)
  }
  return part
}

function moved(type: ValueType, sign: '+' | '-') {
  return special(2, (call, emitter) => {
    const of = emitTime(call.args[0]!, type, emitter).sql
    const [, interval] = call.args
    const by = interval!.kind === 'interval' ? emitter.value(interval!).sql : null
    if (by === null) {
      if (type.kind !== 'date') throw emitter.fail(call.at, `${call.name.toUpperCase()} needs an INTERVAL`)
      return { sql: `(${of} ${sign} CAST(${emitter.value(interval!, INT64).sql} AS INTEGER))`, type }
    }
    return { sql: type.kind === 'date' ? `CAST(${of} ${sign} ${by} AS DATE)` : `(${of} ${sign} ${by})`, type }
  })
}

/** The engine's weeks start on Monday; others are truncated by moving there and back. */
function truncated(type: ValueType) {
  return special([2, 3], (call, emitter) => {
    const { unit, shift } = partOf(call.args[1], call, emitter)
    const zone = call.args[2]
    const clock = inZone(emitTime(call.args[0]!, type, emitter).sql, zone, emitter)
    const name = unit === 'isoweek' ? 'week' : unit
    let sql = `date_trunc('${name}', ${clock})`
    if (unit === 'week' && shift > 0) sql = `(date_trunc('week', ${clock} - to_days(${shift})) + to_days(${shift}))`
    if (type.kind === 'date') sql = `CAST(${sql} AS DATE)`
    return { sql: fromZone(sql, zone, emitter), type }
  })
}

/** DATE_DIFF and DATETIME_DIFF count the boundaries between two points, not the whole units. */
function boundaries(type: ValueType) {
  return special(3, (call, emitter) => {
    const { unit, shift } = partOf(call.args[2], call, emitter)
    const [later, earlier] = [call.args[0]!, call.args[1]!].map((arg) => emitTime(arg, type, emitter).sql)
    // The engine counts weeks from a day of its own, so they are counted from the first days of both.
    const weekOf = (x: string) => `date_trunc('week', ${shift > 0 ? `${x} - to_days(${shift})` : x})`
    if (unit === 'week' || unit === 'isoweek') {
      return { sql: `(date_diff('day', ${weekOf(earlier!)}, ${weekOf(later!)}) // 7)`, type: INT64 }
    }
    if (unit === 'isoyear') return { sql: `(isoyear(${later}) - isoyear(${earlier}))`, type: INT64 }
    return { sql: `date_diff('${unit}', ${earlier}, ${later})`, type: INT64 }
  })
}

function formatted(type: ValueType) {
  return special([2, 3], (call, emitter) => {
    const [format, value, zone] = call.args
    const clock = inZone(emitTime(value!, type, emitter).sql, zone, emitter)
    const of = type.kind === 'time' ? `(DATE '1970-01-01' + ${clock})` : clock
    if (format!.kind !== 'string')
      return { sql: `strftime(${of}, ${emitter.value(format!, STRING).sql})`, type: STRING }
    const written = formatTime(format!.value, of)
    if ('unknown' in written) throw emitter.fail(format!.at, `the format element ${written.unknown} is not supported`)
    return { sql: written.sql, type: STRING }
  })
}

function parsed(type: ValueType, engine: string) {
  return special([2, 3], (call, emitter): Emitted => {
    const [format, text, zone] = call.args
    let pattern = emitter.value(format!, STRING).sql
    if (format!.kind === 'string') {
      const known = parseFormat(format!.value)
      if (known === null) throw emitter.fail(format!.at, 'the format has an element that cannot be parsed by')
      pattern = quoteText(known)
    }
    const read = `CAST(strptime(${emitter.value(text!, STRING).sql}, ${pattern}) AS ${engine})`
    return { sql: fromZone(read, zone, emitter), type }
  })
}

/** `INTERVAL n UNIT`. */
export function emitInterval(of: Expr, unit: string, at: number, emitter: Emitter): string {
  const maker = INTERVAL_MAKERS.get(unit)
  if (!maker) throw emitter.fail(at, `${unit.toUpperCase()} is no unit of an interval`)
  const literal = of.kind === 'string' && /^-?\d+$/.test(of.value) ? of.value : null
  const amount = literal ?? emitter.value(of, INT64).sql
  return unit === 'month' || unit === 'year' || unit === 'day' || unit === 'week' || unit === 'quarter'
    ? `${maker}(CAST(${amount} AS INTEGER))`
    : `${maker}(${amount})`
}

/** EXTRACT and its forms that the engine counts differently. */
export function emitExtract(part: Expr, of: Expr, zone: Expr | null, at: number, emitter: Emitter): Emitted {
  const unit = datePart(part)
  if (!unit) throw emitter.fail(at, 'EXTRACT needs a part of a time such as HOUR')
  const value = emitter.value(of, TIMESTAMP)
  const clock = inZone(
    (value.type.kind === 'string' ? toTime(value, TIMESTAMP) : value).sql,
    zone ?? undefined,
    emitter,
  )
  const sql = EXTRACTORS.get(unit.unit)?.(clock, unit.shift)
  if (!sql) throw emitter.fail(part.at, `EXTRACT knows no part ${unit.unit.toUpperCase()}`)
  const type = [DATE, TIME, DATETIME].find(({ kind }) => kind === unit.unit) ?? INT64
  return { sql, type }
}

const field = (name: string) => (x: string) => `${name}(${x})`
const PARTS: Record<string, (x: string, shift: number) => string> = {
  year: field('year'),
  quarter: field('quarter'),
  month: field('month'),
  day: field('day'),
  hour: field('hour'),
  minute: field('minute'),
  second: field('second'),
  millisecond: (x) => `(millisecond(${x}) % 1000)`,
  microsecond: (x) => `(microsecond(${x}) % 1000000)`,
  dayofweek: (x) => `(dayofweek(${x}) + 1)`,
  dayofyear: field('dayofyear'),
  isoweek: field('week'),
  isoyear: field('isoyear'),
  // Weeks before the first such weekday of the year are week 0.
  week: (x, shift) => `((dayofyear(${x}) + 6 - (dayofweek(${x}) + 6 - ${shift}) % 7) // 7)`,
  date: (x) => `CAST(${x} AS DATE)`,
  time: (x) => `CAST(${x} AS TIME)`,
  datetime: (x) => x,
}
const EXTRACTORS = new Map(Object.entries(PARTS))
