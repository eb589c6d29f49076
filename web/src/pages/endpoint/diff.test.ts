import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from './diff.ts'

const MARKS = { same: ' ', gone: '-', new: '+' }
const shape = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ kind, text }) => MARKS[kind] + text)

test('only what changed is told', () => {
  expect(shape('select a\nfrom t\nlimit 1', 'select a, b\nfrom t\nlimit 1')).toEqual([
    '-select a',
    '+select a, b',
    ' from t',
    ' limit 1',
  ])
})

test('a line that came in between moves no other', () => {
  expect(shape('a\nb\nc', 'a\nx\nb\nc')).toEqual([' a', '+x', ' b', ' c'])
})

test('both texts can be read from the lines', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after)
      const without = (kind: string): string =>
        lines
          .filter((line) => line.kind !== kind)
          .map((line) => line.text)
          .join('\n')
      expect([without('new'), without('gone')]).toEqual([before, after])
    }),
  )
})
