import { describe, expect, test } from 'vitest'
import { createTrial, NOW_MS, NOW_US, storedAfter } from '../testing.ts'

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ABSENT = undefined

async function expectStored(stored: ReturnType<typeof storedAfter>, expected: object) {
  const actual = Object.assign(Object.create(null), await stored)
  for (const [name, value] of Object.entries(expected)) expect(actual[name], name).toEqual(value)
}

describe('the message', () => {
  test.each([
    ['is taken from message, which is then removed', { message: 'm' }, { event_message: 'm', message: ABSENT }],
    ['is kept when sent', { event_message: 'e' }, { event_message: 'e', message: ABSENT }],
    ['both are kept when both are sent', { message: 'm', event_message: 'e' }, { event_message: 'e', message: 'm' }],
    ['a number is stored as its text', { message: 42 }, { event_message: '42' }],
    ['false is stored as its text', { message: false }, { event_message: 'false' }],
    ['an object is stored as its text', { message: { a: [1] } }, { event_message: '{"a":[1]}' }],
    ['an object beside a message too', { message: { a: 1 }, event_message: 'e' }, { message: '{"a":1}' }],
    ['an empty text is a message', { message: '' }, { event_message: '' }],
    ['neither is null', { x: 1 }, { event_message: null }],
    ['null and {} are no message', { event_message: null, message: 'm' }, { event_message: 'm', message: ABSENT }],
    ['a bare string is the message', 'words', { event_message: 'words' }],
  ])('%s', async (_, event, expected) => {
    await expectStored(storedAfter({}, JSON.stringify([event])), expected)
  })
})

describe('the id', () => {
  test.each([
    ['a text is kept', 'evt:2041/a', 'evt:2041/a'],
    ['256 bytes are kept', 'é'.repeat(128), 'é'.repeat(128)],
    ['257 bytes are replaced', 'i'.repeat(257), expect.stringMatching(UUID7)],
    ['an escape counts as what it means', '"'.repeat(256), '"'.repeat(256)],
    ['an empty text is replaced', '', expect.stringMatching(UUID7)],
    ['a number is replaced', 77, expect.stringMatching(UUID7)],
    ['null is replaced', null, expect.stringMatching(UUID7)],
  ])('%s', async (_, id, expected) => {
    await expectStored(storedAfter({}, { id }), { id: expected })
  })

  test('what cannot be an id is kept as _id', async () => {
    await expectStored(storedAfter({}, { id: 77 }), { _id: 77 })
  })
})

