import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { createPlanner } from '../plan.ts'

async function exactOf(text: string) {
  const connection = await (await DuckDBInstance.create()).connect()
  const tables = [{ table: 'source_0', token: '', fromUs: null, toUs: null }]
  const request = { text, tables }
  return (await createPlanner().of(connection, request)).exact
}

test('estimated quantiles over one source have exact ones beside them', async () => {
  const text =
    'SELECT t0."k" AS "k", approx_quantile(t0."n", 0.5) AS "a", approx_quantile(t0."n", [0.1, 0.9]) AS "b" FROM source_0 AS t0 GROUP BY 1'
  const found = await exactOf(text)
  expect(found?.quantiles).toBe(2)
  expect(found?.text).toContain('quantile_disc(t0.n, 0.5)')
  expect(found?.text).not.toContain('approx')
})

test.each([
  ['it has none', `SELECT 'approx_quantile' AS "a" FROM source_0 AS t0`],
  ['it reads more than a source', 'SELECT approx_quantile(t0."n", 0.5) AS "a" FROM (SELECT * FROM source_0) AS t0'],
])('a query is run as it is when %s', async (_, text) => expect(await exactOf(text)).toBe(null))
