import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Endpoint } from '../model/endpoint.ts'
import type { Call } from './call.ts'
import { cacheKey } from './key.ts'

const endpoint = { id: 4, version: 2 } as Endpoint
const key = (asked: Partial<Call>): string =>
  cacheKey({ endpoint, version: null, values: {}, sql: undefined, lql: undefined, ...asked } as Call)

test('the order of parameters does not count, everything else about them does', () => {
  expect(key({ values: { a: '1', b: '2' } })).toBe(key({ values: { b: '2', a: '1' } }))
  const all = [
    key({}),
    key({ values: { a: '1' } }),
    key({ values: { a: 1 } }),
    key({ values: { a: '' } }),
    key({ values: { a: null } }),
    key({ values: { a: ['1'] } }),
    key({ values: { a: '1', b: '' } }),
    key({ sql: 'a' }),
    key({ lql: 'a' }),
    key({ version: 1 }),
    cacheKey({ endpoint: { ...endpoint, version: 3 }, version: null, values: {}, sql: '', lql: '' } as Call),
  ]
  expect(new Set(all).size).toBe(all.length)
})

test('no query of the caller and an empty one are the same, and so is the current version by its number', () => {
  expect(key({ sql: '', lql: '' })).toBe(key({}))
  expect(key({ version: 2 })).toBe(key({}))
})

test('no two sets of parameters have the same key', () => {
  const values = fc.dictionary(fc.string({ maxLength: 4 }), fc.string({ maxLength: 6 }), { maxKeys: 3 })
  fc.assert(
    fc.property(values, values, (a, b) => {
      const isSame = JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort())
      expect(key({ values: a }) === key({ values: b })).toBe(isSame)
    }),
  )
})
