import { expect, test } from 'vitest'
import type { FlatFields } from '../../model/fields.ts'
import { type Column, columnsOf, floated, printType, STANDARD, widened } from './columns.ts'
import { encode } from './encode.ts'

const event = (more: object) => ({ id: 'a', timestamp: 1_700_000_000_000_001, event_message: null, ...more })
const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
  ...{ name, type, mode: 'NULLABLE' },
  ...more,
})
const rowOf = (more: object, columns: Column[]) => encode([event(more)], columns)[0]!

test('columns are what the source knows, and what events have besides', () => {
  const fields: FlatFields = { n: 'integer', metadata: 'object', 'metadata.tags': 'string[]', empty: 'object' }
  expect(columnsOf([event({ later: 1.5, metadata: { deep: { ok: true } }, list: [{ a: 1n }] })], fields)).toEqual([
    column('n', 'INTEGER'),
    column('metadata', 'RECORD', {
      fields: [
        column('tags', 'STRING', { mode: 'REPEATED' }),
        column('deep', 'RECORD', { fields: [column('ok', 'BOOLEAN')] }),
      ],
    }),
    column('later', 'FLOAT'),
    column('list', 'RECORD', { mode: 'REPEATED', fields: [column('a', 'INTEGER')] }),
  ])
})

test('names that differ in case alone share a column, and what is left over is kept beside', () => {
  const columns = columnsOf([], { userId: 'integer', userid: 'string' })
  expect(columns).toEqual([column('userId', 'INTEGER')])
  expect(rowOf({ userid: 7 }, columns).json).toMatchObject({ userId: 7 })
  expect(rowOf({ userId: 7, userid: 'x' }, columns).json).toMatchObject({ userId: 7, _rest: '{"userid":"x"}' })
})

test('objects deeper than BigQuery goes are text', () => {
  const deep = (levels: number): object => (levels === 0 ? { n: 1 } : { o: deep(levels - 1) })
  const columns = columnsOf([event(deep(20))], {})
  let [at] = columns
  for (let level = 1; level <= 15; level++) {
    expect(at?.type).toBe('RECORD')
    at = at?.fields?.[0]
  }
  expect(at).toEqual(column('o', 'STRING'))
  expect(JSON.stringify(rowOf(deep(20), columns).json)).toContain('\\"n\\":1')
})

test('a table is widened by what is new, up to the most columns, and never narrowed', () => {
  const has = [...STANDARD, column('m', 'RECORD', { fields: [column('a', 'STRING')] })]
  const wants = [column('m', 'RECORD', { fields: [column('b', 'STRING')] }), column('c', 'STRING')]
  expect(widened(has, wants)).toEqual([
    ...STANDARD,
    column('m', 'RECORD', { fields: [column('a', 'STRING'), column('b', 'STRING')] }),
    column('c', 'STRING'),
  ])
  expect(widened(has, [column('m', 'STRING')])).toBeNull()
  const [, , , , full, ...none] = widened(has, wants, 7) ?? []
  expect([full?.fields?.length, none]).toEqual([2, []])
  expect(rowOf({ c: 'kept' }, [...has]).json).toMatchObject({ _rest: '{"c":"kept"}' })
})

test('integers become floats wherever they are', () => {
  const has = [column('m', 'RECORD', { mode: 'REPEATED', fields: [column('a', 'INTEGER'), column('b', 'STRING')] })]
  const wants = [column('m', 'RECORD', { mode: 'REPEATED', fields: [column('a', 'FLOAT')] })]
  const [changed] = floated(has, wants)
  expect(changed && printType(changed)).toBe('ARRAY<STRUCT<`a` FLOAT64, `b` STRING>>')
  expect(floated(has, has)).toEqual([])
})

test('values that a column cannot hold are kept beside, and digits are kept', () => {
  const columns = [column('n', 'INTEGER'), column('f', 'FLOAT'), column('l', 'INTEGER', { mode: 'REPEATED' })]
  expect(rowOf({ n: 2n ** 63n - 1n, f: 3, l: [1] }, columns).json).toMatchObject({
    ...{ n: '9223372036854775807', f: 3, l: [1], timestamp: '2023-11-14T22:13:20.000001Z' },
  })
  expect(rowOf({ n: 1.5, l: ['x'] }, columns).json).toMatchObject({ _rest: '{"n":1.5,"l":["x"]}' })
})

test('an id that is too long for BigQuery is told apart by its hash', () => {
  const long = 'x'.repeat(200)
  const [row] = encode([{ ...event({}), id: long }], [])
  expect([row?.insertId.length, row?.json.id]).toEqual([64, long])
})
