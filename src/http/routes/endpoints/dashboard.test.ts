import { expect, test } from 'vitest'
import { dashboardBody } from './dashboard.ts'

test.each([
  ['a row stays an object', [{ a: 1, b: null, c: 'x' }], [{ a: 1, b: null, c: 'x' }]],
  ['objects are lists of one, at every depth', [{ m: { r: { p: 1 } } }], [{ m: [{ r: [{ p: 1 }] }] }]],
  ['lists of objects stay lists', [{ m: [{ r: { p: 1 } }] }], [{ m: [{ r: [{ p: 1 }] }] }]],
  ['lists of values stay as they are', [{ m: [1, 2], n: ['a'] }], [{ m: [1, 2], n: ['a'] }]],
])('%s', (_, rows, result) => expect(JSON.parse(dashboardBody(Buffer.from(JSON.stringify(rows))))).toEqual({ result }))
