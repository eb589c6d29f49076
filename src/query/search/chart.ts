/** The chart of a search: one value per period, oldest first, 0 where there is nothing. */
import { type Chart, type Period, print } from '../../lql/lql.ts'
import type { Range } from './answers.ts'
import { type Breakdown, breakdownOf, selecting } from './breakdown.ts'
import { BUCKETS_MAX, type ChartRange, chartRange } from './chart-range.ts'
import { bucketOf, step } from './periods.ts'
import { type Question, type SearchParts, understandAt } from './question.ts'
import { keptFromUs, tooOld } from './retention.ts'

/** Beside `timestamp` and `value` a count has its parts, by their keys. */
export type Bucket = { timestamp: number; value: number | string; [key: string]: number | string }

export type ChartAnswer = {
  period: Period
  buckets: Bucket[]
  range: Range | null
  lql: string
  breakdown: { field: string; keys: string[] } | null
  warnings: string[]
}

const NOWHERE = { start: 0, end: 0 }
const PLAIN: Omit<Chart, 'period'> = { aggregate: 'count', path: '*', at: NOWHERE, pathAt: NOWHERE }

export function createChart(parts: SearchParts) {
  return async function chart(question: Question): Promise<ChartAnswer> {
    const { source, signal } = question
    const { place, understood } = await understandAt(question, parts)
    const { query, fields, nowMs, sql } = understood
    const { bounds } = sql()
    const range = chartRange(query.chart, bounds, { nowUs: nowMs * 1000, keptFromUs: keptFromUs(source, nowMs) })
    const warnings = [...tooOld(source, bounds, nowMs), ...(range?.warnings ?? [])]
    const drawn: Chart = { ...PLAIN, ...query.chart, period: range?.period ?? query.chart?.period ?? 'minute' }
    const answer = { period: drawn.period, lql: print({ ...query, chart: drawn }), warnings }
    if (!range) return { ...answer, buckets: [], range: null, breakdown: null }

    const isPlainCount = drawn.aggregate === 'count' && drawn.path === '*'
    const parted = isPlainCount
      ? breakdownOf(fields, place.words, (path) => sql(selecting([path])).select![0]!.sql)
      : null
    const { where, params, needles, chart: columns } = sql({ chart: drawn })
    const columnList = [
      `SELECT ${columns!.bucket} AS bucket, ${columns!.value} AS value`,
      ...(parted?.conditions ?? []).map((condition, i) => `, ${place.words.countIf(condition)} AS part_${i}`),
    ].join('')
    // Without the range, to which the reading keeps: as the same text it is known again when the range has moved on.
    const text = (events: string): string => `${columnList} FROM ${events} WHERE (${where}) GROUP BY 1 ORDER BY 1`
    const { fromUs, toUs } = range
    const { body } = await place.read(
      { text, params, fromUs, toUs, needles, newestRows: null, maxRows: BUCKETS_MAX, timeoutMs: parts.timeoutMs },
      signal,
    )
    const rows: Row[] = JSON.parse(body.toString())
    const keys = parted ? usedKeys(parted, rows) : []
    return {
      ...answer,
      buckets: withoutGaps(rows, range, (row) => (parted ? partsOf(row, parted, keys) : {})),
      range: [fromUs, toUs],
      breakdown: parted && { field: parted.field, keys },
    }
  }
}

type Row = { bucket: number; value: number | string | null; [part: `part_${number}`]: number }

function withoutGaps(rows: Row[], range: ChartRange, more: (row: Row) => Record<string, number>): Bucket[] {
  const byBucket = new Map(rows.map((row) => [row.bucket, row]))
  const buckets: Bucket[] = []
  const last = bucketOf(range.toUs, range.period)
  for (let at = bucketOf(range.fromUs, range.period); at <= last; at = step(at, range.period, 1)) {
    const row = byBucket.get(at) ?? { bucket: at, value: 0 }
    buckets.push({ timestamp: at, value: row.value ?? 0, ...more(row) })
  }
  return buckets
}

/** Only the parts that some bar has. */
function usedKeys({ keys }: Breakdown, rows: Row[]): string[] {
  const used = keys.filter((_, i) => rows.some((row) => (row[`part_${i}`] ?? 0) > 0))
  const hasOther = rows.some((row) => otherOf(row, keys.length) > 0)
  return hasOther ? [...used, 'other'] : used
}

function partsOf(row: Row, { keys }: Breakdown, used: string[]): Record<string, number> {
  return Object.fromEntries(
    used.map((key) => [key, key === 'other' ? otherOf(row, keys.length) : (row[`part_${keys.indexOf(key)}`] ?? 0)]),
  )
}

function otherOf(row: Row, keys: number): number {
  let rest = Number(row.value ?? 0)
  for (let i = 0; i < keys; i++) rest -= row[`part_${i}`] ?? 0
  return rest
}
