import { expect, test } from 'vitest'
import { difference } from './difference.ts'

const marks = (before: unknown, after: unknown): string[] =>
  difference(before, after)
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, text }) => `${kind === 'new' ? '+' : '-'} ${text.trim()}`)

test('events that differ in nothing but the order of their fields are the same', () => {
  expect(marks({ a: 1, b: { c: 2, d: [1] } }, { b: { d: [1], c: 2 }, a: 1 })).toEqual([])
})

test('what was added, taken away and changed is marked, and nothing else', () => {
  expect(marks({ a: 1, secret: 'x', n: 1 }, { a: 1, n: '1', z: true })).toEqual([
    '- "n": 1,',
    '- "secret": "x"',
    '+ "n": "1",',
    '+ "z": true',
  ])
})

test('a field that becomes the last one is not changed by losing its comma', () => {
  expect(marks({ a: 1, b: 2 }, { a: 1 })).toEqual(['- "b": 2'])
})

test('events too large to compare are still shown whole', () => {
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, n]))
  expect(difference(many, { ...many, a: 1 })).toHaveLength(3002 + 3003)
})
