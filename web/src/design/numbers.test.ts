import { expect, test } from 'vitest'
import { ago, bytes, count, perSecond } from './numbers.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [15_400_000, '15 MB'],
  [2_500_000_000_000_000_000, '2500 PB'],
])('%d bytes read as %s', (value, text) => expect(bytes(value)).toBe(text))

test.each([
  [9_999, '9,999'],
  [12_345, '12.3K'],
])('%d counts as %s', (value, text) => expect(count(value)).toBe(text))

test('small rates keep one digit', () => {
  expect([0, 0.25, 9.96, 12.4].map(perSecond)).toEqual(['0/s', '0.3/s', '10/s', '12/s'])
})

test('times are told from now', () => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  expect(ago('2026-01-01T23:57:00Z', now)).toBe('3m ago')
  expect(ago('2026-01-01T00:00:00Z', now)).toBe('yesterday')
})
