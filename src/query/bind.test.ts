import { expect, test } from 'vitest'
import type { Parameter } from '../sql/sql.ts'
import { bindParameters } from './bind.ts'

const bind = (value: unknown, type: Parameter['type'] = null) =>
  bindParameters([{ name: 'v', placeholder: 'p0', type }], value === undefined ? {} : { v: value }).p0

test.each([
  ['42', null, { type: 'BIGINT', value: '42' }],
  ['-7', null, { type: 'BIGINT', value: '-7' }],
  ['4.5', null, { type: 'DOUBLE', value: '4.5' }],
  ['1e3', null, { type: 'DOUBLE', value: '1e3' }],
  ['true', null, { type: 'BOOLEAN', value: 'true' }],
  ['True', null, { type: 'VARCHAR', value: 'True' }],
  ['hello', null, { type: 'VARCHAR', value: 'hello' }],
  ['', null, { type: 'VARCHAR', value: '' }],
  ['007', null, { type: 'VARCHAR', value: '007' }],
  ['12345678901234567890', null, { type: 'DOUBLE', value: '12345678901234567890' }],
  ['1e999', null, { type: 'VARCHAR', value: '1e999' }],
  ['42', 'string', { type: 'VARCHAR', value: '42' }],
  ['42', 'int64', { type: 'VARCHAR', value: '42' }],
  [42, null, { type: 'BIGINT', value: '42' }],
  [false, null, { type: 'BOOLEAN', value: 'false' }],
  [null, null, { type: 'VARCHAR', value: null }],
  [undefined, 'int64', { type: 'VARCHAR', value: null }],
  ['1740994800000000', 'timestamp', { type: 'VARCHAR', value: '2025-03-03 09:40:00.000000' }],
  ['2025-03-03', 'timestamp', { type: 'VARCHAR', value: '2025-03-03' }],
  [['a', 'b'], null, { type: 'VARCHAR', value: ['a', 'b'] }],
  [['1', '2'], null, { type: 'BIGINT', value: ['1', '2'] }],
  [['1', '2.5'], null, { type: 'DOUBLE', value: ['1', '2.5'] }],
  [['1', 'x'], 'array', { type: 'VARCHAR', value: ['1', 'x'] }],
  ['x', 'array', { type: 'VARCHAR', value: ['x'] }],
  [{ a: 1 }, null, { type: 'VARCHAR', value: '{"a":1}' }],
] as const)('%j read as %s', (value, type, expected) => expect(bind(value, type)).toEqual(expected))

test('names of every object are no values', () => {
  expect(bindParameters([{ name: 'constructor', placeholder: 'p0', type: null }], {})).toEqual({
    p0: { type: 'VARCHAR', value: null },
  })
})

test('the character no text may hold is refused', () => expect(() => bind('a\0b')).toThrow('code 0'))
