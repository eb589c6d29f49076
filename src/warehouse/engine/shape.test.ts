import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { createShaper, type Shape } from './shape.ts'

async function shaped(sql: string, shape: Shape = 'row'): Promise<string> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  const result = await connection.stream(sql)
  const chunk = await result.fetchChunk()
  return createShaper(result, shape)(chunk!, 0)
}

test.each([
  [
    'an instant is integer microseconds',
    "SELECT timestamptz '2025-03-09 14:22:07.5+00' AS t",
    '{"t":1741530127500000}',
  ],
  [
    'so is one without a zone: all instants are UTC',
    "SELECT timestamp '2025-03-09 14:22:07' AS t",
    '{"t":1741530127000000}',
  ],
  ['a date is text', "SELECT date '2025-03-09' AS d", '{"d":"2025-03-09"}'],
  [
    'small integers are numbers, large ones strings',
    'SELECT 41::BIGINT AS a, 9007199254740993 AS b',
    '{"a":41,"b":"9007199254740993"}',
  ],
  ['sums are numbers', 'SELECT sum(x) AS s FROM range(4) t(x)', '{"s":6}'],
  ['decimals lose trailing zeros', 'SELECT 1.50::DECIMAL(10,2) AS d', '{"d":1.5}'],
  ['not-a-number is text', "SELECT 'nan'::DOUBLE AS a, 'inf'::DOUBLE AS b", '{"a":"NaN","b":"Infinity"}'],
  ['nested values are JSON', "SELECT {'a': [1, 2], 'b': {'c': NULL}} AS n", '{"n":{"a":[1,2],"b":{"c":null}}}'],
  ['JSON stays JSON', `SELECT '{"k":[1]}'::JSON AS j`, '{"j":{"k":[1]}}'],
  [
    'a prototype name is a name',
    `SELECT {'__proto__': 1, 'constructor': 2} AS n`,
    '{"n":{"__proto__":1,"constructor":2}}',
  ],
  ['bytes are base64', `SELECT 'hi'::BLOB AS b`, '{"b":"aGk="}'],
])('row: %s', async (_, sql, expected) => expect(await shaped(sql)).toBe(expected))

test('event: only what the event holds, and always event_message', async () => {
  const sql = `SELECT 'x' AS id, NULL AS event_message, NULL::INT AS gone, {'a': NULL, 'b': {'c': NULL}} AS empty, {'a': 1, 'b': NULL} AS some`
  expect(await shaped(sql, 'event')).toBe('{"id":"x","event_message":null,"some":{"a":1}}')
})
