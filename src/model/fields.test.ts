import { expect, test } from 'vitest'
import { addFields, type FlatFields, unknownFields } from './fields.ts'

const EXPECTED: FlatFields = {
  project: 'string',
  metadata: 'object',
  'metadata.request': 'object',
  'metadata.request.path': 'string',
}

test.each<[string, FlatFields, FlatFields]>([
  ['all, where nothing is known', {}, EXPECTED],
  ['none, where all are', EXPECTED, {}],
  [
    'those that are missing',
    { metadata: 'object', project: 'integer' },
    { 'metadata.request': 'object', 'metadata.request.path': 'string' },
  ],
  [
    'not what would be inside of something else',
    { metadata: 'object', 'metadata.request': 'string' },
    { project: 'string' },
  ],
])('unknown fields: %s', (_, known, expected) => {
  const tree = new Map()
  addFields(tree, known)
  const found = unknownFields(tree, EXPECTED)
  expect({ ...found }).toEqual(expected)
  expect(() => addFields(tree, found)).not.toThrow()
})
