import { expect, test } from 'vitest'
import { createMatcher, parse, toSql } from './lql.ts'

const NOW_MS = Date.UTC(2025, 4, 31, 10, 30, 15, 250)
const us = (iso: string): number => Date.parse(iso) * 1000

const matches = (lql: string, event: object, timeZone = 'UTC'): boolean =>
  createMatcher(parse(lql), { clock: { nowMs: () => NOW_MS }, timeZone })(event)

test.each([
  ['a bare word looks in the message', 'timeout', { event_message: 'read timeout' }, true],
  ['words respect case', 'Timeout', { event_message: 'read timeout' }, false],
  ['an event without a message holds no word', '-timeout', { id: '1' }, true],
  ['a value is compared as the type it has', 'm.code:0204', { metadata: { code: '204' } }, false],
  ['… as a number too', 'm.code:"204.0"', { metadata: { code: 204 } }, true],
  ['integers are exact over 64 bits', 'm.n:9007199254740993', { metadata: { n: 9007199254740992n } }, false],
  ['text is ordered by its bytes', 'm.s:>\uff5e', { metadata: { s: '😀' } }, true],
  ['booleans have no order', 'm.b:>=false', { metadata: { b: true } }, false],
  ['a missing field meets no comparison', 'm.n:<5', { metadata: {} }, false],
  ['… and every negated one', '-m.n:<5', { metadata: {} }, true],
  ['the empty text is a value', 'm.s:NULL', { metadata: { s: '' } }, false],
  ['NULL may stand in a list', 'm.s:(NULL,x)', { metadata: {} }, true],
  ['some element of a list is enough', 'm.tags:red', { metadata: { tags: ['blue', 'red'] } }, true],
  ['a single value counts as a list of one', 'm.tags:@>red', { metadata: { tags: 'red' } }, true],
  ['clauses may be met by different elements', 'm.l.a:1 m.l.b:2', { metadata: { l: [{ a: 1 }, { b: 2 }] } }, true],
  ['a negated clause: no element', '-m.l.a:1', { metadata: { l: [{ a: 1 }, { a: 2 }] } }, false],
  ['levels have a rank, whichever is written first', 'level:error..notice', { level: 'warning' }, true],
  ['names that differ only in case are one field', 'm.Code:1', { metadata: { code: 1 } }, true],
  ['an inherited name is no field', 'constructor:NULL', {}, true],
])('%s', (_, lql, event, expected) => expect(matches(lql, event)).toBe(expected))

test.each([
  [
    'a date is a whole day',
    't:2025-05-30',
    ['2025-05-30T00:00:00Z', '2025-05-30T23:59:59.999Z'],
    ['2025-05-31T00:00:00Z'],
  ],
  ['after a date is after its last moment', 't:>2025-05-30', ['2025-05-31T00:00:00Z'], ['2025-05-30T12:00:00Z']],
  ['up to a date is up to its last moment', 't:<=2025-05-30', ['2025-05-30T12:00:00Z'], ['2025-05-31T00:00:00Z']],
  ['today, at any hour', 't:today', ['2025-05-31T00:00:00Z', '2025-05-31T23:00:00Z'], ['2025-05-30T23:59:59Z']],
  ['before today', 't:<today', ['2025-05-30T23:59:59Z'], ['2025-05-31T00:00:00Z']],
  [
    'the last hours start with a full one',
    't:last@2h',
    ['2025-05-31T08:00:00Z'],
    ['2025-05-31T07:59:59Z', '2025-05-31T10:31:00Z'],
  ],
  [
    'a month back from the 31st is the end of the month before',
    't:last@3month',
    ['2025-02-28T00:00:00Z'],
    ['2025-02-27T23:59:59Z'],
  ],
  ['weeks start on Monday', 't:this@week', ['2025-05-26T00:00:00Z'], ['2025-05-25T23:59:59Z']],
])('times: %s', (_, lql, inside, outside) => {
  for (const iso of inside) expect([iso, matches(lql, { timestamp: us(iso) })]).toEqual([iso, true])
  for (const iso of outside) expect([iso, matches(lql, { timestamp: us(iso) })]).toEqual([iso, false])
})

test('a day in a zone is as long as its clocks say', () => {
  const day = (date: string, zone: string): number => {
    const { bounds } = toSql(parse(`t:${date}`), { dialect: 'duckdb', fields: {}, nowMs: 0, timeZone: zone })
    return (bounds.toUs! - bounds.fromUs! + 1) / 3_600_000_000
  }
  expect(day('2025-03-30', 'Europe/Berlin')).toBe(23)
  expect(day('2025-10-26', 'Europe/Berlin')).toBe(25)
  // Midnight does not exist on this day.
  expect(day('2018-11-04', 'America/Sao_Paulo')).toBe(23)
  expect(matches('t:2025-07-01', { timestamp: us('2025-07-02T03:59:59Z') }, 'America/New_York')).toBe(true)
  expect(() => matches('t:2025-07-01', {}, 'Nowhere/None')).toThrow('There is no time zone')
})

test('a relative time in a rule moves on with the clock', () => {
  let nowMs = NOW_MS
  const isRecent = createMatcher(parse('t:last@5m'), { clock: { nowMs: () => nowMs } })
  const event = { timestamp: NOW_MS * 1000 }
  expect(isRecent(event)).toBe(true)
  nowMs += 600_000
  expect(isRecent(event)).toBe(false)
})

test.each([
  ['t:2025-05-30 a', '2025-05-30T00:00:00Z', '2025-05-31T00:00:00Z'],
  ['t:>=2025-05-30 t:<2025-06-01', '2025-05-30T00:00:00Z', '2025-06-01T00:00:00Z'],
  ['t:2025-05-01 OR t:2025-05-30', '2025-05-01T00:00:00Z', '2025-05-31T00:00:00Z'],
  ['-t:<2025-05-30', '2025-05-30T00:00:00Z', null],
  ['t:2025-05-01 OR a', null, null],
  ['-t:2025-05-01', null, null],
])('the time bounds of %s leave nothing out', (lql, from, before) => {
  const { bounds } = toSql(parse(lql), { dialect: 'duckdb', fields: {}, nowMs: NOW_MS })
  expect(bounds).toEqual({ fromUs: from && us(from), toUs: before && us(before) - 1 })
})
