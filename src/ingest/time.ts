import { isDigit } from './json/bytes.ts'

/**
 * When an event happened, in microseconds since 1970, read from what the sender wrote. Every function answers NaN for
 * "not a time". Digits below a microsecond are cut, never rounded: a time must not move into the next second.
 */

/** ISO 8601: a date, or date and time with `T` or a space, fraction, and an offset; none means UTC. */
export function isoMicros(bytes: Uint8Array, from: number, to: number): number {
  const extended = bytes[from + 4] === DASH
  const step = extended ? 3 : 2
  const year = digits(bytes, from, 4, to)
  const month = digits(bytes, from + (extended ? 5 : 4), 2, to)
  const day = digits(bytes, from + (extended ? 5 : 4) + step, 2, to)
  let at = from + (extended ? 10 : 8)
  if (extended && bytes[from + 7] !== DASH) return Number.NaN
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return Number.NaN
  const midnight = daysSince1970(year, month, day) * DAY_US
  if (at === to) return extended ? midnight : Number.NaN

  const separator = bytes[at]
  if (separator !== 0x54 && separator !== 0x74 && !(separator === 0x20 && extended)) return Number.NaN
  at++
  const hour = digits(bytes, at, 2, to)
  if (extended && bytes[at + 2] !== COLON) return Number.NaN
  at += step
  const minute = digits(bytes, at, 2, to)
  at += 2
  let second = 0
  let fraction = 0
  if (at < to && (extended ? bytes[at] === COLON : isDigit(bytes[at]))) {
    at += step - 2
    second = digits(bytes, at, 2, to)
    at += 2
    if (at < to && (bytes[at] === DOT || bytes[at] === COMMA)) {
      const start = ++at
      let weight = 100_000
      while (at < to && isDigit(bytes[at])) {
        fraction += weight >= 1 ? (bytes[at]! - ZERO) * weight : 0
        weight = weight > 1 ? weight / 10 : 0
        at++
      }
      if (at === start) return Number.NaN
    }
  }
  // 24:00 ends a day and :60 is a leap second: both are the same instant as the next one's start.
  if (!(hour <= 23 || (hour === 24 && minute === 0 && second === 0 && fraction === 0))) return Number.NaN
  if (!(minute <= 59 && second <= 60)) return Number.NaN
  const offset = at === to ? 0 : offsetMinutes(bytes, at, to)
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1_000_000 + fraction
}

/** A whole number of seconds, milliseconds, microseconds or nanoseconds, told apart by its size. At most 15 digits here, so that it is exact. */
export function integerMicros(value: number): number {
  if (value < SECONDS_BELOW) return value * 1_000_000
  if (value < MILLIS_BELOW) return value * 1000
  return value
}

/** Any JSON number as text: fractions, exponents and nanoseconds included, without passing through a double. */
export function numberMicros(text: string): number {
  const parts = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text)
  if (!parts || (parts[1] === '-' && /[1-9]/.test(text))) return Number.NaN
  const size = Number(text)
  if (!(size < NANOS_BELOW)) return Number.NaN
  const unit = size < SECONDS_BELOW ? 6 : size < MILLIS_BELOW ? 3 : size < MICROS_BELOW ? 0 : -3
  const fraction = parts[3] ?? ''
  const shift = Number(parts[4] ?? 0) + unit
  const point = parts[2]!.length + shift
  if (point <= 0) return 0
  return Number((parts[2]! + fraction).padEnd(point, '0').slice(0, point))
}

/** A time sent as text: ISO 8601, or a number in quotes. */
export function textMicros(text: string): number {
  if (text.length > 64) return Number.NaN
  const number = numberMicros(text)
  if (!Number.isNaN(number)) return number
  const bytes = Buffer.from(text, 'utf8')
  return isoMicros(bytes, 0, bytes.length)
}

const DAY_US = 86_400_000_000
const SECONDS_BELOW = 1e11
const MILLIS_BELOW = 1e14
const MICROS_BELOW = 1e17
const NANOS_BELOW = 1e20
const ZERO = 0x30
const DASH = 0x2d
const COLON = 0x3a
const DOT = 0x2e
const COMMA = 0x2c

function digits(bytes: Uint8Array, at: number, count: number, to: number): number {
  if (at + count > to) return Number.NaN
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = bytes[i]! - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** `Z`, `+hh`, `+hhmm` or `+hh:mm`, and nothing after it. */
function offsetMinutes(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at]
  if (first === 0x5a || first === 0x7a) return at + 1 === to ? 0 : Number.NaN
  if (first !== 0x2b && first !== DASH) return Number.NaN
  const hours = digits(bytes, at + 1, 2, to)
  const minutesAt = bytes[at + 3] === COLON ? at + 4 : at + 3
  const minutes = at + 3 === to ? 0 : minutesAt + 2 === to ? digits(bytes, minutesAt, 2, to) : Number.NaN
  if (!(hours <= 23 && minutes <= 59)) return Number.NaN
  return first === DASH ? -(hours * 60 + minutes) : hours * 60 + minutes
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Counted in years that begin in March, so that the leap day is the last one. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}
