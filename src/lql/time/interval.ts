/** What a time means at some moment and in some zone: from a first to a last microsecond, both included. */
import type { Point, TimeValue, Unit } from '../query.ts'
import type { Zone } from './zone.ts'

export type Interval = { fromUs: number; toUs: number }

/** The moment and the zone in which a query is understood. */
export type When = { nowMs(): number; zone: Zone }

const DAY_MS = 86_400_000

export const dependsOnNow = (time: TimeValue): boolean => time.form !== 'point' && time.form !== 'span'

export function intervalOf(time: TimeValue, nowMs: number, zone: Zone): Interval {
  switch (time.form) {
    case 'point':
      return { fromUs: firstUs(time.point, zone), toUs: lastUs(time.point, zone) }
    case 'span':
      return { fromUs: firstUs(time.low, zone), toUs: lastUs(time.high, zone) }
    case 'word':
      return wordInterval(time.word, nowMs)
    case 'this':
      return until(startOf(time.unit, nowMs), nowMs)
    case 'last':
      return until(back(truncated(time.unit, nowMs), time.count, time.unit), nowMs)
  }
}

function firstUs({ date, time, fraction, absolute }: Point, zone: Zone): number {
  const wallMs = Date.parse(`${date}T${time ?? '00:00:00'}Z`)
  return (absolute ? wallMs : zone.instantMs(wallMs)) * 1000 + Number(fraction.padEnd(6, '0'))
}

function lastUs(point: Point, zone: Zone): number {
  if (point.time !== null) return firstUs(point, zone)
  return zone.instantMs(Date.parse(`${point.date}T00:00:00Z`) + DAY_MS) * 1000 - 1
}

function wordInterval(word: 'now' | 'today' | 'yesterday', nowMs: number): Interval {
  if (word === 'now') return { fromUs: nowMs * 1000, toUs: nowMs * 1000 }
  const fromMs = startOf('day', nowMs) - (word === 'today' ? 0 : DAY_MS)
  return { fromUs: fromMs * 1000, toUs: (fromMs + DAY_MS) * 1000 - 1 }
}

/** Up to the end of the current millisecond: events are stamped more finely than the clock is read here. */
const until = (fromMs: number, nowMs: number): Interval => ({ fromUs: fromMs * 1000, toUs: nowMs * 1000 + 999 })

/** Units are those of UTC, weeks start on Monday. */
export function startOf(unit: Unit, ms: number): number {
  const date = new Date(ms)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  switch (unit) {
    case 'second':
      return ms - (ms % 1000)
    case 'minute':
      return ms - (ms % 60_000)
    case 'hour':
      return ms - (ms % 3_600_000)
    case 'day':
      return Date.UTC(year, month, day)
    case 'week':
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7))
    case 'month':
      return Date.UTC(year, month, 1)
    case 'year':
      return Date.UTC(year, 0, 1)
  }
}

/** "The last 2 hours" start with a full hour; longer units with a full day. */
function truncated(unit: Unit, nowMs: number): number {
  if (unit === 'second') return nowMs
  return startOf(unit === 'minute' || unit === 'hour' ? unit : 'day', nowMs)
}

const UNIT_MS = { second: 1000, minute: 60_000, hour: 3_600_000, day: DAY_MS, week: 7 * DAY_MS }

function back(ms: number, count: number, unit: Unit): number {
  if (unit !== 'month' && unit !== 'year') return ms - count * UNIT_MS[unit]
  const date = new Date(ms)
  const months = date.getUTCMonth() - count * (unit === 'year' ? 12 : 1)
  // A month before the 31st is the last day of a shorter month, not the first of the next.
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), months + 1, 0)).getUTCDate()
  return Date.UTC(date.getUTCFullYear(), months, Math.min(date.getUTCDate(), lastDay))
}
