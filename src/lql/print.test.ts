import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, print } from './lql.ts'
import { flatten, schema } from './testing/events.ts'
import { queryOf } from './testing/queries.ts'

test.each([
  ['words keep their order and lose their spare white space', '  payment \t declined\r\n', 'payment declined'],
  ['quoted phrases stay quoted, with their escapes', '"C:\\temp \\"x\\""', '"C:\\\\temp \\"x\\""'],
  [
    'filters are sorted by full path, words as event_message',
    'zeta:1 hi m.b:3 alpha:2 -alpha:7 yo t:>2025-01-09',
    'alpha:2 -alpha:7 hi yo m.b:3 t:>2025-01-09 zeta:1',
  ],
  ['filters inside a group are sorted too', 'NOT (zeta:1 alpha:2)', 'NOT (alpha:2 zeta:1)'],
  ['groups follow the filters in the order typed', '(b OR c) z:1 NOT (d e) a:1', 'a:1 z:1 (b OR c) NOT (d e)'],
  ['alternatives keep their order', 'zeta:1 OR alpha:2', 'zeta:1 OR alpha:2'],
  ['AND inside OR needs no parentheses', '(a AND b) OR c', 'a b OR c'],
  ['nested groups of one kind become one', '((a OR (b OR c))) ((d (e)))', 'd e (a OR b OR c)'],
  ['two negations cancel out', 'NOT -a -(b) NOT NOT c', 'a -b c'],
  ['a dash negates a group', '-(a OR b)', 'NOT (a OR b)'],
  [
    'an OR stands in parentheses beside anything else',
    'a OR b c:count(*)',
    '(a OR b) c:count(*) c:group_by(t::minute)',
  ],
  ['a word that would become syntax is quoted', 'NOT --a NOT -OR NOT -NOT(x)', '"-a" "OR" "NOT(x)"'],
  [
    'an unbalanced word is quoted inside a group only',
    'a( OR b c:count(*)',
    '("a(" OR b) c:count(*) c:group_by(t::minute)',
  ],
  ['an unbalanced word stays as typed elsewhere', 'a( b)', 'a( b)'],
  [
    'long names become short ones',
    'from:x select:metadata.a@b chart:avg(metadata.ms) metadata.q:1 timestamp:today',
    'f:x s:m.a@b m.q:1 t:today c:avg(m.ms) c:group_by(t::minute)',
  ],
  ['names of tables may have dots', 'f:shop.api-2 a', 'f:shop.api-2 a'],
  ['other names of tables are quoted', 'f:"my \\"orders\\"" a', 'f:"my \\"orders\\"" a'],
  [
    'later chart clauses override earlier ones',
    'c:avg(m.a) c:group_by(t::h) c:min(m.b)',
    'c:min(m.b) c:group_by(t::hour)',
  ],
  [
    'unquoted text other than letters, digits and _ is quoted',
    'm.env:prod-eu m.ip:10.1.2.3 m.p:~^/a',
    'm.env:"prod-eu" m.ip:"10.1.2.3" m.p:~"^/a"',
  ],
  ['digits stay as typed', 'm.a:01234 m.b:1.50 m.c:-5 m.d:1e3', 'm.a:01234 m.b:1.50 m.c:-5 m.d:1e3'],
  ['quoted values stay quoted', 'm.a:"true" m.b:"5" m.c:"NULL"', 'm.a:"true" m.b:"5" m.c:"NULL"'],
  [
    'ranges keep their bounds',
    'm.a:-5..-1.5 m.b:2024-01-01..2024-02-01 m.level:error..info',
    'm.a:-5..-1.5 m.b:2024-01-01..2024-02-01 m.level:error..info',
  ],
  ['text with dots is no range', 'm.a:a..b m.b:../x', 'm.a:"a..b" m.b:"../x"'],
  ['lists keep their order; a list of one is its value', 'm.a:( x , "b c",d-e) m.b:(-5)', 'm.a:(x,"b c","d-e") m.b:-5'],
  ['a regular expression on the message is a word', 'event_message:~refund event_message:x', '~refund event_message:x'],
  [
    'an offset becomes Z, its absence stays',
    't:<2025-06-01T10:20:30+05:30 t:>2025-06-01T10:20:30.500',
    't:<2025-06-01T04:50:30Z t:>2025-06-01T10:20:30.5',
  ],
  [
    'unix digits become a time in UTC',
    't:1740823200 t:1740823200123 t:>1740823200123456',
    't:2025-03-01T10:00:00Z t:2025-03-01T10:00:00.123Z t:>2025-03-01T10:00:00.123456Z',
  ],
  [
    'ranges of times fold part by part',
    't:2025-06-01..2025-06-05 t:2024-12-31T00:00:00Z..2025-01-01T00:00:00.25Z',
    't:2025-06-{01..05} t:{2024..2025}-{12..01}-{31..01}T00:00:00.{0..25}Z',
  ],
  ['a range of one is a single time', 't:2025-06-{01..01}', 't:2025-06-01'],
  [
    'shorthands spell their unit and count',
    't:last@week -t:>=last@15m t:this@mm t:<now',
    't:last@1week -t:>=last@15minute t:this@month t:<now',
  ],
  ['white space makes an empty query', ' \n', ''],
])('canonical text: %s', (_, text, canonical) => {
  expect(print(parse(text))).toBe(canonical)
  expect(print(parse(canonical))).toBe(canonical)
})

/** A tree without places, and without the quotes of words, which print adds where a word would be misread. */
const meaning = (text: string): unknown =>
  JSON.parse(
    JSON.stringify(parse(text), (key, value) => (/^(at|pathAt|valueAt)$/.test(key) ? undefined : value)),
    (_, value) => (value?.op === 'contains' ? { ...value, value: value.value.text } : value),
  )

test('a printed query reads back as the same query', () => {
  fc.assert(
    fc.property(
      schema.chain((fields) => queryOf(flatten(fields))),
      (text) => {
        const canonical = print(parse(text))
        expect(meaning(canonical)).toEqual(meaning(text))
        expect(print(parse(canonical))).toBe(canonical)
      },
    ),
    { numRuns: 500 },
  )
})

test('whatever is typed is either a query that reads back, or an error within the text', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      ' ',
      '(',
      ')',
      '"',
      '\\',
      '-',
      '~',
      'OR',
      'AND',
      'NOT',
      ' ',
      'm.x',
      ':',
      ':>',
      ':@>',
      ':~',
      '..',
      '1',
      't:',
      '2025-01-01',
      ',',
      '{',
      '}',
      'f:',
      's:',
      'c:',
      'count(*)',
      '@',
      'last@1h',
      'NULL',
      'é',
      '\t',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      let canonical: string
      try {
        canonical = print(parse(text))
      } catch (error) {
        expect(error).toMatchObject({ name: 'LqlError', code: 'bad_request' })
        expect(error).toHaveProperty(
          'position',
          expect.toSatisfy((at: number) => at >= 0 && at <= text.length),
        )
        return
      }
      expect(meaning(canonical)).toEqual(meaning(text))
    }),
    { numRuns: 5000 },
  )
})
