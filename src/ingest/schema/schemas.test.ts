import { expect, test } from 'vitest'
import { createTrial } from '../testing.ts'
import { sampleProbability } from './schemas.ts'
import { SourceFields } from './source-fields.ts'

const fieldsFrames = (trial: ReturnType<typeof createTrial>) =>
  trial.frames.filter(({ kind }) => kind === 'fields').map(({ body }) => JSON.parse(Buffer.from(body).toString()))

test('new fields are journaled before the rows that use them, parents first, and once', async () => {
  const trial = createTrial()
  await trial.send('[{"m":{"a":1}}]')
  await trial.send('[{"m":{"a":2}}]')
  expect(trial.frames.map(({ kind }) => kind)).toEqual(['fields', 'events', 'events'])
  expect(Object.entries(fieldsFrames(trial)[0])).toEqual([
    ['m', 'object'],
    ['m.a', 'integer'],
  ])
})

test('fields of a failed append go with the next one, even when its own events bring none', async () => {
  const trial = createTrial()
  trial.journal.isBroken = true
  await expect(trial.send('[{"a":1}]')).rejects.toThrow('disk')
  trial.journal.isBroken = false
  await trial.send('[{"a":2}]')
  expect(fieldsFrames(trial)).toEqual([{ a: 'integer' }])
})

test('requests in flight at the same time each carry the fields they use', async () => {
  const trial = createTrial()
  await Promise.all([trial.send('[{"a":1}]'), trial.send('[{"a":2}]')])
  expect(fieldsFrames(trial)).toEqual([{ a: 'integer' }, { a: 'integer' }])
})

test('a field that widened while its first type was on the way is journaled again', () => {
  const fields = new SourceFields({})
  const node = fields.add(fields.root, '', 'a', 'integer')
  const onTheWay = fields.unjournaled()!
  fields.widen(node)
  fields.confirmed(onTheWay, 1)
  expect(fields.unjournaled()).toEqual({ a: 'float' })
  fields.confirmed({ a: 'float' }, 2)
  expect(fields.unjournaled()).toBeNull()
})

test('a field that sampling missed is stored, and shown when its rows are loaded', async () => {
  const trial = createTrial({ random: () => 1 })
  await trial.send('[{"m":{"a":1}}]')
  const { token } = trial.source
  expect(trial.rows()[0]?.e).toEqual({ m: { a: 1 } })
  expect(trial.schemas.flat(token)).toEqual({})
  trial.schemas.publish(token, 1)
  expect(trial.schemas.flat(token)).toEqual({})
  trial.schemas.publish(token, 2)
  expect(trial.schemas.flat(token)).toEqual({ m: 'object', 'm.a': 'integer' })
})

test.each([
  [0, 1],
  [0.5, 1],
  [4, 0.25],
  [1e9, 0.00001],
])('at %d events a second the probability is %d', (rate, probability) => {
  expect(sampleProbability(rate)).toBe(probability)
})

test('fields that others have seen are learned as far as they fit, shown, and journaled once', () => {
  const fields = new SourceFields({ a: 'integer', b: 'string' })
  const learned = fields.learn({ a: 'float', b: 'object', 'b.c': 'string', o: 'object', 'o.x': 'boolean', A: 'string' })
  expect({ ...learned }).toEqual({ a: 'float', o: 'object', 'o.x': 'boolean' })
  expect({ ...fields.unjournaled() }).toEqual({ ...learned })
  expect(fields.learn({ a: 'integer', 'o.x': 'string' })).toBeNull()
  fields.confirmed(learned ?? {}, 9)
  expect([fields.unjournaled(), { ...fields.visible() }]).toEqual([
    null,
    { a: 'float', b: 'string', o: 'object', 'o.x': 'boolean' },
  ])
  expect({ ...fields.journaled() }).toEqual({ ...fields.all() })
})
