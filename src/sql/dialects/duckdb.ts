import { quoteName, quoteText } from '../emitted.ts'
import { formatTime, parseFormat } from '../formats.ts'
import { INTERVAL_MAKERS } from '../time-units.ts'
import type { Column } from '../value-types.ts'
import { engineName, type ValueType } from '../value-types.ts'
import type { Dialect, TimeWords } from './dialect.ts'

/** The embedded engine. What it lacks is in the macros of `macros.ts`. */
export const duckdb: Dialect = {
  engine: 'duckdb',
  label: 'the embedded engine',
  longestName: Number.POSITIVE_INFINITY,

  text: quoteText,
  bytes: (hex) => `unhex('${hex}')`,
  // With an exponent the engine reads a DOUBLE, without one a DECIMAL.
  float: (digits) => (/[eE]/.test(digits) ? digits : `${digits}e0`),
  wide: (number) => `CAST(${number} AS BIGINT)`,
  timeLiteral: (kind, text) => `${TIME_TYPES[kind]} '${text}'`,
  parameter(index, type) {
    const engine = engineName(type, 'duckdb')
    return engine ? `CAST($p${index} AS ${engine})` : `$p${index}`
  },

  field: (of, name) => {
    if (of.type.kind === 'json') return `json_extract(${of.sql}, ${quoteText(`$."${name}"`)})`
    return of.type.kind === 'unknown' ? `(${of.sql}).${quoteName(name)}` : `${of.sql}.${quoteName(name)}`
  },
  jsonElement: (of, index) =>
    `json_extract(${of}, ${'name' in index ? quoteText(`$."${index.name}"`) : `'$[' || ${index.position} || ']'`})`,
  element: (list, position, safe) => `${safe ? 'bq_safe_at' : 'bq_at'}(${list.sql}, ${position})`,
  list: (items, declared) => casted(`[${items.map((item) => item.sql).join(', ')}]`, declared),
  object: (fields, declared) =>
    casted(
      `struct_pack(${fields.map(({ name, value }) => `${quoteName(name)} := ${value.sql}`).join(', ')})`,
      declared,
    ),
  row: (alias) => alias,
  listOfQuery: (sql) => `ARRAY(${sql})`,
  contains: (list, value) => `list_contains(${list.sql}, ${value.sql})`,
  isNull: (of, not) => `${of.sql} IS ${not ? 'NOT ' : ''}NULL`,

  selected: (value) => value.sql,
  ordered: (value) => value.sql,
  compare: (left, operator, right) => `(${left.sql} ${operator} ${right.sql})`,
  divide: (left, right, nonZero) => (nonZero ? `(${left} / ${right})` : `bq_divide(${left}, ${right})`),
  calculate: (left, operator, right) => {
    if (operator === '^') return `xor(${left.sql}, ${right.sql})`
    const isDays = left.type.kind === 'date' && right.type.kind === 'int64'
    return `(${left.sql} ${operator} ${isDays ? `CAST(${right.sql} AS INTEGER)` : right.sql})`
  },
  cast: ({ sql, type }, to, engineType, safe) => cast(sql, type.kind, to.kind, engineType, safe),
  toTime: ({ sql, type }, kind, safe) => {
    const word = safe ? 'TRY_CAST' : 'CAST'
    // Text with an offset must go through the engine's zoned type, which alone heeds the offset.
    if (kind === 'timestamp' && (type.kind === 'string' || type.kind === 'json'))
      return `(${word}(${sql} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')`
    return `${word}(${sql} AS ${TIME_TYPES[kind]})`
  },
  attempt: (sql) => `TRY(${sql})`,

  time: timeWords(),

  hasQualify: true,
  hasGroupByAll: true,
  hasStandardUnion: true,
  ordersDistinct: true,
  ordersKeysPlainly: false,
  unnest: (list, alias, withPosition) => ({
    from: `(SELECT unnest(${list.sql}) AS v${withPosition ? `, generate_subscripts(${list.sql}, 1) - 1 AS o` : ''}) AS ${alias}`,
    value: `${alias}.v`,
    position: `${alias}.o`,
  }),
  united: (sql) => sql,
  output: withDatetimes,
  relation: (_, from) => `SELECT * FROM ${from}`,
}

const TIME_TYPES = { timestamp: 'TIMESTAMP', datetime: 'TIMESTAMP', date: 'DATE', time: 'TIME' }

const casted = (sql: string, declared: string | null): string => (declared ? `CAST(${sql} AS ${declared})` : sql)

/** The few conversions where GoogleSQL and the engine differ. */
function cast(sql: string, from: ValueType['kind'], to: ValueType['kind'], engineType: string, safe: boolean): string {
  const word = safe ? 'TRY_CAST' : 'CAST'
  if (to === 'string') {
    if (from === 'timestamp') return `(CAST(${sql} AS VARCHAR) || '+00')`
    if (from === 'float64') return `bq_float_text(${sql})`
    if (from === 'bytes') return `decode(${sql})`
  }
  if (to === 'int64') {
    if (from === 'float64' || from === 'numeric') return `${word}(round(${sql}) AS BIGINT)`
    if (from === 'string') return safe ? `bq_try_int(${sql})` : `bq_int(${sql})`
  }
  if (to === 'bytes' && from === 'string') return `encode(${sql})`
  return `${word}(${sql} AS ${engineType})`
}

