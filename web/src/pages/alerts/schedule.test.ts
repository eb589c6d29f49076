import { expect, test } from 'vitest'
import { PRESETS, scheduleText } from './schedule.ts'

test.each([
  ['* * * * *', 'every minute'],
  ['*/5 * * * *', 'every 5 minutes'],
  ['@hourly', 'every hour'],
  ['15 * * * *', 'every hour at 15 past'],
  ['0 */6 * * *', 'every 6 hours'],
  ['30 7 * * *', 'every day at 07:30'],
  ['0 9 * * 1-5', 'weekdays at 09:00'],
  ['0 9 * * mon,7', 'Mondays, Sundays at 09:00'],
  ['0 0 1 * *', 'day 1 of every month at 00:00'],
])('%s is said as “%s”', (cron, words) => expect(scheduleText(cron)).toBe(words))

test.each(['0 0 * 2 *', '1-5 9 * * *', '0 9 1 * 1', '0 9 * * 1-3', 'nonsense'])(
  'what has no short words stays as it is: %s',
  (cron) => expect(scheduleText(cron)).toBe(cron),
)

test('every schedule that is offered has words', () => {
  for (const { cron } of PRESETS) expect(scheduleText(cron)).not.toBe(cron)
})
