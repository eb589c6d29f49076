import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import { CALENDAR_UNITS, datePart, INTERVAL_MAKERS, UNIT_US } from '../time-units.ts'
import type { Call, Expr } from '../tree.ts'
import { DATE, DATETIME, INT64, STRING, TIME, TIMESTAMP, type ValueType } from '../value-types.ts'
import { emitTime, isTimeKind, toTime } from './instant.ts'
import { ofEngine, type Rule, type Rules, scalar, special } from './rule.ts'

const zoneOf = (zone: Expr | null | undefined, emitter: Emitter): string | null =>
  zone ? emitter.value(zone, STRING).sql : null

/** The clock of this moment, in the zone that the call may name. */
const clockNow = (call: Call, emitter: Emitter, part?: 'date' | 'time'): string => {
  const { time, toTime: turned } = emitter.dialect
  const sql = time.inZone({ sql: time.now, type: TIMESTAMP }, zoneOf(call.args[0], emitter))
  return part ? turned({ sql, type: DATETIME }, part, false) : sql
}

export const timeFunctions: Rules = {
  current_timestamp: special(0, (_, emitter) => ({ sql: emitter.dialect.time.now, type: TIMESTAMP })),
  current_datetime: special([0, 1], (call, emitter) => ({ sql: clockNow(call, emitter), type: DATETIME })),
  current_date: special([0, 1], (call, emitter) => ({ sql: clockNow(call, emitter, 'date'), type: DATE })),
  current_time: special([0, 1], (call, emitter) => ({ sql: clockNow(call, emitter, 'time'), type: TIME })),

  timestamp: special([1, 2], (call, emitter) => {
    const of = emitTime(call.args[0]!, TIMESTAMP, emitter)
    const zone = zoneOf(call.args[1], emitter)
    return { sql: zone ? emitter.dialect.time.fromZone(of, zone) : of.sql, type: TIMESTAMP }
  }),
  datetime: special([1, 6], (call, emitter) => {
    if (call.args.length > 2) return { sql: madeTime(call, emitter), type: DATETIME }
    const of = emitTime(call.args[0]!, DATETIME, emitter)
    const zone = zoneOf(call.args[1], emitter)
    return { sql: zone ? emitter.dialect.time.inZone(of, zone) : of.sql, type: DATETIME }
  }),
  date: special([1, 3], (call, emitter) => {
    if (call.args.length === 3) return { sql: madeTime(call, emitter), type: DATE }
    const zone = zoneOf(call.args[1], emitter)
    if (!zone) return emitTime(call.args[0]!, DATE, emitter)
    const clock = emitter.dialect.time.inZone(emitTime(call.args[0]!, TIMESTAMP, emitter), zone)
    return { sql: emitter.dialect.toTime({ sql: clock, type: DATETIME }, 'date', false), type: DATE }
  }),
  time: special([1, 3], (call, emitter) => {
    if (call.args.length === 3) return { sql: madeTime(call, emitter), type: TIME }
    const of = emitter.value(call.args[0]!, DATETIME)
    return { sql: emitter.dialect.toTime(of, 'time', false), type: TIME }
  }),

  unix_seconds: counted(1_000_000),
  unix_millis: counted(1000),
  unix_micros: special(1, (call, emitter) => ({
    sql: emitter.dialect.time.micros(emitter.value(call.args[0]!, TIMESTAMP).sql),
    type: INT64,
  })),
  unix_date: scalar(1, DATE, INT64, {
    duckdb: (x) => `date_diff('day', DATE '1970-01-01', ${x})`,
    postgres: (x) => `CAST(${x} - DATE '1970-01-01' AS bigint)`,
    clickhouse: (x) => `dateDiff('day', toDate32('1970-01-01'), ${x})`,
  }),
  timestamp_seconds: instantAt(1_000_000),
  timestamp_millis: instantAt(1000),
  timestamp_micros: instantAt(1),
  timestamp_from_unix_seconds: instantAt(1_000_000),
  date_from_unix_date: scalar(1, INT64, DATE, {
    duckdb: (x) => `(DATE '1970-01-01' + CAST(${x} AS INTEGER))`,
    postgres: (x) => `(DATE '1970-01-01' + CAST(${x} AS INTEGER))`,
    clickhouse: (x) => `(toDate32('1970-01-01') + ${x})`,
  }),

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
    const { time } = emitter.dialect
    const apart = `(${time.micros(later!)} - ${time.micros(earlier!)})`
    const write = {
      duckdb: () => `(${apart} // ${size})`,
      postgres: () => `(${apart} / ${size})`,
      clickhouse: () => `intDiv(${apart}, ${size})`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: INT64 }
  }),
  datetime_diff: boundaries(DATETIME),
  date_diff: boundaries(DATE),

  format_timestamp: formatted(TIMESTAMP),
  format_datetime: formatted(DATETIME),
  format_date: formatted(DATE),
  format_time: formatted(TIME),
  parse_timestamp: parsed(TIMESTAMP),
  parse_datetime: parsed(DATETIME),
  parse_date: parsed(DATE),
  last_day: special([1, 2], (call, emitter) => {
    const of = emitTime(call.args[0]!, DATE, emitter).sql
    const write = {
      duckdb: () => `last_day(${of})`,
      clickhouse: () => `toDate32(toLastDayOfMonth(${of}))`,
      postgres: () => `CAST(date_trunc('month', CAST(${of} AS timestamp)) + interval '1 month -1 day' AS date)`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: DATE }
  }),
}

