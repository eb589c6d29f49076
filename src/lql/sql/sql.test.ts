import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlatFields } from '../../model/fields.ts'
import { parse } from '../parse.ts'
import { type DialectName, toSql } from '../to-sql.ts'

const FIELDS: FlatFields = {
  metadata: 'object',
  'metadata.ms': 'integer',
  'metadata.user': 'string',
  'metadata.Lines': 'object[]',
  'metadata.Lines.sku': 'string',
  'metadata.tags': 'string[]',
}

const engine = await DuckDBInstance.create(':memory:')
const connection = await engine.connect()
afterAll(() => connection.closeSync())

beforeAll(async () => {
  await connection.run("SET TimeZone = 'Asia/Kathmandu'")
  await connection.run(`CREATE TABLE events AS SELECT * FROM (VALUES
    ('a', TIMESTAMP '2025-03-09 23:30:00', 'one', {'ms': 10, 'user': 'u1', 'Lines': [{'sku': 'x'}, {'sku': 'y'}], 'tags': ['t']}),
    ('b', TIMESTAMP '2025-03-10 00:00:00', 'two', {'ms': 30, 'user': 'u2', 'Lines': NULL, 'tags': NULL}),
    ('c', TIMESTAMP '2025-03-10 00:10:00', 'three', {'ms': 20, 'user': 'u2', 'Lines': NULL, 'tags': []}),
    ('d', TIMESTAMP '2025-03-31 12:00:00', 'four', NULL)) AS t(id, "timestamp", event_message, metadata)`)
})

const sqlOf = (lql: string, dialect: DialectName = 'duckdb', values: 'bind' | 'inline' = 'bind') =>
  toSql(parse(lql), { dialect, fields: FIELDS, nowMs: 0, values })

async function chart(lql: string): Promise<string[]> {
  const { chart: columns, where, params } = sqlOf(lql)
  const result = await connection.runAndReadAll(
    `SELECT strftime(${columns!.bucket}, '%m-%dT%H:%M') AS bucket, CAST(${columns!.value} AS DOUBLE) FROM events WHERE ${where} GROUP BY 1 ORDER BY 1`,
    params,
  )
  return result.getRows().map((row) => row.join(' '))
}

test.each([
  [
    'counts by the UTC day whatever the zone of the connection',
    'c:group_by(t::day)',
    ['03-09T00:00 1', '03-10T00:00 2', '03-31T00:00 1'],
  ],
  ['starts weeks on Monday', 'c:group_by(t::week)', ['03-03T00:00 1', '03-10T00:00 2', '03-31T00:00 1']],
  ['counts events that have the field', 'c:count(m.tags) c:group_by(t::month)', ['03-01T00:00 1']],
  ['counts distinct values', 'c:countd(m.user) c:group_by(t::month)', ['03-01T00:00 2']],
  ['leaves out events without the field', 'c:avg(m.ms) c:group_by(t::month)', ['03-01T00:00 20']],
  ['takes the middle value', 'c:p50(m.ms) c:group_by(t::month)', ['03-01T00:00 20']],
  ['applies the filters', 'c:max(m.ms) c:group_by(t::month) -two', ['03-01T00:00 20']],
])('a chart %s', async (_, lql, expected) => expect(await chart(lql)).toEqual(expected))

test('select gives each path once, under its alias, through lists as a list, and NULL for what no event has', async () => {
  const { select } = sqlOf('s:m.user@who s:m.user s:m.lines.sku s:nothing')
  const result = await connection.runAndReadAll(
    `SELECT ${select!.map(({ sql, name }) => `${sql} AS "${name}"`).join(', ')} FROM events WHERE id = 'a'`,
  )
  expect(result.getRowObjectsJson()).toEqual([{ who: 'u1', metadata_lines_sku: ['x', 'y'], nothing: null }])
  expect(sqlOf('s:* s:m.user').select).toBeNull()
})

test.each<[DialectName, string, string]>([
  [
    'duckdb',
    '^a',
    `(regexp_matches("event_message", $1) AND (contains("event_message", $2)) IS NOT TRUE AND struct_extract("metadata", 'ms') >= CAST($3 AS BIGINT))`,
  ],
  [
    'postgres',
    '^a',
    `("event_message" ~ $1::text AND (strpos("event_message", $2::text) > 0) IS NOT TRUE AND (((body -> 'metadata') -> 'ms') #>> '{}')::bigint >= CAST($3::text AS bigint))`,
  ],
  [
    'clickhouse',
    '(?-s)^a',
    "(match(`event_message`, {p1:String}) AND NOT ifNull(position(`event_message`, {p2:String}) > 0, false) AND CAST(`metadata`.`ms`, 'Nullable(Int64)') >= toInt64({p3:String}))",
  ],
  [
    'bigquery',
    '^a',
    '(REGEXP_CONTAINS(`event_message`, @p1) AND (STRPOS(`event_message`, @p2) > 0) IS NOT TRUE AND `metadata`.`ms` >= CAST(@p3 AS INT64))',
  ],
])('values are bound, never written into the text: %s', (dialect, pattern, where) =>
  expect(sqlOf(`~^a -"it's" m.ms:>=5`, dialect)).toMatchObject({ where, params: [pattern, "it's", '5'] }),
)

test.each<[DialectName, string]>([
  ['duckdb', `contains("event_message", 'it''s \\ x')`],
  ['postgres', `strpos("event_message", 'it''s \\ x') > 0`],
  ['clickhouse', "position(`event_message`, 'it\\'s \\\\ x') > 0"],
  ['bigquery', "STRPOS(`event_message`, 'it\\'s \\\\ x') > 0"],
])('inlined text cannot end its literal: %s', (dialect, where) =>
  expect(sqlOf(`"it's \\\\ x"`, dialect, 'inline')).toMatchObject({ where, params: [] }),
)

test('a character with code 0 does not end a query for ClickHouse', () =>
  expect(sqlOf('"a\0b"', 'clickhouse', 'inline').where).toContain("'a\\0b'"))
