import { expect, test } from 'vitest'
import { parametersOf } from './parameters.ts'

test.each([
  ['the type that is expected', '5', 'string', { type: 'STRING' }, { value: '5' }],
  ['else the look', '5', null, { type: 'INT64' }, { value: '5' }],
  ['text that only looks like a number', '007', null, { type: 'STRING' }, { value: '007' }],
  ['nothing', null, 'int64', { type: 'INT64' }, { value: null }],
  ['a list', ['1', '2.5'], 'array', { type: 'ARRAY', arrayType: { type: 'FLOAT64' } }, null],
  ['a list of what is expected', ['1'], 'string[]', { type: 'ARRAY', arrayType: { type: 'STRING' } }, null],
  ['one for a list', 'x', 'array', { type: 'ARRAY', arrayType: { type: 'STRING' } }, { arrayValues: [{ value: 'x' }] }],
] as const)('parameters: %s', (_, value, expected, type, bound) => {
  const given = typeof value === 'object' && value !== null ? [...value] : value
  const [parameter] = parametersOf({ values: [given], types: [expected] })
  expect(parameter).toMatchObject({ name: 'p1', parameterType: type, ...(bound ? { parameterValue: bound } : {}) })
})
