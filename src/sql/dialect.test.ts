import { readFileSync } from 'node:fs'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FlatFields } from '../model/fields.ts'
import { functionNames } from './functions/functions.ts'
import { checkFinal, createSql, MACRO_STATEMENTS, type Prepared, parse } from './sql.ts'

const FIELDS: Record<string, FlatFields> = {
  'tok-web': {
    level: 'string',
    status: 'integer',
    ms: 'float',
    ok: 'boolean',
    tags: 'string[]',
    metadata: 'object',
    'metadata.user': 'string',
    'metadata.request': 'object',
    'metadata.request.path': 'string',
    'metadata.items': 'object[]',
    'metadata.items.sku': 'string',
  },
  'tok-builds': { metadata: 'object[]', 'metadata.step': 'string' },
}
const TOKENS: Record<string, string> = { web: 'tok-web', 'eu.web-1': 'tok-web', builds: 'tok-builds' }

const WEB = `SELECT * FROM (VALUES
  ('a', TIMESTAMP '2025-03-03 08:00:00', 'GET /cart 200', 'info', 200, 10.5e0, true, ['x', 'y'],
    {'user': 'ines', 'request': {'path': '/cart'}, 'items': [{'sku': 'A-1'}, {'sku': 'B-2'}]}),
  ('b', TIMESTAMP '2025-03-03 08:00:30.25', 'POST /pay 503', 'error', 503, 900.25e0, false, ['x'],
    {'user': 'omar', 'request': {'path': '/pay'}, 'items': []}),
  ('c', TIMESTAMP '2025-03-04 09:30:00', 'GET /cart 500', 'error', 500, 99e0, false, NULL, NULL)
) AS v(id, timestamp, event_message, level, status, ms, ok, tags, metadata)`
const BUILDS = `SELECT * FROM (VALUES
  ('k1', TIMESTAMP '2025-03-08 06:00:00', 'two', [{'step': 'build'}, {'step': 'test'}]),
  ('k2', TIMESTAMP '2025-03-08 06:10:00', 'none', NULL)
) AS v(id, timestamp, event_message, metadata)`

const SINCE = "timestamp >= timestamp '2025-03-01 00:00:00+00'"
const NOW_US = Date.UTC(2025, 2, 4, 12) * 1000

let connection: DuckDBConnection
let instance: DuckDBInstance
const sql = createSql()

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  for (const statement of MACRO_STATEMENTS) await connection.run(statement)
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

function prepare(text: string, parameters: Record<string, unknown> = {}, requireTimestamp = true): Prepared {
  return sql.prepare({
    sql: text,
    resolve: (name) => TOKENS[name],
    fields: (token) => FIELDS[token] ?? {},
    requireTimestamp,
    nowUs: NOW_US,
    parameters,
  })
}

/** Runs as the engine process does: second fence first, then with the sources in front. */
async function run(
  text: string,
  parameters: Record<string, string | number | boolean | null> = {},
): Promise<unknown[][]> {
  const prepared = prepare(text, parameters)
  const serialized = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [prepared.text])
  const tree: unknown = JSON.parse(String(serialized.getRowsJson()[0]![0]))
  checkFinal(
    tree,
    prepared.sources.map((source) => source.table),
  )
  const relations = prepared.sources.map(
    ({ table, token }) => `${table} AS NOT MATERIALIZED (${token === 'tok-web' ? WEB : BUILDS})`,
  )
  const statement = await connection.prepare(withRelations(prepared.text, relations))
  if (prepared.parameters.length > 0) {
    statement.bind(
      Object.fromEntries(prepared.parameters.map(({ name, placeholder }) => [placeholder, parameters[name] ?? null])),
    )
  }
  return (await statement.runAndReadAll()).getRowsJson().map((row) => row.map(plain))
}

function withRelations(text: string, relations: string[]): string {
  if (relations.length === 0) return text
  const head = /^WITH (RECURSIVE )?/.exec(text)
  const list = relations.join(', ')
  return head ? `${head[0]}${list}, ${text.slice(head[0].length)}` : `WITH ${list} ${text}`
}

