import { expect, test } from 'vitest'
import { fullTime, isZone, localText, timeLabel } from './times.ts'

const us = Date.UTC(2026, 10, 15, 23, 30, 5, 7) * 1000 + 123

test('a time is shown in the zone of the reader', () => {
  expect(fullTime(us, 'UTC')).toBe('2026-11-15 23:30:05.007')
  expect(fullTime(us, 'Europe/Berlin')).toBe('2026-11-16 00:30:05.007')
  expect(localText(us, 'Asia/Kolkata')).toBe('2026-11-16T05:00:05')
})

test('a zone that nobody knows is told from one that is', () => {
  expect(isZone('Europe/Berlin')).toBe(true)
  expect(isZone('Europe/Nowhere')).toBe(false)
})

test.each([
  ['last@1hour', 'UTC', 'Last hour'],
  ['last@6hour', 'UTC', 'Last 6 hours'],
  ['last@1day', 'UTC', 'Last day'],
  ['', 'UTC', 'All that is kept'],
  ['2026-11-15T10:00:00Z..2026-11-15T10:59:59.999999Z', 'UTC', '2026-11-15 10:00:00 – 10:59:59'],
  ['2026-11-15T10:00:00Z..2026-11-15T10:59:59Z', 'Europe/Berlin', '2026-11-15 11:00:00 – 11:59:59'],
  ['2026-11-15T10:00:00..2026-11-16T10:00:00', 'Europe/Berlin', '2026-11-15 10:00:00 – 2026-11-16 10:00:00'],
  ['>=2026-11-01', 'UTC', '>=2026-11-01'],
])('the time %j in %s is called %j', (time, zone, expected) => expect(timeLabel(time, zone)).toBe(expected))
