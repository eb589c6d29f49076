/** Warehouse SQL as PostgreSQL runs it: each function's sample, and what is refused. */
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import { createReaders } from '../backends/postgres/values.ts'
import { ROUTINES } from './dialects/postgres/routines.ts'
import { createSql, type Prepared } from './sql.ts'

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
  if (typeof value === 'number' && typeof expected === 'string' && /^\d{4}-\d\d-\d\d /.test(expected)) {
    const text = new Date(value / 1000).toISOString().replace('T', ' ').replace('Z', '')
    const micros = String(value % 1000).padStart(3, '0')
    return `${text}${micros}`.replace(/\.?0+$/, '')
  }
  return typeof value === 'string' && typeof expected === 'number' ? Number(value) : value
}

describe.skipIf(!hasPostgres())('functions', () => {
  const rows = 'with v as (select x, 4 - x as y from unnest([1, 2, 3]) as x) '
  test.each(Object.entries(SAMPLES))('%s', async (_, [expression, expected]) => {
    const readsRows = /\b[xy]\b/.test(expression.replace(/'[^']*'/g, '')) || expression === 'count(*)'
    const text = expression.includes(' from ') ? expression : `${expression} as r${readsRows ? ' from v' : ''}`
    const { rows: found } = await client.query(prepare(`${rows}select ${text}`).text)
    const [value] = Object.values(found[0])
    expect(likeSample(value, expected)).toEqual(
      typeof expected === 'number' && !Number.isInteger(expected) ? expect.closeTo(expected, 9) : expected,
    )
  })
})
