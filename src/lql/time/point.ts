/** Points in time as people write them: a date, a date with a time, unix digits; with an offset, or in the reader's zone. */
import type { Point } from '../query.ts'

const SHAPE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:\d\d)?)?$/
const UNIX = /^(?:\d{10}|\d{13}|\d{16})$/

const LAST_YEAR_END_MS = Date.UTC(10_000, 0, 1)

/** `undefined`: the text has no such shape. `null`: it has, but there is no such day or hour. */
export function readPoint(text: string): Point | null | undefined {
  if (UNIX.test(text)) return unixPoint(text)
  const [, date, minutes, seconds = '00', fraction = '', offset] = SHAPE.exec(text) ?? []
  if (date === undefined) return undefined
  const clock = minutes === undefined ? null : `${minutes}:${seconds}`
  const ms = Date.parse(`${date}T${clock ?? '00:00:00'}Z`)
  // The date parser lets a 30th of February roll over.
  if (Number.isNaN(ms) || isoSeconds(ms) !== `${date}T${clock ?? '00:00:00'}`) return null
  const point = { date, time: clock, fraction: trimZeros(fraction), absolute: offset !== undefined }
  if (offset === undefined || offset === 'Z') return point
  const utcMs = Date.parse(`${date}T${clock}${offset}`)
  if (Number.isNaN(utcMs) || utcMs >= LAST_YEAR_END_MS || !/^\d{4}-/.test(isoSeconds(utcMs))) return null
  return { ...point, ...datePart(utcMs) }
}

function unixPoint(digits: string): Point {
  const micros = digits.slice(10).padEnd(6, '0')
  return { ...datePart(Number(digits.slice(0, 10)) * 1000), fraction: trimZeros(micros), absolute: true }
}

function datePart(ms: number): { date: string; time: string } {
  const [date = '', time = ''] = isoSeconds(ms).split('T')
  return { date, time }
}

const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '')
const trimZeros = (fraction: string): string => fraction.replace(/0+$/, '')

export function printPoint({ date, time, fraction, absolute }: Point): string {
  if (time === null) return date
  return `${date}T${time}${fraction && `.${fraction}`}${absolute ? 'Z' : ''}`
}

/** Two points as one text, part by part: `2025-06-{01..05}`. */
export function printSpan(low: Point, high: Point): string {
  const date = foldParts(low.date, high.date, '-')
  if (low.time === null || high.time === null) return date
  const time = foldParts(low.time, high.time, ':')
  const fraction = low.fraction || high.fraction ? `.${fold(low.fraction || '0', high.fraction || '0')}` : ''
  return `${date}T${time}${fraction}${low.absolute ? 'Z' : ''}`
}

function foldParts(low: string, high: string, separator: string): string {
  const highs = high.split(separator)
  return low
    .split(separator)
    .map((part, i) => fold(part, highs[i]!))
    .join(separator)
}

const fold = (low: string, high: string): string => (low === high ? low : `{${low}..${high}}`)
