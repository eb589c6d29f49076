import { expect, test } from 'vitest'
import { parse } from '../../lql/lql.ts'
import { parsedOf } from './rules.ts'

const rulesOf = (lql: string) => parsedOf(parse(lql)).rules

test.each([
  ['refund', { path: 'event_message', op: 'contains', value: 'refund', negate: false }],
  ['-m.plan:gold', { path: 'metadata.plan', op: '=', value: 'gold', negate: true, lql: 'm.plan:gold' }],
  ['m.coupon:NULL', { path: 'metadata.coupon', op: '=', value: null }],
  ['m.ms:>=100', { op: '>=', value: '100' }],
  ['m.ms:10..20', { op: 'range', values: ['10', '20'] }],
  ['m.level:info..error', { op: 'level_range', values: ['info', 'error'] }],
  ['m.status:(500,NULL,"NULL")', { op: 'one_of', values: ['500', null, 'NULL'] }],
  ['~^GET', { path: 'event_message', op: '~', value: '^GET' }],
  ['m.tags:@>red', { op: 'includes', value: 'red' }],
  ['t:last@15m', { path: 'timestamp', op: '=', value: 'last@15minute' }],
  ['t:>=2025-06-01', { path: 'timestamp', op: '>=', value: '2025-06-01' }],
])('%s is one rule', (lql, rule) => expect(rulesOf(lql)).toMatchObject([{ kind: 'filter', ...rule }]))

test('rules stand in canonical order, groups hold rules, and each knows its place', () => {
  const lql = 'c:avg(m.ms) NOT (a OR b) s:m.user@who m.env:prod f:orders'
  const rules = rulesOf(lql)
  expect(rules.map(({ kind }) => kind)).toEqual(['from', 'select', 'filter', 'any', 'chart'])
  expect(rules[3]).toMatchObject({ negate: true, rules: [{ value: 'a' }, { value: 'b' }] })
  expect(rules.map(({ at }) => lql.slice(at.start, at.end))).toEqual([
    'f:orders',
    's:m.user@who',
    'm.env:prod',
    'NOT (a OR b)',
    'c:avg(m.ms)',
  ])
})
