/** What the rows of an answer are made of, found by looking at them: answers carry values and no types. */
import type { Row } from '../api/records.ts'

export type ColumnKind = 'time' | 'number' | 'text' | 'nested'
export type ResultColumn = { name: string; kind: ColumnKind }

/** Times are microseconds since 1970; a whole column of numbers between these two is one of times. */
const FROM_US = Date.UTC(2001, 0) * 1000
const TO_US = Date.UTC(2100, 0) * 1000

export function columnsOf(rows: readonly Row[]): ResultColumn[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...names].map((name) => ({ name, kind: kindOf(rows.map((row) => row[name])) }))
}

function kindOf(values: unknown[]): ColumnKind {
  const present = values.filter((value) => value !== null && value !== undefined)
  if (present.length === 0) return 'text'
  if (present.every(isTime)) return 'time'
  if (present.every((value) => typeof value === 'number')) return 'number'
  return present.some((value) => typeof value === 'object') ? 'nested' : 'text'
}

const isTime = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= FROM_US && value < TO_US

/** A value on one line; times in UTC. */
export function textOf(value: unknown, kind: ColumnKind): string {
  if (value === null || value === undefined) return 'null'
  if (kind === 'time' && typeof value === 'number') return timeText(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `2026-11-15 19:22:12.250000`, with as much of the fraction as there is. */
function timeText(us: number): string {
  const seconds = new Date(Math.floor(us / 1000)).toISOString().slice(0, 19).replace('T', ' ')
  const fraction = String(us % 1_000_000).padStart(6, '0')
  if (fraction === '000000') return seconds
  return `${seconds}.${fraction.endsWith('000') ? fraction.slice(0, 3) : fraction}`
}

/** The whole value, for reading and copying. */
export function fullText(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}
