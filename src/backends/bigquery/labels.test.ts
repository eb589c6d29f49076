import { expect, test } from 'vitest'
import { cleanLabels } from './labels.ts'

test.each([
  ['what BigQuery takes stays', { team: 'shop-1' }, { team: 'shop-1' }],
  ['everything else becomes _', { 'Team Name': 'Ünder/Score 1' }, { team_name: 'ünder_score_1' }],
  ['a key begins with a letter', { '1st': 'x', _a: 'y' }, { l1st: 'x', l_a: 'y' }],
  ['both end at 63 characters', { ['k'.repeat(70)]: 'v'.repeat(70) }, { ['k'.repeat(63)]: 'v'.repeat(63) }],
  ['of keys that become equal the first counts', { A: '1', a: '2' }, { a: '1' }],
])('labels: %s', (_, labels, expected) => expect(cleanLabels(labels)).toEqual(expected))

test('no more than 64 labels', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, '']))
  expect(Object.keys(cleanLabels(many))).toHaveLength(64)
})
