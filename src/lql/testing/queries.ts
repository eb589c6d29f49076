/** Random query texts over the fields of a schema, close to the values that the events hold. */
import fc from 'fast-check'
import type { FlatFields } from '../../model/fields.ts'
import { quote } from '../literals.ts'
import { shortPath } from '../paths.ts'
import { TEXTS, text } from './events.ts'

const NUMBERS = [
  ...['0', '-0', '1', '-1', '5', '5.0', '10', '204', '0204', '0.5', '-0.5', '1.5', '3', '1e1', '0.1', '1e-7', '1e21'],
  ...['9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807', '9223372036854775808'],
  ...[
    '-9223372036854775808',
    '-9223372036854775809',
    '1e400',
    '3.0000000000000000001',
    '2.5',
    '-1e300',
    '99999999999999999999',
  ],
]
const UNKNOWN = [
  'm.nothing',
  'nothing',
  'm.a.nothing.more',
  'm',
  'M.a',
  'METADATA.LEVEL',
  'm..a',
  'CODE',
  'ID',
  'Event_Message',
]
const TIMES = [
  ...['now', 'today', 'yesterday', 'this@second', 'this@minute', 'this@hour', 'this@day', 'this@week', 'this@month'],
  ...['this@year', 'last@5m', 'last@2h', 'last@1d', 'last@week', 'last@3mm', 'last@1y', 'last@90s'],
  ...['2025-03-30', '2025-03-29', '2025-03-30T01:30:15', '2025-03-30T01:30:15.250007Z', '2025-03-30T02:30:00'],
  ...['2025-03-30T03:00:00+05:45', '1743298215', '1743298215250', '1743298215250007'],
]
const SPANS = [
  ...[
    '2025-03-29..2025-03-30',
    '2025-03-{28..30}',
    '2025-03-29T{00..12}:00:00',
    '2025-03-30T00:00:00Z..2025-03-30T01:00:00Z',
  ],
  ...['2025-03-30..2025-03-29', '1743298215..1743398215', '2025-03-30T01:30:15.{0..5}Z'],
]
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

const isBareSafe = (value: string): boolean => /^[^\s"()]+$/.test(value)

const number = fc.constantFrom(...NUMBERS)
const value = fc
  .oneof(text, number, fc.constantFrom('true', 'false'))
  .chain((each) =>
    isBareSafe(each) && each !== 'NULL' ? fc.constantFrom(each, quote(each)) : fc.constant(quote(each)),
  )
const listItem = fc.oneof(
  value.filter((each) => each.startsWith('"') || /^[\w.-]+$/.test(each)),
  fc.constant('NULL'),
)

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'A',
    '1',
    'é',
    '😀',
    '.',
    '\\d',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\pL',
    '\\PL',
    '[ab]',
    '[^a]',
    '[^ab\\n]',
    '^',
    '$',
  ],
  ...[
    '\\b',
    '\\B',
    '\\A',
    '\\z',
    '(?i)a',
    '(?s).',
    '(?m)^b',
    '(?i:É)',
    '[[:alpha:]]',
    '\\x{1F600}',
    '\\Q(\\E',
    '()',
    '\\n',
    'a|',
    '[a-é]',
  ],
)
const piece = fc
  .tuple(atom, fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,2}', '*?', '+?'))
  .map(([each, times]) => `(?:${each})${times}`)
export const pattern = fc
  .array(fc.oneof(atom, piece), { minLength: 1, maxLength: 4 })
  .chain((pieces) => fc.constantFrom(pieces.join(''), pieces.map((each) => `(${each})`).join('|')))

const sign = fc.constantFrom('>', '>=', '<', '<=')

export function clauseOf(flat: FlatFields): fc.Arbitrary<string> {
  const paths = [...Object.keys(flat).map(shortPath), ...Object.keys(flat).map((path) => path.toUpperCase())]
  const path = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...paths.filter(isFieldName)) },
    { weight: 1, arbitrary: fc.constantFrom(...UNKNOWN, 'id', 'event_message') },
  )
  const field = (...tail: [fc.Arbitrary<string>]): fc.Arbitrary<string> =>
    fc.tuple(path, ...tail).map(([name, rest]) => `${name}:${rest}`)
  return fc.oneof(
    { weight: 6, arbitrary: field(value) },
    { weight: 3, arbitrary: field(fc.tuple(sign, value).map((parts) => parts.join(''))) },
    { weight: 2, arbitrary: field(fc.tuple(number, number).map((bounds) => bounds.join('..'))) },
    { weight: 2, arbitrary: field(fc.constant('NULL')) },
    { weight: 2, arbitrary: field(value.map((each) => `@>${each}`)) },
    { weight: 2, arbitrary: field(pattern.map((each) => `~${quote(each)}`)) },
    { weight: 1, arbitrary: field(pattern.map((each) => `@>~${quote(each)}`)) },
    {
      weight: 2,
      arbitrary: field(fc.array(listItem, { minLength: 1, maxLength: 3 }).map((list) => `(${list.join(', ')})`)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...LEVELS), fc.constantFrom(...LEVELS))
        .map((ends) => `m.level:${ends.join('..')}`),
    },
    { weight: 2, arbitrary: fc.constantFrom(...TEXTS).map(quote) },
    { weight: 1, arbitrary: fc.constantFrom('a', 'ab', '[1:2]', 'x(y)', '--a', '😀') },
    { weight: 2, arbitrary: pattern.map((each) => `~${quote(each)}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.oneof(fc.constant(''), sign), fc.constantFrom(...TIMES))
        .map((parts) => `t:${parts.join('')}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(...SPANS).map((each) => `t:${each}`) },
  )
}

/** `t`, `s` and the like are never fields. */
const isFieldName = (path: string): boolean => !/^(t|timestamp|f|from|s|select|c|chart)$/.test(path)

/** Clauses with negation, written and unwritten AND, OR and groups. */
export function filterOf(flat: FlatFields): fc.Arbitrary<string> {
  const { filter } = fc.letrec<{ filter: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      {
        weight: 4,
        arbitrary: fc.tuple(fc.constantFrom('', '', '-', 'NOT '), clauseOf(flat)).map((parts) => parts.join('')),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom('', 'NOT ', '-'), tie('filter')).map(([not, each]) => `${not}(${each})`),
      },
    ),
    filter: fc
      .array(fc.tuple(tie('part'), fc.constantFrom(' ', ' AND ', ' OR ', '\n')), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.map(([part, joint], i) => (i === parts.length - 1 ? part : part + joint)).join('')),
  }))
  return filter
}

const frameClause = fc.constantFrom(
  's:m.a@x',
  's:*',
  's:id',
  'c:avg(m.a)',
  'c:count(*)',
  'c:group_by(t::week)',
  'c:p99(b)',
)

/** A whole query: clauses of the frame stand anywhere outside of groups. */
export function queryOf(flat: FlatFields): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(frameClause, { maxLength: 2 }), fc.option(fc.constant('f:orders'), { nil: '' }), filterOf(flat))
    .map(([frames, from, filter]) => [...frames, filter, from].join(' '))
}