describe('the timestamp', () => {
  const at = (iso: string) => Date.parse(iso) * 1000
  test.each([
    ['ISO with Z', '2025-03-09T14:22:07Z', at('2025-03-09T14:22:07Z')],
    ['ISO with an offset', '2025-03-09T16:22:08+02:00', at('2025-03-09T14:22:08Z')],
    ['ISO with a short offset', '2025-03-09T09:22:08-05', at('2025-03-09T14:22:08Z')],
    ['ISO without an offset is UTC', '2025-03-09T14:22:09', at('2025-03-09T14:22:09Z')],
    ['ISO with a space and a comma', '2025-03-09 14:22:07,125', at('2025-03-09T14:22:07.125Z')],
    ['fractions are cut to the microsecond', '2025-03-09T14:22:07.654321999Z', at('2025-03-09T14:22:07Z') + 654_321],
    ['a date is its midnight', '2025-03-09', at('2025-03-09T00:00:00Z')],
    ['seconds', 1741530127, 1741530127000000],
    ['milliseconds', 1741530127456, 1741530127456000],
    ['microseconds', 1741530127456789, 1741530127456789],
    ['a numeric text counts as the number', '1741530127', 1741530127000000],
    ['fractions of seconds', 1741530127.25, 1741530127250000],
    ['fractions of a numeric text', '1741530127.123456789', 1741530127123456],
    ['just now plus an hour is believed', NOW_MS + 3_600_000, NOW_US + 3_600_000_000],
  ])('%s is kept', async (_, timestamp, expected) => {
    await expectStored(storedAfter({}, { timestamp }), { timestamp: expected, _timestamp: ABSENT })
  })

  test('nanoseconds beyond 2^53 are read exactly', async () => {
    await expectStored(storedAfter({}, '[{"timestamp":1741530127456789123}]'), { timestamp: 1741530127456789 })
  })

  test.each([
    ['words', 'half past nine'],
    ['a day that does not exist', '2025-02-30T10:00:00Z'],
    ['an hour that does not exist', '2025-02-20T25:00:00Z'],
    ['a negative number', -5],
    ['a boolean', true],
    ['an object', { s: 1 }],
    ['an empty text', ''],
    ['more than an hour ahead', NOW_MS + 3_600_001],
  ])('%s: the ingest time is used and the value kept', async (_, timestamp) => {
    await expectStored(storedAfter({}, { timestamp }), { timestamp: NOW_US, _timestamp: timestamp })
  })

  test('absent or null is the ingest time and leaves nothing behind', async () => {
    await expectStored(storedAfter({}, { timestamp: null }), { timestamp: NOW_US, _timestamp: ABSENT })
  })

  test("a sender's own _timestamp gives way", async () => {
    const stored = storedAfter({}, { _timestamp: 'mine', timestamp: 'no' })
    await expectStored(stored, { _timestamp: 'no', _timestamp_2: 'mine' })
  })

  test('older than the retention is refused', async () => {
    const source = { retention_days: 7 }
    const days = (n: number) => ({ timestamp: NOW_MS - n * 86_400_000 })
    await expectStored(storedAfter({ source }, days(7)), { timestamp: NOW_US - 7 * 86_400_000_000 })
    expect(await storedAfter({ source }, days(7.01))).toBe('event 0: timestamp is older than the retention of 7 days')
  })
})

describe('cleaning', () => {
  test.each([
    ['null, {} and [] are not stored', { a: null, b: {}, c: [], d: 1 }, { a: ABSENT, b: ABSENT, c: ABSENT, d: 1 }],
    ['"", 0 and false are data', { a: '', b: 0, c: false }, { a: '', b: 0, c: false }],
    ['what is empty then goes too', { o: { i: { n: null }, l: [{}, null, [[]]] } }, { o: ABSENT }],
    ['inside lists too', { n: [4, null, 5], r: [{ p: 1, q: null }, {}] }, { n: [4, 5], r: [{ p: 1 }] }],
  ])('%s', async (_, event, expected) => {
    await expectStored(storedAfter({}, event), expected)
  })
})

