import { expect, test } from 'vitest'
import { type Remembered, withEntry } from './history.ts'

const entry = (sql: string, at = '2026-11-15T00:00:00Z') => ({ sql, at, rows: 1, ms: 2, error: null })

test('a query that is asked again stands on top, once', () => {
  const entries = withEntry([entry('b'), entry('a')], entry('a', '2026-11-16T00:00:00Z'))
  expect(entries.map(({ sql, at }) => [sql, at.slice(8, 10)])).toEqual([
    ['a', '16'],
    ['b', '15'],
  ])
})

test('only the newest fifty are kept', () => {
  let entries: Remembered[] = []
  for (let n = 0; n < 60; n++) entries = withEntry(entries, entry(`select ${n}`))
  expect(entries).toHaveLength(50)
  expect(entries[0]?.sql).toBe('select 59')
})
