import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseFormat, createEncode } from './formats.ts'
import { rowTexts } from './rows.ts'

test.each([
  [undefined, undefined, 'json'],
  [undefined, '*/*', 'json'],
  [undefined, 'application/json, text/plain, */*', 'json'],
  [undefined, 'text/csv;q=0.9', 'csv'],
  [undefined, 'text/html, application/x-ndjson', 'ndjson'],
  [undefined, 'text/html', 'json'],
  [undefined, 'application/vnd.apache.parquet', 'parquet'],
  ['csv', 'application/json', 'csv'],
  ['', 'text/csv', 'csv'],
])('format %s with Accept %s is %s', (name, accept, expected) => expect(chooseFormat(name, accept)).toBe(expected))

test('an unknown format is refused by name', () => expect(() => chooseFormat('xml', undefined)).toThrow('ndjson'))

test('rows are cut out of the list without a change', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (rows) => {
      expect(rowTexts(JSON.stringify(rows))).toEqual(rows.map((row) => JSON.stringify(row)))
    }),
  )
})

const encode = createEncode({ parquet: async () => Buffer.from('PAR1') })
const columns = ['a', 'b', 'c'].map((name) => ({ name, type: 'VARCHAR' }))

test('csv quotes what needs it, tells NULL from an empty text, and writes nested values as JSON', async () => {
  const json = Buffer.from('[{"a":"x,\\"y\\"\\n","b":null,"c":{"n":[1]}},{"a":"","b":true,"c":1.5}]')
  expect((await encode({ json, columns }, 'csv')).toString()).toBe(
    'a,b,c\r\n"x,""y""\n",,"{""n"":[1]}"\r\n"",true,1.5\r\n',
  )
  expect((await encode({ json: Buffer.from('[]'), columns }, 'csv')).toString()).toBe('a,b,c\r\n')
})

test('ndjson has a line per row', async () => {
  const json = Buffer.from('[{"a":9007199254740993},{"a":"}{"}]')
  expect((await encode({ json, columns }, 'ndjson')).toString()).toBe('{"a":9007199254740993}\n{"a":"}{"}\n')
})
