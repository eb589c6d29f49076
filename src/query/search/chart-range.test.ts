import { expect, test } from 'vitest'
import { type Period, parse, type TimeBounds } from '../../lql/lql.ts'
import { BUCKETS_MAX, chartRange } from './chart-range.ts'
import { bucketOf, countBuckets, PERIODS, step } from './periods.ts'

const at = (text: string): number => Date.parse(text) * 1000
const NOW = { nowUs: at('2026-11-15T12:34:56Z'), keptFromUs: at('2026-11-08T12:34:56Z') }
const chartOf = (lql: string) => parse(lql).chart
const rangeOf = (lql: string, from: string | null, to: string | null) => {
  const bounds: TimeBounds = { fromUs: from === null ? null : at(from), toUs: to === null ? null : at(to) }
  const range = chartRange(chartOf(lql), bounds, NOW)
  return range && { ...range, buckets: countBuckets(range.fromUs, range.toUs, range.period) }
}

test.each<[Period, number]>([
  ['second', 180],
  ['minute', 120],
  ['hour', 168],
  ['day', 31],
])('without a time, a chart per %s shows the last %i of them', (period, buckets) => {
  expect(rangeOf(`c:group_by(t::${period})`, null, null)).toMatchObject({ period, buckets, warnings: [] })
})

test.each([
  ['2026-11-15T12:00:00Z', null, 'minute', 35],
  ['2026-11-14T00:00:00Z', null, 'hour', 37],
  ['2000-01-01T00:00:00Z', null, 'hour', 169],
  ['2026-11-10T00:00:00Z', '9999-12-31T23:59:59Z', 'hour', 134],
])('from %s to %s, without a period, it takes the finest from minutes on that fits', (from, to, period, buckets) => {
  expect(rangeOf('', from, to)).toMatchObject({ period, buckets, warnings: [] })
})

test('a period that was typed stands: too many values are refused, with one that fits', () => {
  const ask = () => rangeOf('x c:group_by(t::second)', '2026-11-15T00:00:00Z', '2026-11-15T11:00:00Z')
  expect(ask).toThrow(expect.objectContaining({ position: 2, suggestion: 'c:group_by(t::minute)' }))
})

test('an open range is cut to its last values, and the answer says so', () => {
  const range = rangeOf('c:group_by(t::minute)', '2026-11-10T00:00:00Z', null)
  expect(range).toMatchObject({ buckets: BUCKETS_MAX, toUs: NOW.nowUs, warnings: [expect.stringContaining('1000')] })
})

test('a range shorter than its period is drawn, with a warning', () => {
  const range = rangeOf('c:group_by(t::day)', '2026-11-15T10:00:00Z', '2026-11-15T11:00:00Z')
  expect(range).toMatchObject({ buckets: 1, warnings: [expect.stringContaining('shorter than one day')] })
})

test('there is no chart of a time without events', () => {
  expect(rangeOf('', '0001-01-01T00:00:00Z', '0001-12-31T00:00:00Z')).toBeNull()
  expect(rangeOf('', '2030-01-01T00:00:00Z', null)).toBeNull()
  expect(rangeOf('', '2026-11-15T00:00:00Z', '2026-11-14T00:00:00Z')).toBeNull()
})

test.each(PERIODS)('buckets per %s follow each other without a gap', (period) => {
  let us = bucketOf(at('2024-01-31T10:00:00Z'), period)
  for (let i = 0; i < 40; i++) {
    const next = step(us, period, 1)
    expect([bucketOf(next - 1, period), bucketOf(next, period)]).toEqual([us, next])
    expect(countBuckets(us, next, period)).toBe(2)
    expect(step(next, period, -1)).toBe(us)
    us = next
  }
})