/** DATE, DATETIME and TIME of their numbers. */
function madeTime(call: Call, emitter: Emitter): string {
  const [count, maker] =
    call.name === 'datetime' ? [6, 'make_timestamp'] : [3, call.name === 'date' ? 'make_date' : 'make_time']
  const numbers = Array.from({ length: count }, (_, i) => {
    const arg = call.args[i]
    return arg ? emitter.value(arg, INT64).sql : '0'
  })
  const seconds = call.name === 'datetime' ? 5 : call.name === 'time' ? 2 : null
  const short = numbers.map((number, i) => (i === seconds ? number : `CAST(${number} AS integer)`))
  const write = {
    duckdb: () => `${maker}(${numbers.join(', ')})`,
    postgres: () => `${maker}(${short.join(', ')})`,
    clickhouse: () => {
      if (call.name === 'date') return `makeDate32(${numbers.join(', ')})`
      const day = call.name === 'time' ? ['1970', '1', '1'] : []
      return `makeDateTime64(${[...day, ...numbers].join(', ')}, 0, 6, 'UTC')`
    },
  }
  return ofEngine(write, call, emitter)()
}

/** Whole units since 1970, also before it. */
function counted(unitUs: number) {
  return special(1, (call, emitter) => {
    const micros = emitter.dialect.time.micros(emitter.value(call.args[0]!, TIMESTAMP).sql)
    const write = {
      duckdb: () => `bq_floor_div(${micros}, ${unitUs})`,
      postgres: () => `CAST(floor(${micros} / ${unitUs}.0) AS bigint)`,
      clickhouse: () => `intDiv(${micros} - positiveModulo(${micros}, ${unitUs}), ${unitUs})`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: INT64 }
  })
}

function instantAt(unitUs: number) {
  return special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, INT64).sql
    const number = emitter.dialect.engine === 'clickhouse' ? `toInt64(${of})` : `CAST(${of} AS BIGINT)`
    const micros = unitUs === 1 ? number : `${number} * ${unitUs}`
    return { sql: emitter.dialect.time.fromMicros(micros), type: TIMESTAMP }
  })
}

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
      const days = emitter.value(interval!, INT64).sql
      const short = emitter.dialect.engine === 'clickhouse' ? days : `CAST(${days} AS INTEGER)`
      return { sql: `(${of} ${sign} ${short})`, type }
    }
    return { sql: isTimeKind(type.kind) ? emitter.dialect.time.moved(of, sign, by, type.kind) : of, type }
  })
}

