import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FlatFields } from '../../model/fields.ts'
import { createParquet, type Parquet } from '../../warehouse/engine/parquet.ts'
import { settleConfig } from '../backends.ts'
import { startBucket } from '../testing/bucket.ts'
import { startWorld, until } from '../testing.ts'

let dir: string
let connection: DuckDBConnection
let parquet: Parquet
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 's3-'))
  connection = await (await DuckDBInstance.create(':memory:')).connect()
  parquet = createParquet({ open: async () => connection, dir: join(dir, 'made') })
})
afterAll(() => {
  connection.closeSync()
  rmSync(dir, { recursive: true, force: true })
})

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const FIELDS: FlatFields = { status: 'integer', ratio: 'float', metadata: 'object', 'metadata.tags': 'string[]' }

async function start(config: object = {}) {
  const bucket = await startBucket()
  const world = await startWorld({ parquet, fields: () => FIELDS })
  stops.push(bucket.stop, world.stop)
  const source = await world.newSource()
  const backend = await world.newBackend('s3', { ...bucket.config, ...config })
  await world.attach(source, backend)
  return { bucket, world, source, backend }
}

/** All rows of all files, read back by the engine. */
async function rowsOf(objects: Map<string, Buffer>): Promise<Record<string, unknown>[]> {
  const files = [...objects].filter(([key]) => key.endsWith('.parquet'))
  const paths = files.map(([, body], i) => {
    const path = join(dir, `read-${i}.parquet`)
    writeFileSync(path, body)
    return `'${path}'`
  })
  const answer = await connection.runAndReadAll(
    `SELECT *, epoch_us("timestamp") AS us FROM read_parquet([${paths}], union_by_name = true)`,
  )
  return answer.getRowObjectsJson()
}

test('events become files by source and hour of their time, with the columns of the source', async () => {
  const { bucket, world, source, backend } = await start({ prefix: '/raw/logs/' })
  const event = { status: '9007199254740993', ratio: 0.5, metadata: { tags: ['a', 'ü'] } }
  const sent = await world.append(source, 3, event)
  await until(async () => (await world.delivery.status(backend)).delivered === 3)
  const keys = [...bucket.objects.keys()]
  expect(keys).toHaveLength(1)
  expect(keys[0]).toMatch(/^raw\/logs\/source=source%201\/date=2024-04-05\/hour=19\/\d{16}-0-[0-9a-f]{16}\.parquet$/)
  const rows = await rowsOf(bucket.objects)
  expect(rows.map(({ id }) => id)).toEqual(sent)
  expect(rows[0]).toMatchObject({
    ...{ us: '1712345678901234', event_message: 'event 0', status: '9007199254740993', ratio: 0.5 },
    metadata: { tags: ['a', 'ü'] },
  })
})

test('events of several hours become several files of one batch', async () => {
  const { bucket, world, source, backend } = await start()
  await world.append(source, 2)
  await world.append(source, 2, {}, 1_712_345_678_901_234 + 3_600_000_000)
  await until(async () => (await world.delivery.status(backend)).delivered === 4)
  const [first, second] = [...bucket.objects.keys()].sort()
  expect(first).toContain('/hour=19/')
  expect(second).toBe(first?.replace('/hour=19/', '/hour=20/'))
})

test('a batch that is repeated after a crash overwrites its files, also when more came meanwhile', async () => {
  const { bucket, world, source, backend } = await start()
  const hours = [1_712_345_678_901_234, 1_712_345_678_901_234 + 3_600_000_000]
  // The first file is written, the second is not: the batch has to be repeated.
  bucket.behave((key) => (key.includes('/hour=20/') ? 503 : 'accept'))
  const sent = [...(await world.append(source, 5, {}, hours[0])), ...(await world.append(source, 5, {}, hours[1]))]
  await until(async () => (await world.delivery.status(backend)).retried > 0)
  expect(bucket.puts).toBeGreaterThan(0)
  sent.push(...(await world.append(source, 5, {}, hours[0])))
  await world.restart()
  bucket.behave('accept')
  await until(async () => (await world.delivery.status(backend)).delivered === 15)
  expect(bucket.objects.size).toBe(2)
  expect((await rowsOf(bucket.objects)).map(({ id }) => id).sort()).toEqual(sent.sort())
})