/** A DATETIME leaves as text; instants leave as they are, for the engine to count in microseconds. */
function withDatetimes(sql: string, columns: Column[]): string {
  if (!columns.some(({ type }) => type.kind === 'datetime')) return sql
  const list = columns.map(({ name, type }) => {
    const quoted = quoteName(name)
    return type.kind === 'datetime' ? `bq_datetime_text(${quoted}) AS ${quoted}` : quoted
  })
  return `SELECT ${list.join(', ')} FROM (${sql}) AS result`
}

/** Instants and wall clocks are both TIMESTAMP, so UTC needs no step between them. */
function timeWords(): TimeWords {
  const inZone = (of: string, zone: string | null): string =>
    zone ? `((${of} AT TIME ZONE 'UTC') AT TIME ZONE ${zone})` : of
  const fromZone = (clock: string, zone: string | null): string =>
    zone ? `((${clock} AT TIME ZONE ${zone}) AT TIME ZONE 'UTC')` : clock
  return {
    now: 'make_timestamp(epoch_us(now()))',
    inZone: (of, zone) => inZone(of.sql, zone),
    fromZone: (clock, zone) => fromZone(clock.sql, zone),
    micros: (of) => `epoch_us(${of})`,
    fromMicros: (micros) => `make_timestamp(${micros})`,
    interval: (unit, amount) =>
      WIDE_UNITS.has(unit)
        ? `${INTERVAL_MAKERS.get(unit)}(CAST(${amount} AS INTEGER))`
        : `${INTERVAL_MAKERS.get(unit)}(${amount})`,
    moved: (of, sign, interval, kind) =>
      kind === 'date' ? `CAST(${of} ${sign} ${interval} AS DATE)` : `(${of} ${sign} ${interval})`,
    truncated(of, { unit, shift }, zone) {
      const clock = inZone(of.sql, zone)
      let sql = `date_trunc('${unit === 'isoweek' ? 'week' : unit}', ${clock})`
      // The engine's weeks start on Monday; others are truncated by moving there and back.
      if (unit === 'week' && shift > 0) sql = `(date_trunc('week', ${clock} - to_days(${shift})) + to_days(${shift}))`
      return fromZone(of.type.kind === 'date' ? `CAST(${sql} AS DATE)` : sql, zone)
    },
    boundaries(later, earlier, { unit, shift }) {
      // The engine counts weeks from a day of its own, so they are counted from the first days of both.
      const weekOf = (x: string) => `date_trunc('week', ${shift > 0 ? `${x} - to_days(${shift})` : x})`
      if (unit === 'week' || unit === 'isoweek') return `(date_diff('day', ${weekOf(earlier)}, ${weekOf(later)}) // 7)`
      if (unit === 'isoyear') return `(isoyear(${later}) - isoyear(${earlier}))`
      return `date_diff('${unit}', ${earlier}, ${later})`
    },
    extract: ({ unit, shift }, clock) => EXTRACTORS.get(unit)?.(clock, shift) ?? null,
    format: formatTime,
    formatBy: (format, of) => `strftime(${of}, ${format})`,
    parse(text, format, kind) {
      const known = parseFormat(format)
      return known === null ? null : `CAST(strptime(${text}, ${quoteText(known)}) AS ${TIME_TYPES[kind]})`
    },
    parseBy: (text, format, kind) => `CAST(strptime(${text}, ${format}) AS ${TIME_TYPES[kind]})`,
  }
}

/** Units whose intervals are made of 32-bit numbers. */
const WIDE_UNITS = new Set(['day', 'week', 'month', 'quarter', 'year'])

const part = (name: string) => (x: string) => `${name}(${x})`
const PARTS: Record<string, (x: string, shift: number) => string> = {
  year: part('year'),
  quarter: part('quarter'),
  month: part('month'),
  day: part('day'),
  hour: part('hour'),
  minute: part('minute'),
  second: part('second'),
  millisecond: (x) => `(millisecond(${x}) % 1000)`,
  microsecond: (x) => `(microsecond(${x}) % 1000000)`,
  dayofweek: (x) => `(dayofweek(${x}) + 1)`,
  dayofyear: part('dayofyear'),
  isoweek: part('week'),
  isoyear: part('isoyear'),
  // Weeks before the first such weekday of the year are week 0.
  week: (x, shift) => `((dayofyear(${x}) + 6 - (dayofweek(${x}) + 6 - ${shift}) % 7) // 7)`,
  date: (x) => `CAST(${x} AS DATE)`,
  time: (x) => `CAST(${x} AS TIME)`,
  datetime: (x) => x,
}
const EXTRACTORS = new Map(Object.entries(PARTS))
