import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createMatcher, parse, print, toSql } from './lql.ts'
import { eventsOf, FORMS, flatten, formed, NOW_MS, schema } from './testing/events.ts'
import { filterOf } from './testing/queries.ts'
import { fillTable, idsWhere } from './testing/table.ts'

const RUNS = Number(process.env.LQL_RUNS ?? 400)
const QUERIES_PER_TABLE = 12

const engine = await DuckDBInstance.create(':memory:')
const connection = await engine.connect()
afterAll(() => connection.closeSync())

const scene = schema.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    events: eventsOf(fields),
    queries: fc.array(filterOf(flatten(fields)), { minLength: 1, maxLength: QUERIES_PER_TABLE }),
    form: fc.constantFrom(...FORMS),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
    values: fc.constantFrom('bind' as const, 'inline' as const),
  }),
)

test('the matcher and the engine find the same events, whatever the query, the fields and the form of the event', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async ({ fields, events, queries, form, timeZone, values }) => {
      const flat = flatten(fields)
      await fillTable(connection, fields, events)
      for (const text of queries) {
        const query = parse(text)
        const matches = createMatcher(query, { clock: { nowMs: () => NOW_MS }, timeZone })
        const inMemory = events.filter((event) => matches(formed(event, form)))
        const { where, params, bounds } = toSql(query, {
          dialect: 'duckdb',
          fields: flat,
          nowMs: NOW_MS,
          timeZone,
          values,
        })
        const found = await idsWhere(connection, where, params)
        const ids = inMemory.map(({ id }) => id)
        expect({ text, canonical: print(query), where, found: found.sort() }).toMatchObject({ found: ids.sort() })
        for (const { timestamp } of inMemory) {
          expect(timestamp).toBeGreaterThanOrEqual(bounds.fromUs ?? Number.NEGATIVE_INFINITY)
          expect(timestamp).toBeLessThanOrEqual(bounds.toUs ?? Number.POSITIVE_INFINITY)
        }
      }
    }),
    { numRuns: RUNS },
  )
}, 120_000)
