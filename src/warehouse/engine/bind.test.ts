import { BIGINT, DuckDBInstance, LIST } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { bindValues } from './bind.ts'

test('values reach the engine as values, of their types', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const text = 'SELECT $p0 AS a, $p1 AS b, $p2 AS c, CAST($p3 AS TIMESTAMP) AS d, $p10 AS e'
  const { values, types } = bindValues({
    text,
    parameters: {
      p0: { type: 'BIGINT', value: '9007199254740993' },
      p1: { type: 'BOOLEAN', value: 'true' },
      p2: { type: 'VARCHAR', value: "'; DROP TABLE x; --" },
      p3: { type: 'VARCHAR', value: null },
      p10: { type: 'DOUBLE', value: '1.5' },
    },
  })
  const rows = (await connection.runAndReadAll(text, values, types)).getRows()
  expect(rows).toEqual([[9007199254740993n, true, "'; DROP TABLE x; --", null, 1.5]])
})

test('what the text does not name is not bound, lists are lists, and numbers fit', () => {
  const parameters = { p1: { type: 'BIGINT', value: ['1', null] }, p12: { type: 'VARCHAR', value: 'x' } } as const
  const bound = bindValues({
    text: 'SELECT $p1',
    parameters: { p1: { ...parameters.p1, value: ['1', null] }, p12: parameters.p12 },
  })
  expect(Object.keys(bound.values)).toEqual(['p1'])
  expect(bound.types.p1?.toString()).toBe(LIST(BIGINT).toString())
  const tooBig = { text: 'SELECT $p0', parameters: { p0: { type: 'BIGINT', value: '9223372036854775808' } } } as const
  expect(() => bindValues(tooBig)).toThrow('out of range')
})
