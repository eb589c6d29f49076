import { describe, expect, test } from 'vitest'
import type { FieldType, FlatFields } from '../../model/fields.ts'
import { MAX_FIELDS } from '../limits.ts'
import { createTrial } from '../testing.ts'

/** What becomes of `"v": <text>` in a source whose field `v` has this type: the stored event as text, and the type after it. */
async function becomes(type: FieldType | null, value: string, isLocked = false) {
  const trial = createTrial({ fields: type ? { v: type } : {}, source: { lock_schema: isLocked } })
  await trial.send(`[{"v":${value}}]`)
  const row = trial.rowsText().trimEnd()
  return [row.slice(row.indexOf('"e":') + 4, -1), trial.schemas.all(trial.source.token).v ?? null]
}

describe('the first value sets the type', () => {
  test.each<[string, FieldType, string?]>([
    ['1', 'integer'],
    ['1.0', 'float'],
    ['1e3', 'float'],
    ['9223372036854775807', 'integer'],
    ['-9223372036854775808', 'integer'],
    ['9223372036854775808', 'float'],
    ['"x"', 'string'],
    ['true', 'boolean'],
    ['{"a":1}', 'object'],
    ['[1,2]', 'integer[]'],
    ['[1,2.5]', 'float[]'],
    ['[true]', 'boolean[]'],
    ['["a",1,true]', 'string[]', '["a","1","true"]'],
    ['[{"a":1},{"b":2}]', 'object[]'],
  ])('%s is %s', async (value, type, stored = value) => {
    expect(await becomes(null, value)).toEqual([`{"v":${stored}}`, type])
  })

  test('a number beyond every double is no first value', async () => {
    expect(await becomes(null, '1e999')).toEqual(['{"_unfit":{"v":"1e999"}}', null])
  })

  test('the elements of a list of objects are merged', async () => {
    const trial = createTrial()
    await trial.send('[{"items":[{"sku":"a"},{"qty":2}]}]')
    expect(trial.schemas.flat(trial.source.token)).toEqual({
      items: 'object[]',
      'items.sku': 'string',
      'items.qty': 'integer',
    })
  })
})

describe('a later value is converted when nothing is lost', () => {
  test.each<[FieldType, string, string]>([
    ['integer', '"500"', '500'],
    ['integer', '"-3"', '-3'],
    ['integer', '9007199254740993', '9007199254740993'],
    ['float', '5', '5'],
    ['float', '9007199254740992', '9007199254740992'],
    ['float', '"2.50"', '2.50'],
    ['boolean', '"true"', 'true'],
    ['string', '5', '"5"'],
    ['string', '5.10', '"5.10"'],
    ['string', 'false', '"false"'],
    ['string[]', '"a"', '["a"]'],
    ['string[]', '[1,"b"]', '["1","b"]'],
    ['integer[]', '"7"', '[7]'],
    ['object[]', '{"a":1}', '[{"a":1}]'],
  ])('%s takes %s', async (type, value, stored) => {
    expect(await becomes(type, value)).toEqual([`{"v":${stored}}`, type])
  })

  test.each<[FieldType, string, FieldType, string]>([
    ['integer', '2.5', 'float', '2.5'],
    ['integer', '5.0', 'float', '5.0'],
    ['integer[]', '[1,2.5]', 'float[]', '[1,2.5]'],
    ['integer[]', '2.5', 'float[]', '[2.5]'],
  ])('%s with %s widens to %s', async (type, value, wider, stored) => {
    expect(await becomes(type, value)).toEqual([`{"v":${stored}}`, wider])
  })
})

describe('what does not fit is stored as text under _unfit and changes no type', () => {
  test.each<[FieldType, string, string]>([
    ['integer', '"007"', '007'],
    ['integer', '" 5"', ' 5'],
    ['integer', '"5.0"', '5.0'],
    ['integer', '"9223372036854775808"', '9223372036854775808'],
    ['integer', '9223372036854775808', '9223372036854775808'],
    ['integer', 'true', 'true'],
    ['integer', '{"w":2}', '{"w":2}'],
    ['integer', '[1]', '[1]'],
    ['float', '9007199254740993', '9007199254740993'],
    ['float', '"1e999"', '1e999'],
    ['float', '"abc"', 'abc'],
    ['boolean', '1', '1'],
    ['string', '{"a":1}', '{"a":1}'],
    ['string', '["a"]', '["a"]'],
    ['integer[]', '[1,"x"]', '[1,"x"]'],
    ['integer[]', '[2.5,9007199254740993]', '[2.5,9007199254740993]'],
    ['object', '"x"', 'x'],
    ['object', '[{"a":1}]', '[{"a":1}]'],
    ['object[]', '[1]', '[1]'],
  ])('%s and %s', async (type, value, text) => {
    expect(await becomes(type, value)).toEqual([`{"_unfit":{"v":${JSON.stringify(text)}}}`, type])
  })

  test('it stands at its path, beside what fits', async () => {
    const trial = createTrial({ fields: { metadata: 'object', 'metadata.code': 'integer' } })
    await trial.send('[{"metadata":{"code":"teapot","host":"w2"}}]')
    expect(trial.rows()[0]?.e).toEqual({ metadata: { host: 'w2' }, _unfit: { metadata: { code: 'teapot' } } })
    expect(trial.counted.unfit).toBe(1)
    expect(trial.schemas.all(trial.source.token)).toMatchObject({
      _unfit: 'object',
      '_unfit.metadata': 'object',
      '_unfit.metadata.code': 'string',
    })
  })

  test('several of one path, from a list of objects, are a list', async () => {
    const trial = createTrial({ fields: { l: 'object[]', 'l.n': 'integer' } })
    await trial.send('[{"l":[{"n":"a"},{"n":1},{"n":"b"}]}]')
    expect(trial.rows()[0]?.e).toEqual({ l: [{ n: 1 }], _unfit: { l: { n: '["a","b"]' } } })
  })

  test('a part below a text of _unfit is stored as the text of the whole, and the other way round', async () => {
    const trial = createTrial({ fields: { o: 'object', 'o.n': 'integer' } })
    await trial.send('[{"o":"scalar"},{"o":{"n":"x"}}]')
    expect(trial.rows().map(({ e }) => e._unfit)).toEqual([{ o: 'scalar' }, { o: '{"n":"x"}' }])
    const other = createTrial({ fields: { o: 'object', 'o.n': 'integer' } })
    await other.send('[{"o":{"n":"x"}},{"o":"scalar"}]')
    expect(other.rows().map(({ e }) => e._unfit)).toEqual([{ o: { n: 'x' } }, { o: { _value: 'scalar' } }])
  })
})