/** 64-bit integers come as text from the client. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  return typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

describe('log queries', () => {
  test.each([
    [
      'count by level',
      `select level, count(*) as n from web where ${SINCE} group by level order by n desc`,
      [
        ['error', 2],
        ['info', 1],
      ],
    ],
    ['newest first', `select id from web where ${SINCE} order by timestamp desc limit 2`, [['c'], ['b']]],
    ['a number is compared', `select id from web where ${SINCE} and status >= 500 order by id`, [['b'], ['c']]],
    ['LIKE', `select id from web where ${SINCE} and event_message like '%/cart%' order by id`, [['a'], ['c']]],
    [
      'a regular expression matches a part',
      `select id from web where ${SINCE} and regexp_contains(event_message, r'5\\d\\d$') order by id`,
      [['b'], ['c']],
    ],
    [
      'a histogram groups by the alias, not by the field of that name',
      `select timestamp_trunc(t.timestamp, day) as timestamp, count(*) as n from web t where t.${SINCE} group by timestamp order by timestamp`,
      [
        ['2025-03-03 00:00:00', 2],
        ['2025-03-04 00:00:00', 1],
      ],
    ],
    [
      'an aggregate named like a field groups by the field',
      `select max(status) as level, count(*) as n from web where ${SINCE} group by level order by 1`,
      [
        [200, 1],
        [503, 2],
      ],
    ],
    [
      'quantiles',
      `select approx_quantiles(status, 100)[offset(50)] as p50, approx_quantiles(status, 2) as q from web where ${SINCE}`,
      [[500, [200, 500, 503]]],
    ],
    [
      'percentile over a window',
      `select distinct percentile_cont(ms, 0.5) over () as p from web where ${SINCE}`,
      [[99]],
    ],
    [
      'nulls stand first when ascending',
      `select id, tags[safe_offset(1)] as t from web where ${SINCE} order by t, id`,
      [
        ['b', null],
        ['c', null],
        ['a', 'y'],
      ],
    ],
  ])('%s', async (_, text, expected) => expect(await run(text)).toEqual(expected))
})

describe('nested values', () => {
  test.each([
    ['a path reads an object', `select id from web t where t.${SINCE} and t.metadata.request.path = '/pay'`, [['b']]],
    [
      'UNNEST of an object is one row, none when it is absent',
      `select t.id, m.user from web t cross join unnest(t.metadata) as m where t.${SINCE} order by 1`,
      [
        ['a', 'ines'],
        ['b', 'omar'],
      ],
    ],
    [
      'LEFT JOIN UNNEST keeps the row',
      `select t.id, m.user from web t left join unnest(t.metadata) as m on true where t.${SINCE} order by 1`,
      [
        ['a', 'ines'],
        ['b', 'omar'],
        ['c', null],
      ],
    ],
    [
      'an alias may hide the field it opens',
      `select metadata.user from web cross join unnest(metadata) as metadata where ${SINCE} order by 1`,
      [['ines'], ['omar']],
    ],
    [
      'levels chain from object to list',
      `select i.sku from web t, unnest(t.metadata) m, unnest(m.items) i where t.${SINCE} order by 1`,
      [['A-1'], ['B-2']],
    ],
    [
      'UNNEST of a list',
      `select b.id, m.step from builds b cross join unnest(b.metadata) as m where b.${SINCE} order by 2`,
      [
        ['k1', 'build'],
        ['k1', 'test'],
      ],
    ],
    [
      'the type is known through WITH and brackets',
      `with x as (select id, metadata from (select * from web where ${SINCE})) select m.user from x cross join unnest(metadata) m order by 1`,
      [['ines'], ['omar']],
    ],
    [
      'WITH OFFSET counts from 0',
      `select tag, pos from web t, unnest(t.tags) as tag with offset pos where t.${SINCE} and t.id = 'a' order by pos`,
      [
        ['x', 0],
        ['y', 1],
      ],
    ],
    [
      'a list named after its table',
      `select tag from web t, t.tags as tag where t.${SINCE} order by 1`,
      [['x'], ['x'], ['y']],
    ],
    [
      'objects of one list share their field names',
      "select s.b from unnest([struct(1 as a, 'p' as b), struct(2, 'q')]) s order by 1",
      [['p'], ['q']],
    ],
  ])('%s', async (_, text, expected) => expect(await run(text)).toEqual(expected))
})

describe('names', () => {
  test.each(['eu.web-1', '`eu.web-1`', '`eu`.`web-1`'])(
    'a dotted or hyphenated source is found as %s',
    async (name) => {
      expect(await run(`select count(*) as n from ${name} where ${SINCE}`)).toEqual([[3]])
    },
  )
  test.each([
    ['a WITH query hides a source of the same name', `with web as (select 1 as one) select one from web`, [[1]]],
    [
      'a WITH query may read the source it is named after',
      `with web as (select id from web where ${SINCE}) select count(*) as n from web`,
      [[3]],
    ],
    [
      'our own names are free for callers',
      `with source_0 as (select id as t0 from web where ${SINCE}) select t0 from source_0 order by t0 limit 1`,
      [['a']],
    ],
    [
      'USING makes one column of two',
      `select id from (select 'a' as id) x join (select 'a' as id) y using (id)`,
      [['a']],
    ],
  ])('%s', async (_, text, expected) => expect(await run(text)).toEqual(expected))

  test('a WITH query that nothing reads is checked but not written', () => {
    const prepared = prepare(`with a as (select id from web where ${SINCE}), b as (select id from a) select 1 as one`)
    expect(prepared.text).toBe('SELECT CAST(1 AS BIGINT) AS "one"')
    expect(prepared.sources).toEqual([])
    expect(() => prepare('with a as (select id from nowhere) select 1')).toThrow("can't find source nowhere")
  })
})

describe('parameters', () => {
  test('take the type of what they are compared with and are never part of the text', async () => {
    const text = `select id from web where timestamp > @since and status = @status and level = @level`
    const prepared = prepare(text)
    expect(prepared.parameters.map(({ name, type }) => [name, type])).toEqual([
      ['since', 'string'],
      ['status', 'int64'],
      ['level', 'string'],
    ])
    expect(await run(text, { since: '2025-03-03T10:00:00+02:00', status: 503, level: 'error' })).toEqual([['b']])
    expect(await run(text, { since: '2025-03-03', status: 503, level: "' or 1=1 --" })).toEqual([])
  })
  test('a missing one is NULL', async () => {
    expect(await run(`select count(*) as n from web where ${SINCE} and (@level is null or level = @level)`)).toEqual([
      [3],
    ])
  })
})

/** One sample per function: what GoogleSQL gives for it. Those over several rows read x and y of v. */
const SAMPLES: Record<string, [expression: string, expected: unknown]> = JSON.parse(
  readFileSync(new URL('./functions/samples.json', import.meta.url), 'utf8'),
)

