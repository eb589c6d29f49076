import { expect, test } from 'vitest'
import { check, LqlError, parse } from './lql.ts'

function errorOf(text: string, fields?: Parameters<typeof check>[2]): LqlError {
  try {
    const query = parse(text)
    if (fields) check(query, text, fields)
  } catch (error) {
    if (error instanceof LqlError) return error
    throw error
  }
  throw new Error(`${text} was accepted`)
}

test.each([
  ['an unterminated quote: its start', 'ok "unterminated', 3],
  ['a missing value: where it should stand', 'm.note:', 7],
  ['white space where a value should stand', 'level m.note: x', 13],
  ['an impossible month', 't:2025-13-01', 2],
  ['an impossible day', 'disk t:>2025-02-30T00:00:00', 8],
  ['an impossible day in braces', 't:2025-02-{01..30}', 2],
  ['an unknown time word', 't:tomorrow', 2],
  ['digits that are no unix time', 't:171800000', 2],
  ['a range with one offset', 't:2025-01-01T00:00:00Z..2025-01-02T00:00:00', 2],
  ['a range of a day and an instant', 't:2025-01-01..2025-01-02T00:00:00', 2],
  ['a comparison before a range', 'm.x:>1..5', 5],
  ['an unclosed group: its start', 'a (disk OR cpu', 2],
  ['an unclosed list: its start', 'm.status:(500,502', 9],
  ['an empty place in a list', 'm.status:(500,,502)', 14],
  ['nothing after OR', 'disk OR', 7],
  ['nothing before OR', 'OR disk', 0],
  ['nothing between two operators', 'a AND OR b', 6],
  ['nothing after NOT', 'a NOT', 5],
  ['an empty group', 'disk ()', 6],
  ['a lone dash', '-', 1],
  ['a lone tilde', 'a ~', 3],
  ['text stuck to a phrase', '"a"b', 3],
  ['text stuck to a group', '(a)b', 3],
  ['an invalid regular expression', '~"(unclosed"', 1],
  ['a group name that the engine cannot read', 'm.x:~(?<n>a)', 5],
  ['a pattern too big for the engine', 'm.x:~(\\pL{10}){100}', 5],
  ['a second from', 'f:one f:two', 6],
  ['an empty name of a table', 'f:""', 2],
  ['a negated select', '-s:region', 0],
  ['a chart inside a group', '(a c:count(*))', 3],
  ['only a chart beside OR', 'a OR c:count(*)', 5],
  ['a missing alias', 's:m.user_id@', 12],
  ['an unknown aggregate', 'c:mode(x)', 2],
  ['an unknown period', 'c:group_by(t::fortnight)', 14],
])('an error says where: %s', (_, text, position) => expect(errorOf(text).position).toBe(position))

test('an error says what was found, what was expected, and both in its sentence', () => {
  expect(errorOf('m.note: x')).toMatchObject({
    message: 'Expected a value at position 7, found white space.',
    found: 'white space',
    expected: 'a value',
    suggestion: null,
  })
})

const FIELDS = {
  metadata: 'object',
  'metadata.status': 'integer',
  'metadata.paid': 'boolean',
  'metadata.name': 'string',
  'metadata.user': 'object',
  'metadata.user.id': 'integer',
  'metadata.tags': 'string[]',
} as const

test.each([
  ['a swapped letter', 'error m.statsu:500', 6, 'm.status'],
  ['a missing prefix', 'status:500', 0, 'm.status'],
  ['a name that is near nothing', 'whatever_else:1', 0, null],
  ['an unknown field of a chart', 'c:avg(m.statu)', 6, 'm.status'],
  ['an object instead of its field', 'm.user:7', 0, 'm.user.id'],
  ['text for an integer', 'm.status:abc', 9, null],
  ['a wrong value in a list', 'm.status:(1,x)', 12, null],
  ['no boolean', 'm.paid:yes', 7, null],
  ['an order of booleans', 'm.paid:>true', 8, null],
  ['a regular expression on a number', 'm.status:~^5', 10, null],
  ['an average of text', 'c:avg(m.name)', 6, null],
])('a check against the fields of a source finds %s', (_, text, position, suggestion) =>
  expect(errorOf(text, FIELDS)).toMatchObject({ position, suggestion }),
)

test.each([
  'm.STATUS:500',
  'm.user:NULL',
  'm.tags:@>x',
  'm.status:1.5',
  'm.status:"500"',
  's:m.user c:countd(m.name)',
  'id:x t:today',
])('a check accepts %s', (text) => expect(() => check(parse(text), text, FIELDS)).not.toThrow())

test('groups inside each other, clauses and text are limited, and reading stays linear', () => {
  expect(errorOf(`${'('.repeat(100)}a${')'.repeat(100)}`).position).toBe(50)
  expect(errorOf('a '.repeat(2000)).expected).toContain('1000')
  expect(errorOf('a'.repeat(30_000)).expected).toContain('10000')
  const started = performance.now()
  for (const text of [
    `${'NOT '.repeat(2499)}a`,
    '-'.repeat(9_999),
    'a.'.repeat(4_999),
    `~${'('.repeat(900)}${')'.repeat(900)}`,
  ]) {
    try {
      parse(text)
    } catch (error) {
      expect(error).toBeInstanceOf(LqlError)
    }
  }
  expect(performance.now() - started).toBeLessThan(2000)
})