test('files end where frames end, and each begins where the one before ended', async () => {
  const { bucket, world, source, backend } = await start({ batch_bytes: 100_000 })
  const sent: string[] = []
  bucket.behave(503)
  for (let i = 0; i < 6; i++) sent.push(...(await world.append(source, 7, { text: 'x'.repeat(9_000) })))
  bucket.behave('accept')
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  expect([...bucket.objects.keys()].every((key) => /\/\d{16}-0-\w+\.parquet$/.test(key))).toBe(true)
  expect(bucket.objects.size).toBeGreaterThan(1)
  expect((await rowsOf(bucket.objects)).map(({ id }) => id).sort()).toEqual(sent.sort())
})

test.each<[string, object, string, string]>([
  [
    'a wrong secret',
    { secret_access_key: 'wrong' },
    'http_client_error',
    'HTTP 403: SignatureDoesNotMatch: The signature does not match.',
  ],
  [
    'a bucket that is not there',
    { s3_bucket: 'other' },
    'http_client_error',
    'HTTP 404: NoSuchBucket: There is no such bucket.',
  ],
  [
    'nothing that listens',
    { endpoint: 'http://127.0.0.1:9' },
    'unknown_error',
    'nothing listens at this address and port (ECONNREFUSED)',
  ],
])('%s is named by the test and by the status, and nothing is lost', async (_, config, reason, message) => {
  const { world, source, backend } = await start(config)
  expect(await world.delivery.probe(backend)).toEqual({ ok: false, reason, message })
  await world.append(source, 2)
  await until(async () => (await world.delivery.status(backend)).retried > 0)
  expect(await world.delivery.status(backend)).toMatchObject({ last_error: message, lag_events: 2, dead_letters: 0 })
})

test('a bucket that hangs or is overloaded gets everything once it is well', async () => {
  const { bucket, world, source, backend } = await start()
  bucket.behave('hang')
  const sent = await world.append(source, 4)
  await until(async () => (await world.delivery.status(backend)).retried > 0)
  expect((await world.delivery.status(backend)).last_error).toMatch(/no answer within 1800 ms/)
  bucket.behave(503)
  await until(async () => (await world.delivery.status(backend)).last_error === 'HTTP 503: SlowDown: Not now.')
  bucket.behave('accept')
  await until(async () => (await world.delivery.status(backend)).lag_events === 0)
  expect((await rowsOf(bucket.objects)).map(({ id }) => id)).toEqual(sent)
})

test('the test of the connection writes no Parquet file', async () => {
  const { bucket, world, backend } = await start({ prefix: 'p' })
  expect(await world.delivery.probe(backend)).toEqual({ ok: true })
  expect([...bucket.objects.keys()]).toEqual(['p/_connection_test'])
})

test.each<[string, object, string]>([
  ['a bucket name with a slash', { s3_bucket: 'a/b' }, 'config.s3_bucket'],
  ['files of more than 32 MB', { batch_bytes: 33_000_000 }, 'config.batch_bytes'],
  ['a wait below a second', { batch_timeout: 10 }, 'config.batch_timeout'],
  ['a metadata address', { endpoint: 'http://169.254.169.254' }, 'config.endpoint'],
])('a config with %s is refused', (_, config, field) => {
  const good = { s3_bucket: 'b', storage_region: 'r', access_key_id: 'k', secret_access_key: 's' }
  expect(settleConfig('s3', good)).toMatchObject({ prefix: '', path_style: false, batch_timeout: 60_000 })
  expect(() => settleConfig('s3', { ...good, ...config })).toThrow(
    expect.objectContaining({ errors: { [field]: [expect.any(String)] } }),
  )
})
