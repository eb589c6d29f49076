/** A time as typed after `t:`. */
import type { Point, TimeValue, Unit } from '../query.ts'
import { readPoint } from './point.ts'

const UNITS: Record<string, Unit> = {
  ...{ s: 'second', second: 'second', seconds: 'second' },
  ...{ m: 'minute', minute: 'minute', minutes: 'minute' },
  ...{ h: 'hour', hour: 'hour', hours: 'hour' },
  ...{ d: 'day', day: 'day', days: 'day' },
  ...{ w: 'week', week: 'week', weeks: 'week' },
  ...{ mm: 'month', month: 'month', months: 'month' },
  ...{ y: 'year', year: 'year', years: 'year' },
}
const TWO = String.raw`(\d\d|\{\d\d\.\.\d\d\})`
const BRACES = new RegExp(
  String.raw`^(\d{4}|\{\d{4}\.\.\d{4}\})-${TWO}-${TWO}(?:T${TWO}:${TWO}:${TWO}(?:\.(\d{1,6}|\{\d{1,6}\.\.\d{1,6}\}))?(Z|[+-]\d\d:\d\d)?)?$`,
)
const A_TIME =
  'a time such as 2025-06-01, 2025-06-01T10:00:00Z, a range of two, unix seconds, today, this@hour or last@15minute'

/** The time, or what was expected instead. */
export function readTime(text: string): TimeValue | string {
  if (text === 'now' || text === 'today' || text === 'yesterday') return { form: 'word', word: text }
  const [, name, count = '', unitName] = /^(this|last)@(\d{0,4})([a-z]+)$/.exec(text) ?? []
  if (name !== undefined && unitName !== undefined) return readRelative(name, count, unitName)
  if (text.includes('{')) return readBraces(text)
  const dots = text.indexOf('..')
  if (dots >= 0) return readSpan(text.slice(0, dots), text.slice(dots + 2))
  const point = readPoint(text)
  return point ? { form: 'point', point } : refusal(point)
}

function readRelative(name: string, count: string, unitName: string): TimeValue | string {
  const unit = Object.hasOwn(UNITS, unitName) ? UNITS[unitName] : undefined
  if (unit === undefined) return 'a unit: second, minute, hour, day, week, month or year'
  if (name === 'last') return { form: 'last', count: Number(count || 1), unit }
  return count === '' ? { form: 'this', unit } : 'no number after this@'
}

/** Each brace holds a low and a high part: all the low ones make one end, all the high ones the other. */
function readBraces(text: string): TimeValue | string {
  if (!BRACES.test(text)) return A_TIME
  return readSpan(text.replace(/\{(\d+)\.\.\d+\}/g, '$1'), text.replace(/\{\d+\.\.(\d+)\}/g, '$1'))
}

function readSpan(lowText: string, highText: string): TimeValue | string {
  const low = readPoint(lowText)
  const high = readPoint(highText)
  if (!low || !high) return refusal(low && high)
  if ((low.time === null) !== (high.time === null)) return 'two dates or two times of day at the ends of a range'
  if (low.absolute !== high.absolute) return 'an offset at both ends of a range, or at neither'
  return isSame(low, high) ? { form: 'point', point: low } : { form: 'span', low, high }
}

const isSame = (a: Point, b: Point): boolean => a.date === b.date && a.time === b.time && a.fraction === b.fraction

const refusal = (point: null | undefined | Point): string => (point === null ? 'a day and time that exist' : A_TIME)
