import { expect, test } from 'vitest'
import { readFile } from './read-file.ts'

const two = {
  entries: [
    { key: 'a', value: { n: 1 } },
    { key: 'b', value: { n: 2 } },
  ],
}

test.each([
  ['a list', 'x.json', '[{"key":"a","value":{"n":1}},{"key":"b","value":{"n":2}}]'],
  ['an object from key to value', 'x.json', '{"a":{"n":1},"b":{"n":2}}'],
  ['lines', 'x.ndjson', '{"key":"a","value":{"n":1}}\n\n{"key":"b","value":{"n":2}}\n'],
  ['lines in a file that says JSON', 'x.json', '{"key":"a","value":{"n":1}}\n{"key":"b","value":{"n":2}}'],
  ['a byte order mark', 'x.json', '\uFEFF{"a":{"n":1},"b":{"n":2}}'],
  ['CSV with whole values', 'x.csv', 'key,value\r\na,"{""n"":1}"\r\nb,"{""n"":2}"\r\n'],
])('reads %s', (_, name, text) => expect(readFile(name, text)).toEqual(two))

test('each column of a CSV file is a field of the value; an empty cell is no field', () => {
  expect(readFile('x.csv', 'org;key;tier\n"Acme; Inc";u1;gold\nBeta;u2;\n')).toEqual({
    entries: [
      { key: 'u1', value: { org: 'Acme; Inc', tier: 'gold' } },
      { key: 'u2', value: { org: 'Beta' } },
    ],
  })
  expect(readFile('x.csv', 'key,note\nk,"two\nlines"')).toEqual({
    entries: [{ key: 'k', value: { note: 'two\nlines' } }],
  })
})

test.each([
  ['x.json', '', 'The file is empty.'],
  ['x.json', '[]', 'The file holds no entries.'],
  ['x.json', '[{"key":"a","value":{"n":1}},{"key":"","value":{"n":1}}]', 'Entry 2 has no key.'],
  ['x.json', '{"a":5}', 'Key a: the value must be an object with a field.'],
  ['x.json', '[1]', 'Entry 1 is no object with key and value.'],
  ['x.ndjson', '{"key":"a","value":{"n":1}}\n{oops', expect.stringMatching(/^Line 2 is no JSON/)],
  ['x.csv', 'name,org\na,b', 'The first line must name the columns, and one of them must be key.'],
  ['x.csv', 'key,value\na,nope', expect.stringMatching(/^Row 2: value is no JSON/)],
])('%s %j is refused with its place', (name, text, problem) =>
  expect(readFile(name, text)).toEqual({ problems: [problem] }),
)

test('of many problems the first are told and the rest counted', () => {
  const read = readFile('x.json', JSON.stringify(Array.from({ length: 9 }, () => 1)))
  expect(read).toEqual({
    problems: [...Array(5).keys()].map((n) => `Entry ${n + 1} is no object with key and value.`).concat('And 4 more.'),
  })
})
