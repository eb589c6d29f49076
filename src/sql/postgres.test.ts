/** Warehouse SQL as PostgreSQL runs it: each function's sample, and what is refused. */
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { createReaders } from '../backends/postgres/values.ts'
import { ROUTINES } from './dialects/postgres/routines.ts'
import { createSql, describeError, type Prepared, withTables } from './sql.ts'

const sql = createSql()

function prepare(text: string, parameters: Record<string, unknown> = {}): Prepared {
  return sql.prepare({
    ...{ sql: text, dialect: 'postgres', parameters, requireTimestamp: false, nowUs: 0 },
    resolve: (name) => name,
    fields: () => ({ level: 'string', status: 'integer', tags: 'string[]' }),
  })
}

let postgres: Postgres
let client: Client
beforeAll(async () => {
  if (!hasPostgres()) return
  postgres = await startPostgres()
  client = new Client({ connectionString: await postgres.createDatabase(), types: createReaders() })
  await client.connect()
  await client.query("SET TimeZone = 'UTC'; SET search_path = ''")
  await client.query(ROUTINES.join(';\n'))
}, 60_000)
afterAll(async () => {
  await client?.end()
  await postgres?.stop()
})

const SAMPLES: Record<string, [expression: string, expected: unknown]> = JSON.parse(
  readFileSync(new URL('./functions/samples.json', import.meta.url), 'utf8'),
)

/** Times are microseconds in answers, which the samples write out. */
function likeSample(value: unknown, expected: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(expected)) return value.map((each, i) => likeSample(each, expected[i]))
  if (typeof value === 'number' && typeof expected === 'string' && /^\d{4}-\d\d-\d\d /.test(expected)) {
    const text = new Date(value / 1000).toISOString().replace('T', ' ').replace('Z', '')
    return `${text}${String(value % 1000).padStart(3, '0')}`.replace(/\.?0+$/, '')
  }
  return typeof value === 'string' && typeof expected === 'number' ? Number(value) : value
}

const ROWS = 'with v as (select x, 4 - x as y from unnest([1, 2, 3]) as x) '

