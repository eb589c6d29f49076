import { describe, expect, test } from 'vitest'
import { type Needles, NO_NEEDLES } from '../model/needles.ts'
import { createSql } from './sql.ts'

const fields = { level: 'string', n: 'integer', tags: 'string[]', m: 'object', 'm.trace': 'string' } as const

function prepare(where: string, { from = 'app', parameters = {}, boundsKept = false } = {}) {
  return createSql().prepare({
    sql: `select 1 as one from ${from} where ${where}`,
    resolve: (name) => (['app', 'other'].includes(name) ? name : undefined),
    fields: () => fields,
    requireTimestamp: false,
    boundsKept,
    parameters,
    nowUs: 0,
  })
}

const contains = (...texts: string[]): Needles => ({ contains: texts, equals: [] })
const equals = (field: string, ...anyOf: string[]): Needles => ({ contains: [], equals: [{ field, anyOf }] })

describe('what every row must hold is taken from the conditions that all have to be true', () => {
  test.each<[string, Needles]>([
    ["event_message like '%gift card%'", contains('gift card')],
    ["event_message like 'a%b_c'", contains('a', 'b', 'c')],
    [String.raw`event_message like '%50\\% off\\_now%'`, contains('50% off_now')],
    ["strpos(event_message, 'x:y') > 0", contains('x:y')],
    ["starts_with(event_message, 'GET')", contains('GET')],
    ["regexp_contains(event_message, 'plain words')", contains('plain words')],
    ["event_message = 'whole'", contains('whole')],
    ["level = 'error'", equals('level', 'error')],
    ["'error' = LEVEL", equals('level', 'error')],
    ["m.trace in ('a', 'b')", equals('m.trace', 'a', 'b')],
    ["app.m.trace = 'a' and n > 3", equals('m.trace', 'a')],
    ["id = 'a'", equals('id', 'a')],
  ])('%s', (where, needles) => expect(prepare(where).sources[0]!.needles).toEqual(needles))

  test('an object that is joined as UNNEST is the object itself', () => {
    const from = 'app cross join unnest(m) as m'
    expect(prepare("m.trace = 'a'", { from }).sources[0]!.needles).toEqual(equals('m.trace', 'a'))
  })

  test('each source has its own', () => {
    const from = 'app as a join other as b on a.id = b.id'
    const { sources } = prepare("a.level = 'x' and b.m.trace = 'y'", { from })
    expect(sources.map(({ needles }) => needles)).toEqual([equals('level', 'x'), equals('m.trace', 'y')])
  })
})

describe('what a row may do without is no needle', () => {
  test.each([
    "level = 'a' or level = 'b'",
    "not level = 'a'",
    "level != 'a'",
    "level not in ('a')",
    "event_message not like '%a%'",
    "contains_substr(event_message, 'abc')",
    "regexp_contains(event_message, 'a.c')",
    "lower(level) = 'a'",
    'n = 3',
    "'a' in unnest(tags)",
    "coalesce(level, 'a') = 'a'",
    'level = m.trace',
  ])('%s', (where) => expect(prepare(where).sources[0]!.needles).toEqual(NO_NEEDLES))
})

describe('values of parameters', () => {
  test('count as texts where they are read as such', () => {
    const { sources } = prepare('m.trace = @id', { parameters: { id: 'abc' } })
    expect(sources[0]!.needles).toEqual(equals('m.trace', 'abc'))
  })
  test.each([
    ['that are not there', 'm.trace = @id', {}],
    ['that are read as numbers', 'n = @id and m.trace = @id', { id: '1' }],
  ])('%s are no needles', (_, where, parameters) =>
    expect(prepare(where, { parameters }).sources[0]!.needles).toEqual(NO_NEEDLES),
  )
})

describe('times that are kept by bounds are not asked again', () => {
  const us = (text: string): number => Date.parse(text) * 1000
  test.each([
    ["timestamp >= '2026-01-01' and level = 'a'", '2026-01-01T00:00Z', 0, null, 0],
    ["timestamp > '2026-01-01' and level = 'a'", '2026-01-01T00:00Z', 1, null, 0],
    ["level = 'a' and timestamp < timestamp '2026-01-02'", null, 0, '2026-01-02T00:00Z', -1],
    ["timestamp between '2026-01-01' and '2026-01-02' and level = 'a'", '2026-01-01T00:00Z', 0, '2026-01-02T00:00Z', 0],
  ])('%s', (where, from, fromShift, to, toShift) => {
    const { text, sources } = prepare(where, { boundsKept: true })
    expect(text).not.toMatch(/WHERE.*timestamp/)
    expect(text).toContain('"level" = \'a\'')
    expect(sources[0]).toMatchObject({ fromUs: from && us(from) + fromShift, toUs: to && us(to) + toShift })
  })

  test('times counted from now are bounds of the moment the query is asked', () => {
    const where = 'timestamp > timestamp_sub(current_timestamp(), interval 1 day) and timestamp <= current_timestamp()'
    const { text, sources } = prepare(`${where} and level = 'a'`, { boundsKept: true })
    expect(text).not.toMatch(/now|WHERE.*timestamp/)
    // The tests' clock stands at 0; now lasts until the end of its millisecond.
    expect(sources[0]).toMatchObject({ fromUs: -86_400_000_000 + 1, toUs: 999 })
  })

  test.each([
    ['nobody keeps to the bounds', "timestamp > '2026-01-01'", { boundsKept: false }],
    [
      'the time is so many hours before now, as a parameter says',
      'timestamp > current_timestamp() - interval @h hour',
      {},
    ],
    ['the time is a parameter', 'timestamp > @since', { parameters: { since: '2026-01-01' } }],
    ['it is one of two ways', "timestamp > '2026-01-01' or level = 'a'", {}],
    ['more than the time is compared', "timestamp_trunc(timestamp, day) > '2026-01-01'", {}],
    [
      'an outer join makes rows up',
      "other.timestamp > '2026-01-01'",
      { from: 'app left join other on app.level = other.level' },
    ],
  ])('they are asked when %s', (_, where, options) =>
    expect(prepare(where, { boundsKept: true, ...options }).text).toMatch(/WHERE.*timestamp/),
  )
})