describe('names', () => {
  test.each([
    ['illegal characters and one _', { 'a-b': 1, 'u.p': 2, 'a-b.c d': 3 }, { _a_b: 1, _u_p: 2, _a_b_c_d: 3 }],
    ['a leading digit', { '9lives': 1, '404': 2, '3-way': 3 }, { _9lives: 1, _404: 2, _3_way: 3 }],
    ['each letter outside ASCII', { größe: 1, 日: 2, '👍': 3 }, { _gr__e: 1, __: 2, ___2: 3 }],
    ['legal ones stay', { Alpha_9: 1, _private: 2, x_TABLE_: 3 }, { Alpha_9: 1, _private: 2, x_TABLE_: 3 }],
    ['reserved prefixes get one _', { _TABLE_x: 1, '_FILE_a-b': 2 }, { __TABLE_x: 1, __FILE_a_b: 2 }],
    ['the names of the service get one _', { _unfit: 1, _UNLISTED: 2 }, { __unfit: 1, __UNLISTED: 2 }],
    ['an empty name is _', { '': 1 }, { _: 1 }],
    ['nested, and in lists', { h: { 's-c': 1, l: [{ 'x-i': 2 }] } }, { h: { _s_c: 1, l: [{ _x_i: 2 }] } }],
    ['names that meet get a number', { 'a-b': 1, 'a.b': 2, 'a b': 3 }, { _a_b: 1, _a_b_2: 2, _a_b_3: 3 }],
    ['case does not tell names apart', { Foo: 1, foo: 2, FOO: 3 }, { Foo: 1, foo_2: 2, FOO_3: 3 }],
    ['nor from the standard fields', { ID: 1, Message: 'x' }, { ID_2: 1, Message_2: 'x', event_message: null }],
    ['constructor is a name', { constructor: 1, toString: 2 }, { constructor: 1, toString: 2 }],
  ])('%s', async (_, event, expected) => {
    const stored = await storedAfter({}, event)
    for (const [name, value] of Object.entries(expected)) expect(stored).toHaveProperty([name], value)
  })

  test('duplicate names are all kept', async () => {
    await expectStored(storedAfter({}, '[{"a":1,"a":2,"a_2":3,"a":4}]'), { a: 1, a_2: 2, a_2_2: 3, a_3: 4 })
  })

  test('duplicates of the standard fields are kept too', async () => {
    const stored = storedAfter({}, '[{"id":"x","id":"y","message":"m","message":"n"}]')
    await expectStored(stored, { id: 'x', id_2: 'y', event_message: 'm', message_2: 'n' })
  })

  test('__proto__ is a name like any other', async () => {
    const trial = createTrial()
    await trial.send('[{"__proto__":{"a":1}}]')
    expect(trial.rowsText()).toContain('"__proto__":{"a":1}')
    expect(Object.keys(trial.schemas.flat(trial.source.token))).toEqual(['__proto__', '__proto__.a'])
  })

  test('128 bytes stay, longer ones are cut with the _', async () => {
    const sent = { ['j'.repeat(128)]: 0, ['k'.repeat(129)]: 1, [`${'q'.repeat(127)}-`]: 2, [`${'q'.repeat(127)}.`]: 3 }
    const names = [`j`.repeat(128), `_${'k'.repeat(127)}`, `_${'q'.repeat(127)}`, `_${'q'.repeat(125)}_2`]
    const stored = await storedAfter({}, sent)
    names.forEach((name, value) => {
      expect(stored).toHaveProperty([name], value)
    })
  })

  test('a later spelling is stored under the first one', async () => {
    await expectStored(storedAfter({}, { Region: 'eu' }, { REGION: 'us' }), { Region: 'us', REGION: ABSENT })
  })
})

describe('copy', () => {
  const copy = (rules: string) => ({ source: { transform_copy_fields: rules } })
  test.each([
    ['nested to top', 'm.req.path:path', { metadata: { req: { path: '/' } } }, { path: '/' }],
    ['in order', 'shop:a.b\na.b:c', { shop: 'x' }, { a: { b: 'x' }, c: 'x' }],
    ['a missing path changes nothing', 'ghost.x:one\nshop.x:two', { shop: 4 }, { shop: 4, one: ABSENT, two: ABSENT }],
    ['a way through a scalar or list changes nothing', 'x:s.y\nx:l.y', { x: 1, s: 2, l: [3] }, { s: 2, l: [3] }],
    ['siblings stay', 'x:m.f.x', { x: 1, metadata: { f: { z: 2 } } }, { metadata: { f: { z: 2, x: 1 } } }],
    ['to the message, as text', 'x:event_message', { x: { a: 1 } }, { event_message: '{"a":1}' }],
    ['from the standard fields', 'id:was', { id: 'i' }, { was: 'i' }],
    ['false and 0 are copied', 'a:b', { a: false }, { b: false }],
  ])('%s', async (_, rules, event, expected) => {
    await expectStored(storedAfter(copy(rules), event), expected)
  })
})

