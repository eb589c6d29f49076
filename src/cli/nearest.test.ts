import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const words = ['serve', 'search', 'sources', 'send', 'backup', 'query']

test.each([
  ['serch', 'search'],
  ['quer', 'query'],
  ['bakcup', 'backup'],
  ['source', 'sources'],
  ['frobnicate', null],
])('for %s the word meant is %s', (word, expected) => expect(nearest(word, words)).toBe(expected))