describe('functions', () => {
  const rows = 'with v as (select x, 4 - x as y from unnest([1, 2, 3]) as x) '
  test('every function has a sample', () => {
    expect(functionNames().filter((name) => !Object.hasOwn(SAMPLES, name))).toEqual([])
  })
  test('the reference lists exactly the functions there are', () => {
    const reference = readFileSync(new URL('../../docs/reference/sql.md', import.meta.url), 'utf8')
    const [, table = ''] = /## Functions([\s\S]*?)\n## /.exec(reference) ?? []
    const rows = table.split('\n').filter((line) => line.startsWith('| '))
    const listed = rows.flatMap((row) => [...row.split('|')[2]!.matchAll(/`([^`]+)`/g)].map((name) => name[1]))
    expect(listed.sort()).toEqual(functionNames())
  })
  test.each(Object.entries(SAMPLES))('%s', async (_, [expression, expected]) => {
    const readsRows = /\b[xy]\b/.test(expression.replace(/'[^']*'/g, '')) || expression === 'count(*)'
    const text = expression.includes(' from ') ? expression : `${expression} as r${readsRows ? ' from v' : ''}`
    const [row] = await run(`${rows}select ${text}`)
    expect(row?.[0]).toEqual(
      typeof expected === 'number' && !Number.isInteger(expected) ? expect.closeTo(expected, 9) : expected,
    )
  })
})

describe('operators and forms', () => {
  test.each([
    ['whole numbers have 64 bits', 'select 86400 * 1000000 as x', 86400000000],
    ['decimal literals are floating point', 'select 0.1 + 0.2 as x', 0.1 + 0.2],
    ['a literal may start or end with its dot', 'select .5 + 1. as x', 1.5],
    ['hexadecimal', 'select 0xff as x', 255],
    ['division gives a fraction', 'select 7 / 2 as x', 3.5],
    ['exclusive or', 'select 5 ^ 1 as x', 4],
    ['two minus signs are no comment', 'select 1 - -1 as x', 2],
    ['SAFE. gives NULL for a failing call', "select safe.parse_date('%Y', 'x') as x", null],
    ['a fraction is no whole number', "select safe_cast('2.5' as int64) as x", null],
    ['a float is written without a trailing zero', 'select cast(2.0 as string) as x', 2],
    [
      'an instant is written with its offset',
      "select cast(timestamp '2025-03-03 08:00:00+01' as string) as x",
      '2025-03-03 07:00:00+00',
    ],
    ['week of the year', "select extract(week from date '2025-03-09') as x", 10],
    ['ISO week', "select extract(isoweek from date '2025-03-09') as x", 10],
    ['IS NOT DISTINCT FROM', 'select null is not distinct from null as x', true],
    ['an escaped percent sign in LIKE', "select '100%' like '100\\\\%' as x", true],
    ['a list literal in IN UNNEST', 'select 2 in unnest([1, 2]) as x', true],
    ['a struct as a subquery value', 'select (select as struct 1 as a, 2 as b).b as x', 2],
    ['rollup', 'select count(*) as x from (select n from unnest([1, 2]) n group by rollup (n))', 3],
  ])('%s', async (_, text, expected) => expect(await run(text)).toEqual([[expected]]))
})

describe('time bounds', () => {
  const bounds = (where: string, parameters = {}) => {
    const { fromUs, toUs } = prepare(`select id from web where ${where}`, parameters).sources[0]!
    return [fromUs, toUs]
  }
  const us = (iso: string) => Date.parse(iso) * 1000
  test.each([
    [
      'literals',
      "timestamp >= '2025-03-01' and timestamp < timestamp '2025-03-02T00:00:00+01:00'",
      [us('2025-03-01'), us('2025-03-01T23:00:00Z')],
    ],
    ['between', "timestamp between '2025-03-01' and '2025-03-02'", [us('2025-03-01'), us('2025-03-02')]],
    ['turned around', "'2025-03-01' < timestamp", [us('2025-03-01'), null]],
    [
      'now minus an interval',
      'timestamp > timestamp_sub(current_timestamp(), interval 2 hour)',
      [NOW_US - 7.2e9, null],
    ],
    [
      'an upper bound of now leaves room',
      "timestamp <= current_timestamp and timestamp > '2025-03-01'",
      [us('2025-03-01'), NOW_US + 3.6e9],
    ],
    ['OR gives none', "(timestamp > '2025-03-01' or timestamp < '2020-01-01')", [null, null]],
    ['a function of the timestamp filters but gives none', "date(timestamp) = '2025-03-01'", [null, null]],
  ])('%s', (_, where, expected) => expect(bounds(where)).toEqual(expected))

  test('follow the values of parameters, also optional ones', () => {
    expect(bounds('timestamp > @since', { since: '2025-03-01' })).toEqual([us('2025-03-01'), null])
    const optional = `${SINCE} and case when coalesce(@end, '') = '' then true else cast(@end as timestamp) >= timestamp end`
    expect(bounds(optional, { end: '2025-03-02' })).toEqual([us('2025-03-01'), us('2025-03-02')])
    expect(bounds(optional, { end: '' })).toEqual([us('2025-03-01'), null])
  })

  test.each([
    'select id from web',
    'select id from web where status = 200',
    `select id from web where ${SINCE} or status = 1`,
    'select id from web where timestamp = timestamp',
    `select a.id from web a join web b on a.id = b.id where a.${SINCE}`,
    `select id from web where ${SINCE} and id in (select id from builds)`,
    'with x as (select id from web) select id from x',
    `select id from web where ${SINCE} union all select id from builds`,
    `select (select count(*) from builds) as n from web where ${SINCE}`,
    `select id from web o where o.${SINCE} and exists (select 1 from builds b where o.${SINCE})`,
  ])('a source left open is refused: %s', (text) => {
    expect(() => prepare(text)).toThrow(/filtered on timestamp in a WHERE clause: (web|builds)/)
    expect(() => prepare(text, {}, false)).not.toThrow()
  })
})

test('a translation is kept until the fields of its sources change', () => {
  const own = createSql()
  let fields: FlatFields = { level: 'string' }
  const request = {
    sql: 'select * from web',
    resolve: () => 'w',
    fields: () => fields,
    requireTimestamp: false,
    nowUs: NOW_US,
  }
  const first = own.prepare(request)
  expect(own.prepare(request).text).toBe(first.text)
  fields = { ...fields, status: 'integer' }
  expect(own.prepare(request).columns.map(({ name }) => name)).toEqual([
    'id',
    'timestamp',
    'event_message',
    'level',
    'status',
  ])
})

test('a parsed query can be prepared as well', () => {
  const tree = parse('select 1 as one')
  const request = { sql: tree, resolve: () => undefined, fields: () => ({}), requireTimestamp: true, nowUs: NOW_US }
  expect(sql.prepare(request).text).toBe('SELECT CAST(1 AS BIGINT) AS "one"')
})
