import { expect, test } from 'vitest'
import { parse, print } from '../../../../src/lql/lql.ts'
import { literal, piecesOf, rangeText, timeOf, withFilter, withTime } from './lql-text.ts'

const canonical = (text: string): string => print(parse(text))

test('a text falls into its clauses; quotes and groups hold together', () => {
  expect(piecesOf('  a "b c\\" d"  (x OR y) m.k:"v w" m.n:(1, 2)').map(({ text }) => text)).toEqual([
    'a',
    '"b c\\" d"',
    '(x OR y)',
    'm.k:"v w"',
    'm.n:(1, 2)',
  ])
  expect(piecesOf('ab "unfinished (text')).toHaveLength(2)
  expect(piecesOf('')).toEqual([])
})

test.each([
  ['', 'last@15minute', 't:last@15minute'],
  ['error t:today m.a:1', 'last@1hour', 'error m.a:1 t:last@1hour'],
  ['error t:>=2026-01-01 t:<2026-02-01', '', 'error'],
  ['timestamp:today', 'yesterday', 't:yesterday'],
  ['a OR b', 'today', '(a OR b) t:today'],
  ['c:count(*) a OR b', 'today', 'c:count(*) (a OR b) t:today'],
  ['(a OR b) t:today', 'yesterday', '(a OR b) t:yesterday'],
])('%j at %j is %j', (text, time, expected) => {
  expect(withTime(text, time)).toBe(expected)
  if (expected !== '') expect(() => parse(expected)).not.toThrow()
})

test('the time of a query is what stands behind its t:', () => {
  expect(timeOf('a t:last@1hour b')).toBe('last@1hour')
  expect(timeOf('a "t:today"')).toBe('')
})

test('a filter is added once, takes its opposite back, and binds to all of an OR', () => {
  expect(withFilter('error', 'metadata.level', 'warn', 'in')).toBe('error m.level:warn')
  expect(withFilter('error m.level:warn', 'metadata.level', 'warn', 'in')).toBe('error m.level:warn')
  expect(withFilter('m.level:warn', 'metadata.level', 'warn', 'out')).toBe('-m.level:warn')
  expect(withFilter('a OR b', 'status', 500, 'out')).toBe('(a OR b) -status:500')
})

test.each([
  'plain',
  '/v1/users',
  'two words',
  'a "quote"',
  'back\\slash',
  '',
  'NULL',
  '1..2',
  '-5',
  '3.25',
  'a)',
  '日本',
])('the value %j means itself', (value) => {
  const clause = parse(`m.a:${literal(value)}`).filter
  expect(clause).toMatchObject({ op: 'equals', value: { text: value } })
  expect(canonical(`(m.a:${literal(value)})`)).toBe(canonical(`m.a:${literal(value)}`))
})

test('a missing value is asked for by NULL', () => expect(literal(null)).toBe('NULL'))

test('a range is written to the microsecond', () => {
  const us = Date.UTC(2026, 10, 15, 10) * 1000
  expect(rangeText(us, us + 59_999_999)).toBe('2026-11-15T10:00:00Z..2026-11-15T10:00:59.999999Z')
  expect(() => parse(`t:${rangeText(us, us + 5)}`)).not.toThrow()
})
