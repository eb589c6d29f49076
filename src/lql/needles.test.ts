import { describe, expect, test } from 'vitest'
import { type Needles, NO_NEEDLES } from '../model/needles.ts'
import { parse } from './parse.ts'
import { toSql } from './to-sql.ts'

const fields = { metadata: 'object', 'metadata.trace': 'string', 'metadata.n': 'integer', tags: 'string[]' } as const

const needles = (lql: string): Needles =>
  toSql(parse(lql), { dialect: 'duckdb', fields, nowMs: 0, values: 'inline' }).needles

describe('what every event must hold is taken from the clauses that all have to be true', () => {
  test.each<[string, Needles]>([
    ['kraken "gift card"', { contains: ['gift card', 'kraken'], equals: [] }],
    ['m.trace:abc', { contains: [], equals: [{ field: 'metadata.trace', anyOf: ['abc'] }] }],
    ['m.TRACE:abc', { contains: [], equals: [{ field: 'metadata.trace', anyOf: ['abc'] }] }],
    ['m.trace:(a,b) x', { contains: ['x'], equals: [{ field: 'metadata.trace', anyOf: ['a', 'b'] }] }],
    ['id:abc', { contains: [], equals: [{ field: 'id', anyOf: ['abc'] }] }],
  ])('%s', (lql, expected) => {
    const { contains, equals } = needles(lql)
    expect({ contains: contains.toSorted(), equals }).toEqual(expected)
  })
})

test.each([
  '',
  '-kraken',
  'a OR b',
  '-m.trace:abc',
  'm.n:3',
  'tags:a',
  'm.trace:(a,NULL)',
  'm.trace:NULL',
  '~a.c',
  '-(a b)',
])('what an event may do without is no needle: %s', (lql) => expect(needles(lql)).toEqual(NO_NEEDLES))
