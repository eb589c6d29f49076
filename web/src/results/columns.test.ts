import { expect, test } from 'vitest'
import { chartData } from './chart-data.ts'
import { columnsOf, textOf } from './columns.ts'

const AT = Date.UTC(2026, 10, 15, 12) * 1000

test('columns keep the order of the query, and rows without one do not lose it', () => {
  const columns = columnsOf([{ b: 1 }, { b: 2, a: 'x' }])
  expect(columns).toEqual([
    { name: 'b', kind: 'number' },
    { name: 'a', kind: 'text' },
  ])
})

test.each([
  ['microseconds of our time', [AT, null, AT + 1], 'time'],
  ['a small number among them', [AT, 7], 'number'],
  ['a whole number that is no time', [200], 'number'],
  ['a big integer, which comes as text', ['9007199254740993'], 'text'],
  ['a list', [['a'], null], 'nested'],
  ['nothing', [null], 'text'],
])('the kind of a column: %s', (_, values, kind) =>
  expect(columnsOf(values.map((v) => ({ v })))).toEqual([{ name: 'v', kind }]),
)

test('times are told in UTC with as much of the fraction as there is', () => {
  expect(textOf(AT, 'time')).toBe('2026-11-15 12:00:00')
  expect(textOf(AT + 250_000, 'time')).toBe('2026-11-15 12:00:00.250')
  expect(textOf(AT + 1, 'time')).toBe('2026-11-15 12:00:00.000001')
})

test('a chart has a line for each column of numbers, in the order of time', () => {
  const rows = [
    { t: AT + 60_000_000, n: 2, m: 5 },
    { t: AT, n: 1, m: null },
  ]
  expect(chartData(rows, columnsOf(rows))).toEqual({
    times: [AT / 1e6, AT / 1e6 + 60],
    lines: [
      { name: 'n', values: [1, 2] },
      { name: 'm', values: [null, 5] },
    ],
  })
})

test('rows of the same time become lines by their texts, so that none hides another', () => {
  const rows = [
    { t: AT, level: 'info', n: 4 },
    { t: AT, level: 'error', n: 1 },
  ]
  expect(chartData(rows, columnsOf(rows))?.lines).toEqual([
    { name: 'info', values: [4] },
    { name: 'error', values: [1] },
  ])
  const wide = rows.map((row) => ({ ...row, ms: 7 }))
  expect(chartData(wide, columnsOf(wide))?.lines.map(({ name }) => name)).toEqual([
    'info n',
    'info ms',
    'error n',
    'error ms',
  ])
})

test('without times or numbers there is no chart', () => {
  const rows = [{ name: 'a', n: 1 }]
  expect(chartData(rows, columnsOf(rows))).toBe(null)
})
