import { expect, test } from 'vitest'
import { type Cron, parseCron } from './cron.ts'

const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const ANY: Cron = {
  minutes: upTo(0, 59),
  hours: upTo(0, 23),
  days: upTo(1, 31),
  months: upTo(1, 12),
  weekdays: upTo(0, 6),
}

test.each<[string, Partial<Cron>]>([
  ['* * * * *', {}],
  ['  0   4 * * * ', { minutes: [0], hours: [4] }],
  ['*/15 * * * *', { minutes: [0, 15, 30, 45] }],
  ['50/3 * * * *', { minutes: [50, 53, 56, 59] }],
  ['0-10/5,7,7 * * * *', { minutes: [0, 5, 7, 10] }],
  ['* 9-17 * * MON-fri', { hours: upTo(9, 17), weekdays: [1, 2, 3, 4, 5] }],
  ['* * * jan,Dec 5-7', { months: [1, 12], weekdays: [0, 5, 6] }],
  ['0 0 29 2 *', { minutes: [0], hours: [0], days: [29], months: [2] }],
  ['0 0 31 2 1', { minutes: [0], hours: [0], days: [31], months: [2], weekdays: [1] }],
  ['@Weekly', { minutes: [0], hours: [0], weekdays: [0] }],
  ['@hourly', { minutes: [0] }],
])('%s', (text, part) => expect(parseCron(text)).toEqual({ ...ANY, ...part }))

test.each([
  ['', 'five fields'],
  ['* * * *', 'five fields'],
  ['* * * * * 2027', 'five fields'],
  ['0 * * * * *', 'five fields'],
  ['@reboot', 'five fields'],
  ['60 * * * *', '"60" for the minute: give 0 to 59'],
  ['* 24 * * *', '"24" for the hour'],
  ['* * 0 * *', '"0" for the day of the month'],
  ['* * * 13 *', '"13" for the month: give 1 to 12 or jan'],
  ['* * * * 8', '"8" for the day of the week'],
  ['* * * mon *', '"mon" for the month'],
  ['5-1 * * * *', '"5-1"'],
  ['*/0 * * * *', '"*/0"'],
  ['1,,2 * * * *', '""'],
  ['-1 * * * *', '"-1"'],
  ['1.5 * * * *', '"1.5"'],
  ['* * L * *', '"l"'],
  ['0 0 30 2 *', 'never comes'],
  ['0 0 31 4,6,9,11 *', 'never comes'],
])('%j is refused in words', (text, words) => {
  expect(parseCron(text)).toEqual({ problem: expect.stringContaining(words) })
})
