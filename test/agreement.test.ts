/** LQL means the same on every engine: the matcher and the outside stores find the same events. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindOf, settleConfig } from '../src/backends/backends.ts'
import type { Receiver } from '../src/backends/kind.ts'
import { createMatcher, parse, toSql } from '../src/lql/lql.ts'
import { type StoredEvent as Drawn, eventsOf, flatten, formed, NOW_MS, schema } from '../src/lql/testing/events.ts'
import { filterOf } from '../src/lql/testing/queries.ts'
import type { StoredEvent } from '../src/model/event-of-row.ts'
import { hasClickhouse, isEmulated, STARTING_MS, startClickhouse } from './support/clickhouse.ts'
import { hasPostgres, startPostgres } from './support/postgres.ts'

const RUNS = Number(process.env.STORE_RUNS ?? 60)
const QUERIES_PER_TABLE = 12
/** What an emulated engine has not compared by then, one at full speed will. */
const EMULATED_MS = 45_000

const scene = schema.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    events: eventsOf(fields),
    queries: fc.array(filterOf(flatten(fields)), { minLength: 1, maxLength: QUERIES_PER_TABLE }),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
  }),
)

const stored = ({ id, timestamp, event_message, fields }: Drawn): StoredEvent => ({
  ...Object.fromEntries(Object.entries(fields)),
  ...{ id, timestamp, event_message: event_message ?? null },
})

/** The character with code 0 does not exist in PostgreSQL. Its regular expressions are its own. */
const isForPostgres = (text: string): boolean => !/\0|\\u0000|~/.test(text)

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each))

describe.each([
  ['postgres', hasPostgres()],
  ['clickhouse', hasClickhouse()],
] as const)('%s', (type, isHere) => {
  let receiver: Receiver
  let stopEngine = async (): Promise<void> => {}
  beforeAll(async () => {
    if (!isHere) return
    const postgres = type === 'postgres' ? await startPostgres() : null
    const clickhouse = type === 'clickhouse' ? await startClickhouse() : null
    stopEngine = async () => {
      await postgres?.stop()
      await clickhouse?.stop()
    }
    const config = postgres ? { url: await postgres.createDatabase() } : { url: clickhouse!.url }
    receiver = kindOf(type).connect(settleConfig(type, config), { timeoutMs: 120_000 })
  }, STARTING_MS)
  afterAll(async () => {
    receiver?.stop()
    await stopEngine()
  })

  test.skipIf(!isHere)(
    'finds the events that the matcher finds',
    async () => {
      await fc.assert(
        fc.asyncProperty(scene, async ({ fields, events, queries, timeZone }) => {
          const flat = flatten(fields)
          fc.pre(type !== 'postgres' || isForPostgres(textOf(events.map(stored))))
          const asked = queries.filter((text) => type !== 'postgres' || isForPostgres(text))
          fc.pre(asked.length > 0)
          const source = { token: randomUUID(), name: 'x', serviceName: null, retentionDays: 3650, fields: () => flat }
          expect(await receiver.send({ source, events: events.map(stored) })).toEqual({ kind: 'accepted' })
          const conditions = asked.map(
            (text) =>
              toSql(parse(text), { dialect: type, fields: flat, nowMs: NOW_MS, timeZone, values: 'inline' }).where,
          )
          const list = conditions.map((where, i) => `coalesce(${where}, false) AS w${i}`).join(', ')
          const { json } = await receiver.store!.query({
            text: `SELECT id, ${list} FROM ${receiver.store!.table(source.token, 0, false)} AS e`,
            ...{ values: [], labels: {}, maxRows: 1000, timeoutMs: 120_000 },
          })
          const rows: Record<string, unknown>[] = JSON.parse(json.toString())
          for (const [i, text] of asked.entries()) {
            const matches = createMatcher(parse(text), { clock: { nowMs: () => NOW_MS }, timeZone })
            const inMemory = events.filter((event) => matches(formed(event, 'plain'))).map(({ id }) => id)
            const found = rows.filter((row) => row[`w${i}`] === true || row[`w${i}`] === 1).map(({ id }) => String(id))
            expect({ text, where: conditions[i], found: found.sort() }).toMatchObject({ found: inMemory.sort() })
          }
        }),
        { numRuns: RUNS, ...(type === 'clickhouse' && isEmulated ? { interruptAfterTimeLimit: EMULATED_MS } : {}) },
      )
    },
    600_000,
  )
})
