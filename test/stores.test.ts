/**
 * The types of backend that keep events and can be asked, each against its real engine (BigQuery against a stand-in): what
 * is sent is what is read.
 */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kindOf, settleConfig } from '../src/backends/backends.ts'
import type { Origin, Receiver, Store } from '../src/backends/kind.ts'
import { redact } from '../src/backends/redaction.ts'
import { tableName } from '../src/backends/table-name.ts'
import type { StoredEvent } from '../src/model/event-of-row.ts'
import type { FlatFields } from '../src/model/fields.ts'
import { type StandIn, startStandIn } from './bigquery/stand-in.ts'
import { type Clickhouse, hasClickhouse, STARTING_MS, startClickhouse } from './support/clickhouse.ts'
import { hasPostgres, type Postgres, startPostgres } from './support/postgres.ts'

const DAY_US = 86_400_000_000
const NOW_US = Date.now() * 1000

const origin = (fields: FlatFields = {}, retentionDays = 7): Origin => ({
  ...{ token: randomUUID(), name: 'a "name"; drop table x', serviceName: null, retentionDays },
  fields: () => fields,
})

const event = (id: string, more: Record<string, unknown> = {}, timestamp = NOW_US): StoredEvent => ({
  ...{ id, timestamp, event_message: `message ${id}` },
  ...more,
})

async function rows(store: Store, source: Origin, select: string, more = ''): Promise<Record<string, unknown>[]> {
  const text = `SELECT ${select} FROM ${store.table(source.token, NOW_US - 30 * DAY_US, true)} AS e ${more}`
  const { json } = await store.query({ text, values: [], labels: { a: "*/ ' x" }, maxRows: 1000, timeoutMs: 60_000 })
  return JSON.parse(json.toString())
}

const SURROUNDINGS = { timeoutMs: 60_000 }