describe('enrichment', () => {
  const keyValues = {
    k1: { org: { id: 88, 'a-b': null }, tags: ['n', 'e'], grid: [[1]] },
    '42': { v: 1 },
    true: { v: 2 },
  }
  test.each([
    ['the whole value, cleaned and named', 'c:o', { c: 'k1' }, { o: { org: { id: 88 }, tags: ['n', 'e'] } }],
    ['an accessor', 'c:m.org:org.id', { c: 'k1' }, { metadata: { org: 88 } }],
    ['JSONPath', 'c:t:$.tags[0]', { c: 'k1' }, { t: 'n' }],
    ['numbers and booleans are looked up as text', 'n:a:v\nb:d:v', { n: 42, b: true }, { a: 1, d: 2 }],
    ['no entry changes nothing', 'c:o', { c: 'zz' }, { o: ABSENT }],
    ['an object is no key', 'c:o', { c: { x: 1 } }, { o: ABSENT }],
    ['an entry never makes an event refused', 'c:o:grid', { c: 'k1' }, { o: ABSENT, _unfit: { o: '[[1]]' } }],
  ])('%s', async (_, rules, event, expected) => {
    const source = { transform_key_values: rules }
    await expectStored(storedAfter({ source, keyValues }, event), expected)
  })

  test('runs after copying and before dropping', async () => {
    const source = { transform_copy_fields: 'x:c', transform_key_values: 'c:v:v', transform_drop_fields: 'c' }
    await expectStored(storedAfter({ source, keyValues }, { x: 42 }), { v: 1, c: ABSENT })
  })
})

describe('drop', () => {
  test.each([
    [
      'fields and nested fields',
      'a\nm.u.pin',
      { a: 1, metadata: { u: { pin: 1, n: 2 } } },
      { a: ABSENT, metadata: { u: { n: 2 } } },
    ],
    ['objects left empty go too', 'm.only', { x: 1, metadata: { only: 1 } }, { metadata: ABSENT }],
    ['lists are not entered', 'l.x', { l: [{ x: 1 }] }, { l: [{ x: 1 }] }],
  ])('%s', async (_, rules, event, expected) => {
    await expectStored(storedAfter({ source: { transform_drop_fields: rules } }, event), expected)
  })
})

describe('the composed message', () => {
  test.each([
    ['values as JSON, the message as it is', 'message, m.host ,amount', 'paid | "w1" | 12'],
    ['what is missing is null', 'ghost,id', 'null | i'],
    ['JSONPath', '$.metadata.host', '"w1"'],
  ])('%s', async (_, keys, expected) => {
    const event = { id: 'i', message: 'paid', metadata: { host: 'w1' }, amount: 12 }
    await expectStored(storedAfter({ source: { custom_event_message_keys: keys } }, event), {
      event_message: expected,
    })
  })
})

describe('refused', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{"z":1}${'}'.repeat(levels - 1)}`
  test.each([
    ['an array of arrays', '[{"m":{"grid":[[1],[2]]}}]', 'event 0: m.grid is an array of arrays'],
    ['an array of arrays in a list of objects', '[{"m":[{"g":[[1]]}]}]', 'event 0: m.g is an array of arrays'],
    ['scalars and objects in one array', '[{"m":{"tags":[{"k":1},"x"]}}]', 'event 0: m.tags mixes scalars and objects'],
    ['no object', '[17]', 'event 0: is not an object'],
    ['over 1 MB', `[{"m":"${'x'.repeat(1_000_000)}"}]`, 'event 0: is over 1 MB'],
    ['33 levels', `[${nested(33)}]`, 'event 0: is deeper than 32 levels'],
    ['10,000 levels', `[${nested(10_000)}]`, 'event 0: is deeper than 32 levels'],
    ['10,000 lists', `[{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}]`, 'event 0: is deeper than 32 levels'],
  ])('%s', async (_, body, reason) => {
    expect(await storedAfter({}, body)).toBe(reason)
  })

  test('32 levels are stored', async () => {
    expect(await storedAfter({}, `[${nested(32)}]`)).toHaveProperty('a')
  })

  test('a refused event leaves no field behind', async () => {
    const trial = createTrial()
    await trial.send('[{"fresh":1,"grid":[[1]]}]')
    expect(trial.schemas.all(trial.source.token)).toEqual({})
  })
})
