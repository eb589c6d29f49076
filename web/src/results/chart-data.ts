/** Rows as lines over time: one line for each column of numbers, and for each text when rows share their time. */
import type { Row } from '../api/records.ts'
import type { ResultColumn } from './columns.ts'

/** More cannot be told apart. */
const LINES_MAX = 8

export type ChartData = {
  /** Seconds since 1970, growing. */
  times: number[]
  lines: { name: string; values: (number | null)[] }[]
}

/** Null when the rows have no column of times, or no numbers. */
export function chartData(rows: readonly Row[], columns: readonly ResultColumn[]): ChartData | null {
  const time = columns.find(({ kind }) => kind === 'time')?.name
  const numbers = columns.filter(({ kind }) => kind === 'number').map(({ name }) => name)
  if (time === undefined || numbers.length === 0 || rows.length === 0) return null
  const times = [...new Set(rows.flatMap((row) => timeOf(row[time])))].toSorted((a, b) => a - b)
  const texts = columns.filter(({ kind }) => kind === 'text').map(({ name }) => name)
  // Rows of the same time are told apart by their texts, or one would hide the other.
  const splits = times.length < rows.length && texts.length > 0
  const nameOf = (row: Row, number: string): string => {
    const split = splits ? texts.map((name) => String(row[name])).join(' · ') : ''
    return numbers.length === 1 && splits ? split : `${split} ${number}`.trim()
  }
  const place = new Map(times.map((at, index) => [at, index]))
  const lines = new Map<string, (number | null)[]>()
  for (const row of rows) {
    const [at] = timeOf(row[time])
    const index = at === undefined ? undefined : place.get(at)
    if (index === undefined) continue
    for (const number of numbers) {
      const name = nameOf(row, number)
      const value = row[number]
      const values = lines.get(name) ?? times.map(() => null)
      lines.set(name, values)
      if (typeof value === 'number') values[index] = value
    }
  }
  return { times, lines: [...lines].slice(0, LINES_MAX).map(([name, values]) => ({ name, values })) }
}

const timeOf = (value: unknown): number[] => (typeof value === 'number' ? [value / 1_000_000] : [])