describe.each([
  ['postgres', hasPostgres()],
  ['clickhouse', hasClickhouse()],
  ['bigquery', true],
] as const)('%s', (type, isHere) => {
  let postgres: Postgres | null = null
  let clickhouse: Clickhouse | null = null
  let standIn: StandIn | null = null
  let config: Record<string, unknown>
  let receiver: Receiver
  let store: Store

  beforeAll(async () => {
    if (!isHere) return
    if (type === 'postgres') {
      postgres = await startPostgres()
      config = { url: await postgres.createDatabase(), schema: 'logs' }
    } else if (type === 'clickhouse') {
      clickhouse = await startClickhouse()
      config = { url: clickhouse.url }
    } else {
      standIn = await startStandIn()
      config = standIn.config
    }
    receiver = kindOf(type).connect(settleConfig(type, config), SURROUNDINGS)
    store = receiver.store!
  }, STARTING_MS)
  afterAll(async () => {
    receiver?.stop()
    await postgres?.stop()
    await clickhouse?.stop()
    await standIn?.stop()
  })

  const field = (path: string): string =>
    type === 'postgres' ? `body #> '{${path.replaceAll('.', ',')}}' AS v` : `${path} AS v`

  test.skipIf(!isHere)(
    'keeps every kind of value',
    async () => {
      const source = origin({
        metadata: 'object',
        n: 'integer',
        f: 'float',
        tags: 'string[]',
        ok: 'boolean',
        lines: 'object[]',
      })
      const sent = event('one', {
        ...{ n: 2n ** 63n - 1n, f: 3, ok: true, tags: ['a', "it's"], lines: [{ sku: 'x' }], extra: 'later' },
        metadata: { path: '/a\tb\nc\\d', date: '2025-01-01', deep: { n: 5, list: [1, 2] }, text: 'é😀' },
      })
      expect(await receiver.send({ source, events: [sent] })).toEqual({ kind: 'accepted' })
      const read = async (path: string) => (await rows(store, source, field(path)))[0]!.v
      expect(await rows(store, source, 'id, timestamp, event_message')).toEqual([
        { id: 'one', timestamp: NOW_US, event_message: 'message one' },
      ])
      expect(await read('n')).toBe('9223372036854775807')
      expect([await read('f'), await read('ok'), await read('tags')]).toEqual([3, true, ['a', "it's"]])
      expect(await read('metadata.path')).toBe('/a\tb\nc\\d')
      expect(await read('metadata.date')).toBe('2025-01-01')
      expect(await read('metadata.text')).toBe('é😀')
      expect(await read('metadata.deep.list')).toEqual([1, 2])
      expect(await read('lines')).toEqual([{ sku: 'x' }])
      expect(await read('extra')).toBe('later')
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'takes a batch twice, and events twice in one batch, and has them once',
    async () => {
      const source = origin()
      const first = [event('a'), event('b'), event('a')]
      for (const events of [first, first, [event('b'), event('c')]])
        expect(await receiver.send({ source, events })).toEqual({ kind: 'accepted' })
      expect(await rows(store, source, 'id', 'ORDER BY id')).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'widens by itself when new fields come and integers become floats',
    async () => {
      const fields: FlatFields = { n: 'integer' }
      const source = origin(fields)
      await receiver.send({ source, events: [event('a', { n: 1 })] })
      Object.assign(fields, { n: 'float', later: 'string' })
      expect(await receiver.send({ source, events: [event('b', { n: 1.5, later: 'x' })] })).toEqual({
        kind: 'accepted',
      })
      expect((await rows(store, source, field('n'), 'ORDER BY id')).map(({ v }) => v)).toEqual([1, 1.5])
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'goes on after its table was dropped',
    async () => {
      const source = origin()
      await receiver.send({ source, events: [event('a')] })
      if (type === 'clickhouse') await clickhouse!.ask(`DROP TABLE default.${tableName(source.token)}`)
      else if (type === 'bigquery') standIn!.tables.clear()
      else await runOn(String(config.url), `DROP TABLE logs.${tableName(source.token)}`)
      expect(await receiver.send({ source, events: [event('b')] })).toEqual({ kind: 'accepted' })
      expect(await rows(store, source, 'id')).toEqual([{ id: 'b' }])
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'says what is wrong with a connection',
    async () => {
      expect(await receiver.probe()).toEqual({ ok: true })
      const broken = {
        postgres: { url: 'postgres://u:p@127.0.0.1:1/x' },
        clickhouse: { url: 'http://127.0.0.1:1' },
        bigquery: { ...config, api_endpoint: 'http://127.0.0.1:1' },
      }[type]
      const other = kindOf(type).connect(settleConfig(type, broken), SURROUNDINGS)
      expect(await other.probe()).toMatchObject({ ok: false, reason: 'connection_refused' })
      expect(await other.send({ source: origin(), events: [event('a')] })).toMatchObject({ kind: 'failed' })
      other.stop()
    },
    60_000,
  )

  test.skipIf(!isHere)(
    'writes nothing, whatever it is asked, and stops in time',
    async () => {
      const source = origin()
      await receiver.send({ source, events: [event('a')] })
      const ask = (text: string, timeoutMs = 60_000) =>
        store.query({ text, values: [], labels: {}, maxRows: 10, timeoutMs })
      const table = type === 'postgres' ? `logs.${tableName(source.token)}` : `default.${tableName(source.token)}`
      await expect(ask(`DELETE FROM ${table}`)).rejects.toThrow()
      await expect(ask(type === 'postgres' ? `DROP TABLE ${table}` : `TRUNCATE TABLE ${table}`)).rejects.toThrow()
      expect(await rows(store, source, 'id')).toEqual([{ id: 'a' }])
      standIn?.hold(true)
      const long = {
        postgres: 'SELECT pg_sleep(30)',
        clickhouse: 'SELECT sum(sleepEachRow(1)) FROM numbers(30)',
        bigquery: 'SELECT 1',
      }[type]
      await expect(ask(long, 1_000)).rejects.toThrow('longer than 1 s')
      standIn?.hold(false)
    },
    120_000,
  )

  test.skipIf(!isHere)(
    'gives at most the rows that were asked for, and binds values',
    async () => {
      const source = origin()
      await receiver.send({ source, events: Array.from({ length: 20 }, (_, i) => event(`e${i}`)) })
      const place = store.place(1, 'e5', null)
      const text = `SELECT id FROM ${store.table(source.token, 0, false)} AS e WHERE id <> ${place}`
      const { json, cost } = await store.query({ text, values: ["e'5"], labels: {}, maxRows: 7, timeoutMs: 60_000 })
      expect(JSON.parse(json.toString())).toHaveLength(7)
      expect(cost).toMatchObject({ rows: 7, truncated: true, columns: [{ name: 'id', type: 'VARCHAR' }] })
    },
    120_000,
  )
})

test.skipIf(!hasPostgres())(
  'PostgreSQL: days beyond retention are dropped, and none of their events is read',
  async () => {
    const postgres = await startPostgres()
    const url = await postgres.createDatabase()
    const receiver = kindOf('postgres').connect(settleConfig('postgres', { url }), SURROUNDINGS)
    const source = origin({}, 3)
    await receiver.send({ source, events: [event('old', {}, NOW_US - 10 * DAY_US), event('new')] })
    const found = await runOn(url, `SELECT id FROM public.${tableName(source.token)}`)
    expect(found).toEqual([{ id: 'new' }])
    receiver.stop()
    await postgres.stop()
  },
  120_000,
)

test('addresses keep their user and password to themselves', () => {
  const config = settleConfig('postgres', { url: 'postgres://me:secret@db/x', password: 'secret' })
  expect(redact(kindOf('postgres'), config)).toMatchObject({
    ...{ url: 'postgres://REDACTED:REDACTED@db/x', password: 'REDACTED' },
  })
})

async function runOn(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows: found } = await client.query(sql)
  await client.end()
  return found
}