function truncated(type: ValueType) {
  return special([2, 3], (call, emitter) => {
    const part = partOf(call.args[1], call, emitter)
    const of = emitTime(call.args[0]!, type, emitter)
    return { sql: emitter.dialect.time.truncated(of, part, zoneOf(call.args[2], emitter)), type }
  })
}

/** DATE_DIFF and DATETIME_DIFF count the boundaries between two points, not the whole units. */
function boundaries(type: ValueType) {
  return special(3, (call, emitter) => {
    const part = partOf(call.args[2], call, emitter)
    const [later, earlier] = [call.args[0]!, call.args[1]!].map((arg) => emitTime(arg, type, emitter).sql)
    return { sql: emitter.dialect.time.boundaries(later!, earlier!, part), type: INT64 }
  })
}

function formatted(type: ValueType) {
  return special([2, 3], (call, emitter) => {
    const [format, value, zone] = call.args
    const { time } = emitter.dialect
    const clock = time.inZone(emitTime(value!, type, emitter), zoneOf(zone, emitter))
    const isBare = type.kind === 'time' && emitter.dialect.engine !== 'clickhouse'
    const of = isBare ? `(DATE '1970-01-01' + ${clock})` : clock
    if (format!.kind !== 'string') {
      const sql = time.formatBy(emitter.value(format!, STRING).sql, of)
      if (sql === null) throw emitter.lacks(format!.at, 'a format that is no text literal')
      return { sql, type: STRING }
    }
    const written = time.format(format!.value, of)
    if ('unknown' in written) throw emitter.fail(format!.at, `the format element ${written.unknown} is not supported`)
    return { sql: written.sql, type: STRING }
  })
}

function parsed(type: ValueType): Rule {
  const rule = special([2, 3], (call, emitter): Emitted => {
    const [format, text, zone] = call.args
    const { time } = emitter.dialect
    if (!isTimeKind(type.kind)) throw emitter.lacks(call.at, call.name)
    const isLiteral = format!.kind === 'string'
    const pattern = emitter.value(format!, STRING).sql
    const of = emitter.value(text!, STRING).sql
    const sql = isLiteral ? time.parse(of, format!.value, type.kind, call.safe) : time.parseBy(of, pattern, type.kind)
    if (sql === null && isLiteral) throw emitter.fail(format!.at, 'the format has an element that cannot be parsed by')
    if (sql === null) throw emitter.lacks(format!.at, 'a format that is no text literal')
    const zoned = zoneOf(zone, emitter)
    return { sql: zoned ? time.fromZone({ sql, type }, zoned) : sql, type }
  })
  return { ...rule, attempts: true }
}

/** `INTERVAL n UNIT`. */
export function emitInterval(of: Expr, unit: string, at: number, emitter: Emitter): string {
  if (!INTERVAL_MAKERS.has(unit)) throw emitter.fail(at, `${unit.toUpperCase()} is no unit of an interval`)
  const literal = of.kind === 'string' && /^-?\d+$/.test(of.value) ? of.value : null
  return emitter.dialect.time.interval(unit, literal ?? emitter.value(of, INT64).sql)
}

/** EXTRACT and its forms that engines count differently. */
export function emitExtract(part: Expr, of: Expr, zone: Expr | null, at: number, emitter: Emitter): Emitted {
  const unit = datePart(part)
  if (!unit) throw emitter.fail(at, 'EXTRACT needs a part of a time such as HOUR')
  const value = emitter.value(of, TIMESTAMP)
  const instant = value.type.kind === 'string' ? toTime(value, TIMESTAMP, emitter) : value
  const { time } = emitter.dialect
  const sql = time.extract(unit, time.inZone(instant, zoneOf(zone, emitter)))
  if (sql === null) throw emitter.fail(part.at, `EXTRACT knows no part ${unit.unit.toUpperCase()}`)
  const type = [DATE, TIME, DATETIME].find(({ kind }) => kind === unit.unit) ?? INT64
  return { sql, type }
}
