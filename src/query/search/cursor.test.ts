import { expect, test } from 'vitest'
import { printCursor, readCursor } from './cursor.ts'

test.each(['1763193600000000:a', '1763193600000000*3:a', '7:id:with*odd\n"parts"', '0:ü'])(
  'a place is read back as it was printed: %j',
  (text) => expect(printCursor(readCursor(text))).toBe(text),
)

test('a time alone is the start of that instant', () => {
  expect(readCursor('1763193600000000')).toEqual({ us: 1763193600000000, id: '', seen: 0 })
})

test.each(['', 'x', ':a', '-1:a', '1.5:a', '12345678901234567:a', '1*:a', '5:', `5:${'x'.repeat(1025)}`])(
  'what is no place is refused: %j',
  (text) => expect(() => readCursor(text)).toThrow('no place in a search'),
)
