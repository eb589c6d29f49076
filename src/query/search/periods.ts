/** The periods of a chart, as times: UTC, weeks from Monday. */
import type { Period } from '../../lql/lql.ts'
import { startOf } from '../../lql/time/interval.ts'

/** Finest first. */
export const PERIODS: readonly Period[] = ['second', 'minute', 'hour', 'day', 'week', 'month']

const LENGTH_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** The start of the bucket in which the time lies, in microseconds. */
export const bucketOf = (us: number, period: Period): number => startOf(period, Math.floor(us / 1000)) * 1000

/** The bucket so many periods later, or earlier. */
export function step(bucketUs: number, period: Period, count: number): number {
  if (period !== 'month') return bucketUs + count * LENGTH_MS[period] * 1000
  const date = new Date(bucketUs / 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1) * 1000
}

export function countBuckets(fromUs: number, toUs: number, period: Period): number {
  const [first, last] = [bucketOf(fromUs, period), bucketOf(toUs, period)]
  if (period !== 'month') return (last - first) / (LENGTH_MS[period] * 1000) + 1
  const months = (us: number): number => new Date(us / 1000).getUTCFullYear() * 12 + new Date(us / 1000).getUTCMonth()
  return months(last) - months(first) + 1
}
