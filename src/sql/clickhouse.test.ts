/** Warehouse SQL as ClickHouse runs it: each function's sample, and what is refused. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clickhouse, hasClickhouse, STARTING_MS, startClickhouse } from '../../test/support/clickhouse.ts'
import { keepDigits, readValue } from '../backends/clickhouse/values.ts'
import { createSql, type Prepared, withTables } from './sql.ts'

const sql = createSql()

function prepare(text: string, parameters: Record<string, unknown> = {}): Prepared {
  return sql.prepare({
    ...{ sql: text, dialect: 'clickhouse', parameters, requireTimestamp: false, nowUs: 0 },
    resolve: (name) => name,
    fields: () => ({
      ...{ level: 'string', status: 'integer', tags: 'string[]', metadata: 'object', 'metadata.user': 'string' },
    }),
  })
}

const SAMPLES: Record<string, [expression: string, expected: unknown]> = JSON.parse(
  readFileSync(new URL('./functions/samples.json', import.meta.url), 'utf8'),
)
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
    expect(String(error)).toMatch(/is not available on ClickHouse \(line 1, column \d+\)/)
    return false
  }
}

/** Times are microseconds in answers, which the samples write out. */
function likeSample(value: unknown, expected: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(expected)) return value.map((each, i) => likeSample(each, expected[i]))
  if (typeof value === 'number' && typeof expected === 'string' && /^\d{4}-\d\d-\d\d /.test(expected)) {
    const text = new Date(value / 1000).toISOString().replace('T', ' ').replace('Z', '')
    return `${text}${String(value % 1000).padStart(3, '0')}`.replace(/\.?0+$/, '')
  }
  return typeof value === 'string' && typeof expected === 'number' ? Number(value) : value
}

describe('functions', () => {
  const available = Object.entries(SAMPLES).filter(isAvailable)
  let clickhouse: Clickhouse
  beforeAll(async () => {
    if (hasClickhouse()) clickhouse = await startClickhouse()
  }, STARTING_MS)
  afterAll(() => clickhouse?.stop())

  test('the reference names those that are not available', () => {
    const reference = readFileSync(new URL('../../docs/reference/sql.md', import.meta.url), 'utf8')
    const [, table = ''] = /## Functions([\s\S]*?)\n## /.exec(reference) ?? []
    const listed = table.split('\n').flatMap((line) => [...(line.split('|')[4] ?? '').matchAll(/`([^`]+)`/g)])
    const missing = Object.keys(SAMPLES).filter((name) => !available.some(([each]) => each === name))
    expect(listed.map(([, name]) => name).sort()).toEqual(missing.sort())
  })

  test.skipIf(!hasClickhouse()).each(available)(
    '%s',
    async (_, [expression, expected]) => {
      const answer = await clickhouse.ask(
        `${prepare(sampleText(expression)).text} SETTINGS output_format_json_quote_64bit_integers = 0, date_time_output_format = 'iso' FORMAT JSONCompact`,
      )
      const { meta, data } = JSON.parse(answer, keepDigits)
      expect(likeSample(readValue(data[0][0], meta[0].type), expected)).toEqual(
        typeof expected === 'number' && !Number.isInteger(expected) ? expect.closeTo(expected, 9) : expected,
      )
    },
    60_000,
  )
})

test.each([
  ['select typeof(1) as x', 'TYPEOF is not available on ClickHouse (line 1, column 8)'],
  ["select 1 as a,\n  safe.upper('x') as x", 'SAFE.UPPER is not available on ClickHouse (line 2, column 3)'],
  ['select lag(level ignore nulls) over (order by id) as x from web', 'LAG with IGNORE NULLS is not available'],
  [
    'select array_agg(status order by level, id desc) as x from web',
    'ARRAY_AGG ordered in both directions is not available',
  ],
  ['select percentile_cont(status, @share) as x from web', 'a percentile that is no number is not available'],
  ['select format_timestamp(level, timestamp) as x from web', 'a format that is no text literal is not available'],
  ['select json_value(level, level) as x from web', 'a JSON path that is no text literal is not available'],
  [
    'select array(select t from unnest(tags) as t order by t) as x from web',
    'ARRAY of a query that reads the row around it is not available',
  ],
  ['select 1 as `a\\\\b`', 'a backslash in the name of a column is not available on ClickHouse'],
])('refused by name and place: %s', (text, message) => expect(() => prepare(text)).toThrow(message))

describe('the text', () => {
  test('leaves the tables to the caller, with a column for each path it reads', () => {
    const prepared = prepare('select m.user from web, unnest(metadata) as m where status > @least and m.user = "x"')
    expect(withTables(prepared, ({ token }) => `(SELECT * FROM \`${token}\` WHERE kept)`)).toBe(
      'WITH source_0 AS (SELECT e."status" AS "status", CAST(e."metadata"."user", \'Nullable(String)\') AS "metadata.user" FROM (SELECT * FROM `web` WHERE kept) AS e) ' +
        'SELECT t0."metadata.user" AS "user" FROM source_0 AS t0 WHERE ((t0."status" > {p1:Nullable(Int64)}) AND (t0."metadata.user" = \'x\')) /* warehouse SQL */',
    )
  })
  test('quotes what a literal may hold', () => {
    expect(prepare("select 'it\\'s \\\\ ' as x").text).toBe("SELECT 'it\\'s \\\\ ' AS \"x\" /* warehouse SQL */")
  })
  test('of a kept translation follows the looks of the values', () => {
    expect(prepare('select @v as v', { v: '5' }).text).toContain('{p1:Nullable(Int64)}')
    expect(prepare('select @v as v', { v: 'x' }).text).toContain('{p1:Nullable(String)}')
    expect(prepare('select 1 in unnest(@v) as v', { v: ['1'] }).text).toContain('{p1:Array(Nullable(Int64))}')
  })
})