function sampleText(expression: string): string {
  const readsRows = /\b[xy]\b/.test(expression.replace(/'[^']*'/g, '')) || expression === 'count(*)'
  const text = expression.includes(' from ') ? expression : `${expression} as r${readsRows ? ' from v' : ''}`
  return `${ROWS}select ${text}`
}

const isAvailable = ([, [expression]]: [string, [string, unknown]]): boolean => {
  try {
    prepare(sampleText(expression))
    return true
  } catch (error) {
    expect(String(error)).toMatch(/is not available on PostgreSQL \(line 1, column \d+\)/)
    return false
  }
}

describe('functions', () => {
  const available = Object.entries(SAMPLES).filter(isAvailable)

  test('the reference names those that are not available', () => {
    const reference = readFileSync(new URL('../../docs/reference/sql.md', import.meta.url), 'utf8')
    const [, table = ''] = /## Functions([\s\S]*?)\n## /.exec(reference) ?? []
    const listed = table.split('\n').flatMap((line) => [...(line.split('|')[3] ?? '').matchAll(/`([^`]+)`/g)])
    const missing = Object.keys(SAMPLES).filter((name) => !available.some(([each]) => each === name))
    expect(listed.map(([, name]) => name).sort()).toEqual(missing.sort())
  })

  test.skipIf(!hasPostgres()).each(available)('%s', async (_, [expression, expected]) => {
    const { rows } = await client.query(prepare(sampleText(expression)).text)
    const [value] = Object.values(rows[0])
    expect(likeSample(value, expected)).toEqual(
      typeof expected === 'number' && !Number.isInteger(expected) ? expect.closeTo(expected, 9) : expected,
    )
  })
})

test.each([
  ["select sha1('a') as x", 'SHA1 is not available on PostgreSQL (line 1, column 8)'],
  ["select 1 as a,\n  safe.substr('x', 1) as x", 'SAFE.SUBSTR is not available on PostgreSQL (line 2, column 3)'],
  ['select lag(level ignore nulls) over (order by id) as x from web', 'LAG with IGNORE NULLS is not available'],
  [
    'select approx_quantiles(status, 4) over () as x from web',
    'APPROX_QUANTILES with OVER or DISTINCT is not available',
  ],
  ["select regexp_contains(level, r'\\pL') as x from web", '\\p in a regular expression is not available'],
  ["select regexp_contains(level, '(?U)a') as x from web", 'this flag of a regular expression is not available'],
  ["select regexp_extract(level, 'a+?b+') as x from web", 'with both lazy and greedy repeats is not available'],
  ["select format('%e', 1.5) as x", '%e of FORMAT is not available'],
  ['select format_timestamp(level, timestamp) as x from web', 'a format that is no text literal is not available'],
  ['select json_value(level, level) as x from web', 'a JSON path that is no text literal is not available'],
  [`select 1 as ${'long_'.repeat(13)}`, 'the name of a column has 63 bytes at most on PostgreSQL'],
])('refused by name and place: %s', (text, message) => expect(() => prepare(text)).toThrow(message))

test.skipIf(!hasPostgres()).each([
  [
    "select cast(x as int64) as n from unnest(['n/a']) x",
    'cannot read "n/a" as INT64: use SAFE_CAST to get NULL instead',
  ],
  ["select timestamp(x) as n from unnest(['2025-13-45']) x", 'the time "2025-13-45" is out of range'],
  ["select x = 5 as n from unnest(['a']) x", 'cannot compare STRING with INT64: add a CAST'],
  ["select x * 5 as n from unnest(['a']) x", '* does not take (STRING, INT64)'],
  ['select upper(x) as n from unnest([5]) x', 'a STRING is needed, not INT64'],
  ['select starts_with(x, x) as n from unnest([5]) x', 'STARTS_WITH does not take (INT64, INT64)'],
  ['select x + 1 as n from unnest([9223372036854775807]) x', 'a number is out of range'],
  ['select x, count(*) as n from unnest([5]) x join unnest([6]) y group by y', /must be in GROUP BY/],
  [
    "select parse_timestamp('%F %T', x) as n from unnest(['2025-03-03']) x",
    'cannot read "2025-03-03" by the format %F %T',
  ],
  ['select [1, 2][offset(7)] as n', 'array index 7 is out of bounds'],
  ["select regexp_contains(x, '[') as n from unnest(['a']) x", /^the regular expression is not valid/],
  ["select datetime(timestamp '2025-03-03', x) as n from unnest(['Moon/Base']) x", 'unknown time zone Moon/Base'],
])('a failure in words: %s', async (text, expected) => {
  const error: Error = await client.query(prepare(text).text).catch((failure) => failure)
  const { message } = describeError(error.message)
  if (typeof expected === 'string') expect(message).toBe(expected)
  else expect(message).toMatch(expected)
})

describe('the text', () => {
  test('leaves the tables to the caller, with the columns it needs and what the caller asks of them', () => {
    const prepared = prepare('with x as (select status from web) select count(*) as n from x where status > @least')
    expect(withTables(prepared, ({ token, table }) => `(SELECT * FROM "logs"."${token}_${table}" WHERE kept)`)).toBe(
      'WITH source_0 AS (SELECT CAST(e.body ->> \'status\' AS bigint) AS "status" FROM (SELECT * FROM "logs"."web_source_0" WHERE kept) AS e), ' +
        'cte_0 AS (SELECT t0."status" AS "status" FROM source_0 AS t0) ' +
        'SELECT count(*) AS "n" FROM cte_0 AS t1 WHERE (t1."status" > CAST($1 AS bigint))',
    )
  })
  test.each([
    ['select id from web order by timestamp desc, id', 'ORDER BY t0."timestamp" DESC, 1 ASC'],
    [
      'select a.id from web a left join web b on a.id = b.id order by b.timestamp',
      'ORDER BY t1."timestamp" ASC NULLS FIRST',
    ],
    ['select level from web order by level desc', 'ORDER BY 1 DESC NULLS LAST'],
  ])('leaves the order of what is never NULL to an index: %s', (text, order) =>
    expect(prepare(text).text).toContain(order),
  )
  test('has no values of parameters, and numbers their places in the order of the list', () => {
    const { text, parameters } = prepare('select @b as b, @a + 1 as a, @b as c', { a: "'", b: 'true' })
    expect(parameters.map(({ name, type }) => [name, type])).toEqual([
      ['b', null],
      ['a', 'int64'],
    ])
    expect(text).toContain('CAST($1 AS boolean) AS "b"')
    expect(text).toContain('CAST($2 AS bigint) + CAST(1 AS bigint)')
  })
  test('of a kept translation follows the looks of the values', () => {
    expect(prepare('select @v as v', { v: '5' }).text).toBe('SELECT CAST($1 AS bigint) AS "v"')
    expect(prepare('select @v as v', { v: 'x' }).text).toBe('SELECT CAST($1 AS text) AS "v"')
  })
})
