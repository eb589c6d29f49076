import { expect, test } from 'vitest'
import { createSchedule, isTimeZone } from './schedule.ts'

function runs(cron: string, timezone: string, after: string, count: number): (string | null)[] {
  const schedule = createSchedule({ cron, timezone })
  const found: (string | null)[] = []
  let at: number | null = Date.parse(after)
  while (at !== null && found.length < count) {
    at = schedule.next(at)
    found.push(at === null ? null : new Date(at).toISOString().slice(0, 16))
  }
  return found
}

test.each([
  ['every minute', '* * * * *', 'UTC', '2026-11-15T10:00:30Z', ['2026-11-15T10:01', '2026-11-15T10:02']],
  ['on the minute itself, the next one', '*/5 * * * *', 'UTC', '2026-11-15T10:05:00Z', ['2026-11-15T10:10']],
  ['a leap day', '0 0 29 2 *', 'UTC', '2026-03-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00']],
  ['a month day or a weekday', '0 9 1 * mon', 'UTC', '2026-11-27T00:00:00Z', ['2026-11-30T09:00', '2026-12-01T09:00']],
  ['in a zone', '0 9 * * 1-5', 'Europe/Berlin', '2026-11-13T08:00:00Z', ['2026-11-16T08:00', '2026-11-17T08:00']],
  ['summer time', '0 9 * * *', 'Europe/Berlin', '2026-07-01T08:00:00Z', ['2026-07-02T07:00']],
  ['a zone with half an hour', '0 0 * * *', 'Asia/Kolkata', '2026-11-15T00:00:00Z', ['2026-11-15T18:30']],
  // On 29 March 2026 the clocks of Berlin go from 02:00 to 03:00, on 25 October from 03:00 to 02:00.
  [
    'in a gap: right after it',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  ['put back: once', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
  [
    'put back: every half hour goes on',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-25T00:00:00Z',
    ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
  ],
  [
    'a gap at midnight',
    '0 0 * * *',
    'America/Santiago',
    '2026-09-05T12:00:00Z',
    ['2026-09-06T04:00', '2026-09-07T03:00'],
  ],
])('due: %s', (_, cron, timezone, after, expected) => {
  expect(runs(cron, timezone, after, expected.length)).toEqual(expected)
})

test('zones are known by name', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false])
})
