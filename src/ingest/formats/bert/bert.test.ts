import { describe, expect, test } from 'vitest'
import { Fault } from '../../../base/faults.ts'
import { bertToJson } from './bert.ts'
import { atom, bert, type Given, map, packedBert, tuple } from './testing.ts'

const json = (term: Given): string => bertToJson(bert(term)).toString()

describe('terms are the JSON that could have been sent', () => {
  test.each<[string, Given, string]>([
    ['binaries and atoms are texts', ['a', atom('info')], '["a","info"]'],
    ['atoms with a meaning', ['true', 'false', 'nil', 'undefined'].map(atom), '[true,false,null,null]'],
    [
      'integers keep their digits',
      [0, -7, 70_000, 9_007_199_254_740_993n, -(2n ** 63n)],
      '[0,-7,70000,9007199254740993,-9223372036854775808]',
    ],
    ['floats stay floats', [0.5, -1e300], '[0.5,-1e+300]'],
    [
      'maps, whatever their names are made of',
      {
        map: [
          [atom('a'), 1],
          ['b', 2],
          [3, 4],
        ],
      },
      '{"a":1,"b":2,"3":4}',
    ],
    ['tuples are lists', tuple(1, 'x'), '[1,"x"]'],
    ['keyword lists are objects', [tuple(atom('a'), 1), tuple(atom('b'), [])], '{"a":1,"b":[]}'],
    ['words of BERT', tuple(atom('bert'), atom('dict'), [tuple('a', tuple(atom('bert'), atom('nil')))]), '{"a":null}'],
    ['a time of BERT', tuple(atom('bert'), atom('time'), 1763, 204_400, 5), '1763204400000005'],
  ])('%s', (_, term, expected) => expect(json(term)).toBe(expected))

  test('a batch, packed or not, is the same', () => {
    const term = map({ source: 'x', batch: [map({ message: 'one', level: atom('info') })] })
    const expected = '{"source":"x","batch":[{"message":"one","level":"info"}]}'
    expect(json(term)).toBe(expected)
    expect(bertToJson(packedBert(term)).toString()).toBe(expected)
  })

  test('short lists of characters are texts', () => {
    expect(bertToJson(Buffer.from([131, 107, 0, 2, 104, 105])).toString()).toBe('"hi"')
    expect(bertToJson(Buffer.from([131, 107, 0, 2, 0, 1])).toString()).toBe('[0,1]')
  })
})

describe('what cannot be read is refused', () => {
  const lying = packedBert('a'.repeat(1000))
  lying.writeUInt32BE(10, 2)
  const vast = packedBert('a')
  vast.writeUInt32BE(0xffffffff, 2)
  test.each<[string, Buffer, RegExp]>([
    ['no version', Buffer.from('{}'), /131/],
    ['an early end', bert(['abc']).subarray(0, -3), /ends too early/],
    ['a length beyond the body', Buffer.from([131, 109, 255, 255, 255, 255, 1]), /ends too early/],
    ['a list longer than the body', Buffer.from([131, 108, 255, 255, 255, 255, 106]), /ends too early/],
    ['depth', bert(Array.from({ length: 200 }).reduce<Given>((inner) => [inner], [])), /deeper than 128/],
    ['a huge integer', Buffer.concat([Buffer.from([131, 111, 0, 1, 0, 0, 0]), Buffer.alloc(65_536)]), /over 64 bytes/],
    ['a process', Buffer.from([131, 103, 0]), /a process is no data/],
    ['an unknown tag', Buffer.from([131, 1]), /unknown tag 1/],
    ['more than one term', Buffer.concat([bert(1), bert(2)]), /follows/],
    ['a bomb that says so', vast, /over 100 MB/],
    ['a bomb that lies', lying, /not what it says/],
  ])('%s', (_, body, reason) => {
    expect(() => bertToJson(body)).toThrow(Fault)
    expect(() => bertToJson(body)).toThrow(reason)
  })
})