describe('a locked source', () => {
  const fields = { known: 'integer', metadata: 'object', 'metadata.host': 'string' } as const
  const locked = { fields, source: { lock_schema: true } }

  test.each([
    ['unknown fields', '{"known":2,"extra":"x","deep":{"er":[1,2]}}', { extra: 'x', deep: { er: [1, 2] } }],
    ['below a known object', '{"metadata":{"host":"w","rack":9}}', { metadata: { rack: 9 } }],
  ])('keeps %s as JSON text', async (_, event, unlisted) => {
    const trial = createTrial(locked)
    await trial.send(`[${event}]`)
    expect(JSON.parse(String(trial.rows()[0]?.e._unlisted))).toEqual(unlisted)
    expect(trial.schemas.all(trial.source.token)).toEqual({ ...fields, _unlisted: 'string' })
  })

  test('widens nothing', async () => {
    expect(await becomes('integer', '2.5', true)).toEqual(['{"_unfit":{"v":"2.5"}}', 'integer'])
    expect(await becomes('integer', '5.0', true)).toEqual(['{"v":5}', 'integer'])
  })

  test('keeps the places of list elements', async () => {
    const trial = createTrial({ fields: { l: 'object[]', 'l.a': 'integer' }, source: { lock_schema: true } })
    await trial.send('[{"l":[{"a":1},{"a":2,"b":3}]}]')
    expect(trial.rows()[0]?.e).toEqual({ l: [{ a: 1 }, { a: 2 }], _unlisted: '{"l":[{},{"b":3}]}' })
  })
})

test(`after ${MAX_FIELDS} fields further ones are unlisted`, async () => {
  const trial = createTrial()
  const names = Array.from({ length: MAX_FIELDS + 5 }, (_, i) => [`f${i}`, i])
  await trial.send(JSON.stringify([Object.fromEntries(names), { f0: 1, more: 2 }]))
  expect(trial.schemas.of(trial.source.token).count).toBe(MAX_FIELDS)
  expect(trial.rows()[1]?.e).toEqual({ f0: 1, _unlisted: '{"more":2}' })
})

test.each([
  ['that no column can hold', 0, '{"o":{"p":{"n":1e999}}}', { _unfit: { o: '{"p":{"n":1e999}}' } }],
  ['that there is no more room for', MAX_FIELDS - 2, '{"o":{"p":{"n":1}}}', { _unlisted: '{"o":{"p":{"n":1}}}' }],
  [
    'with room for a part',
    MAX_FIELDS - 2,
    '{"o":{"p":{"n":1},"n":2}}',
    { o: { n: 2 }, _unlisted: '{"o":{"p":{"n":1}}}' },
  ],
])('an object %s becomes no field without fields', async (_, known, event, expected) => {
  const fields: FlatFields = {}
  for (let i = 0; i < known; i++) fields[`f${i}`] = 'integer'
  const trial = createTrial({ fields })
  await trial.send(`[${event}]`)
  expect(trial.rows()[0]?.e).toEqual(expected)
  const all = Object.entries(trial.schemas.all(trial.source.token))
  const objects = all.filter(([, type]) => type === 'object')
  for (const [path] of objects)
    expect(
      all.some(([other]) => other.startsWith(`${path}.`)),
      path,
    ).toBe(true)
})

test(`_unfit does not grow beyond ${MAX_FIELDS} fields, and still loses nothing`, async () => {
  const trial = createTrial()
  for (let i = 0; i < 3; i++) {
    const names = Array.from({ length: 1000 }, (_, n) => `"f${i}_${n}":1e999`)
    await trial.send(`[{${names.join(',')}}]`)
  }
  expect(Object.keys(trial.schemas.all(trial.source.token)).length).toBeLessThanOrEqual(MAX_FIELDS + 2)
  expect(JSON.stringify(trial.rows().at(-1)?.e)).toContain('f2_999')
})
