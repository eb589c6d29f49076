import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printJson } from './print.ts'
import { JsonReader, NameCache } from './read.ts'
import { BrokenJson, skipValue } from './skip.ts'

const readJson = (bytes: Buffer) => new JsonReader(bytes, 100, new NameCache()).read(0)

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"\\u12"',
  '"\\ud800"',
  '1',
  '-',
  '0',
  '1.5e3',
  '01',
  '.5',
  'true',
  'nul',
  ' ',
  '\n',
]

test('skipping agrees with JSON.parse on what is JSON', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((p) => p.join('')),
      ),
      (text) => {
        const bytes = Buffer.from(text)
        expect(isSkipped(bytes), text).toBe(isParsed(text))
      },
    ),
    { numRuns: 3000 },
  )
})

function isSkipped(bytes: Buffer): boolean {
  try {
    return bytes.toString('utf8', skipValue(bytes, 0)).trim() === ''
  } catch (error) {
    if (error instanceof BrokenJson) return false
    throw error
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('what is read prints as the same JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(printJson(readJson(Buffer.from(text))))).toEqual(JSON.parse(text))
    }),
  )
})

test.each(['{"a":1,"a":1.0,"b":9223372036854775807}', '{"__proto__":{"constructor":1}}', '[1e999,-0,0.10]'])(
  'digits, order and duplicates are kept: %s',
  (text) => {
    expect(printJson(readJson(Buffer.from(text)))).toBe(text)
  },
)

test('lone surrogates become replacement characters', () => {
  expect(printJson(readJson(Buffer.from('"a\\ud800b"')))).toBe('"a\ufffdb"')
})
