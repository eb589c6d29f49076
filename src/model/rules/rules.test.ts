import { expect, test } from 'vitest'
import { parseAccessor, readAccessor } from './accessor.ts'
import { parseCopyRules } from './copy.ts'
import { parseDropRules } from './drop.ts'
import { parseEnrichRules } from './enrich.ts'
import { BadRules } from './lines.ts'

const problems = (parse: () => unknown): string[] => {
  try {
    parse()
  } catch (error) {
    if (error instanceof BadRules) return error.problems
    throw error
  }
  return []
}

test('copy: lines are read in order, blanks and comments ignored, parts trimmed, m. is metadata', () => {
  expect(parseCopyRules('  a.b : m.c \n\n# note\r\nx:event_message')).toEqual([
    { from: ['a', 'b'], to: ['metadata', 'c'] },
    { from: ['x'], to: ['event_message'] },
  ])
})

test.each([
  ['a dash in the destination', 'x:y\nx:new-name', 'line 2: "x:new-name": "new-name" is not a valid field name'],
  ['no destination', 'x y', 'line 1: "x y": a copy rule is source_path:destination_path'],
  ['three parts', 'x:y:z', 'line 1: "x:y:z": a copy rule is'],
  ['an empty side', 'x:', 'a field path is missing'],
  ['an empty name', 'a..b:c', '"a..b" has an empty name'],
  ['a leading digit', 'x:m.7up', '"7up" is not a valid field name'],
  ['a name over 128 characters', `x:${'a'.repeat(129)}`, 'is longer than 128 characters'],
  ['a reserved prefix', 'x:_TABLE_x', 'starts with a reserved prefix'],
  ['the id', 'x:id', '"id" is set by the service'],
  ['the timestamp', 'x:timestamp', '"timestamp" is set by the service'],
  ['a field of the message', 'x:event_message.y', 'is text and has no fields'],
])('copy: %s is refused with line and reason', (_, text, expected) => {
  expect(problems(() => parseCopyRules(text))).toEqual([expect.stringContaining(expected)])
})

test('copy: every bad line is named, not only the first', () => {
  expect(problems(() => parseCopyRules('a\nb:c\nd'))).toHaveLength(2)
})

test('enrich: two or three parts, the accessor may hold colons', () => {
  const [whole, dotted, quoted] = parseEnrichRules("m.k:who\nk:m.org:org.id\nk:x:$['a:b'][0]")
  expect(whole).toEqual({ lookup: ['metadata', 'k'], to: ['who'], accessor: null })
  expect(dotted!.accessor).toEqual(parseAccessor('$.org.id'))
  expect(readAccessor(quoted!.accessor!, { 'a:b': [7] })).toBe(7)
})

test.each([
  ['one part', 'lookup', 'an enrichment rule is'],
  ['an empty accessor', 'a:b:', 'is empty'],
  ['a filter', 'a:b:$.items[?(@.x)]', 'cannot be read at "[?(@.x)]"'],
  ['a slice', 'a:b:$.items[0:2]', 'cannot be read at "[0:2]"'],
  ['a bad destination', 'a:b c:d', '"b c" is not a valid field name'],
])('enrich: %s is refused', (_, text, expected) => {
  expect(problems(() => parseEnrichRules(text))).toEqual([expect.stringContaining(expected)])
})

test('drop: paths, and standard fields are refused once each in order of appearance', () => {
  expect(parseDropRules('svc\n\n  m.raw  ')).toEqual([['svc'], ['metadata', 'raw']])
  expect(problems(() => parseDropRules('timestamp\nid\nid\nm.id'))).toEqual([
    'cannot drop reserved fields: timestamp, id',
  ])
})

const stored = { org: { id: 8, 'plan-b': 'gold', none: null }, tags: ['new', 'eu'], items: [{ sku: 'a' }, { qty: 1 }] }

test.each([
  ['$', stored],
  ['org.id', 8],
  ['org.plan-b', 'gold'],
  ['$.org.id', 8],
  ['$[\'org\']["plan-b"]', 'gold'],
  ['$.tags[0]', 'new'],
  ['$.tags[-1]', 'eu'],
  ['tags[1]', 'eu'],
  ['$.tags[2]', undefined],
  ['$.org.none', undefined],
  ['$.org.constructor', undefined],
  ['$.tags.length', undefined],
  ['$.nope.deep', undefined],
  ['$.org.id.deeper', undefined],
  ['$.tags[*]', ['new', 'eu']],
  ['$.items.*.sku', ['a']],
  ['$.items[*].nope', undefined],
  ['$..sku', ['a']],
  ['$..[0]', ['new', { sku: 'a' }]],
])('accessor: %s selects what it names', (text, expected) => {
  const accessor = parseAccessor(text)
  if ('problem' in accessor) throw new Error(accessor.problem)
  expect(readAccessor(accessor, stored)).toEqual(expected)
})
