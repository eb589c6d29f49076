/** The BigQuery backend by the official client, against the stand-in of `test/bigquery`, and against Google when it may. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { kindOf, settleConfig } from '../src/backends/backends.ts'
import type { Origin, Receiver, Statement, Store } from '../src/backends/kind.ts'
import { redact } from '../src/backends/redaction.ts'
import { tableName } from '../src/backends/table-name.ts'
import { startWorld, until } from '../src/backends/testing.ts'
import type { StoredEvent } from '../src/model/event-of-row.ts'
import type { FlatFields } from '../src/model/fields.ts'
import { type StandIn, startStandIn } from './bigquery/stand-in.ts'

const NOW_US = Date.now() * 1000
const DAY_US = 86_400_000_000

const origin = (fields: FlatFields = {}, retentionDays = 7): Origin => ({
  ...{ token: randomUUID(), name: 'shop', serviceName: null, retentionDays },
  fields: () => fields,
})
const event = (id: string, more: Record<string, unknown> = {}, timestamp = NOW_US): StoredEvent => ({
  ...{ id, timestamp, event_message: `message ${id}` },
  ...more,
})
const statement = (text: string, more: Partial<Statement> = {}): Statement => ({
  ...{ text, values: [], labels: {}, maxRows: 100, timeoutMs: 10_000 },
  ...more,
})
async function ask(store: Store, text: string, more: Partial<Statement> = {}): Promise<Record<string, unknown>[]> {
  return JSON.parse((await store.query(statement(text, more))).json.toString())
}

describe('against the stand-in', () => {
  let standIn: StandIn
  let receiver: Receiver
  let store: Store
  const connect = (more: object = {}): Receiver =>
    kindOf('bigquery').connect(settleConfig('bigquery', { ...standIn.config, ...more }), { timeoutMs: 10_000 })
  const tableOf = ({ token }: Origin) => standIn.tables.get(`millrace_logs.${tableName(token)}`)!
  const idsIn = (source: Origin) => tableOf(source).rows.map(({ id }) => id)
  const all = (source: Origin): string => store.table(source.token, 0, false)

  beforeAll(async () => {
    standIn = await startStandIn()
    receiver = connect()
    store = receiver.store!
  })
  afterAll(() => standIn.stop())
  beforeEach(() => {
    standIn.refuse(null)
    standIn.hide([])
    standIn.claim(null)
    standIn.hold(false)
  })

  test('a table has a partition for each day, kept as long as the source keeps events', async () => {
    const source = origin({ level: 'string' }, 3)
    await receiver.send({ source, events: [event('a')] })
    expect(tableOf(source)).toMatchObject({
      timePartitioning: { type: 'DAY', field: 'timestamp', expirationMs: String(3 * 86_400_000) },
      clustering: { fields: ['timestamp', 'id'] },
    })
    await receiver.send({ source: { ...source, retentionDays: 30 }, events: [event('b')] })
    expect(tableOf(source).timePartitioning.expirationMs).toBe(String(30 * 86_400_000))
    const other = connect()
    await other.send({ source: { ...source, retentionDays: 5 }, events: [event('c')] })
    expect(tableOf(source).timePartitioning.expirationMs).toBe(String(5 * 86_400_000))
  })

  test('a row that is refused is told by its place, and the others are kept', async () => {
    const source = origin()
    const events = [event('a'), event('old', {}, NOW_US - 4000 * DAY_US), event('b')]
    expect(await receiver.send({ source, events })).toEqual({
      kind: 'accepted',
      refused: [{ index: 1, reason: expect.stringContaining('3650 days in the past') }],
    })
    expect(idsIn(source)).toEqual(['a', 'b'])
  })

  test('refused rows become dead letters, and delivery goes on', async () => {
    const world = await startWorld({ surroundings: { timeoutMs: 10_000 } })
    const source = await world.newSource()
    const backend = await world.newBackend('bigquery', standIn.config)
    await world.attach(source, backend)
    const [lost] = await world.append(source, 1, {}, NOW_US - 4000 * DAY_US)
    const kept = await world.append(source, 30, { n: 1 }, NOW_US)
    await until(async () => (await world.delivery.status(backend)).delivered === 30)
    const letters = await world.catalog.deadLetters.list(backend.id, { limit: 10, afterId: 0 })
    expect(letters.map(({ event: text }) => JSON.parse(text).id)).toEqual([lost])
    expect(new Set(standIn.tables.get(`millrace_logs.${tableName(source.token)}`)!.rows.map(({ id }) => id))).toEqual(
      new Set(kept),
    )
    expect(world.errors).toEqual([])
    await world.stop()
  }, 30_000)

  test('a column that is not known everywhere yet is waited for, and nothing is there twice', async () => {
    const fields: FlatFields = {}
    const source = origin(fields)
    await receiver.send({ source, events: [event('a')] })
    Object.assign(fields, { later: 'string' })
    standIn.hide(['later'])
    const events = [event('b'), event('c', { later: 'x' })]
    expect(await receiver.send({ source, events })).toMatchObject({
      kind: 'failed',
      needsHelp: false,
      retryAfterMs: 5000,
    })
    standIn.hide([])
    expect(await receiver.send({ source, events })).toEqual({ kind: 'accepted' })
    expect(idsIn(source)).toEqual(['a', 'b', 'c'])
  })

  test('two nodes that widen one table lose no column', async () => {
    const token = randomUUID()
    const nodes = [connect(), connect()]
    const sourceOf = (fields: FlatFields): Origin => ({ ...origin(fields), token })
    await nodes[0]!.send({ source: sourceOf({}), events: [event('a')] })
    await nodes[1]!.send({ source: sourceOf({}), events: [event('b')] })
    await nodes[0]!.send({ source: sourceOf({ one: 'string' }), events: [event('c', { one: 'x' })] })
    expect(await nodes[1]!.send({ source: sourceOf({ two: 'string' }), events: [event('d', { two: 'y' })] })).toEqual({
      kind: 'accepted',
    })
    expect(tableOf(sourceOf({})).columns.map(({ name }) => name)).toEqual(expect.arrayContaining(['one', 'two']))
  })

  test('batches at once make one table and widen it together', async () => {
    const source = origin()
    const sent = Array.from({ length: 6 }, (_, i) =>
      receiver.send({ source, events: [event(`e${i}`, { [`f${i}`]: i })] }),
    )
    expect(new Set((await Promise.all(sent)).map(({ kind }) => kind))).toEqual(new Set(['accepted']))
    expect(idsIn(source).sort()).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5'])
  })

  test('integers in records and lists become floats with what they hold', async () => {
    const fields: FlatFields = { m: 'object', 'm.n': 'integer', l: 'integer[]' }
    const source = origin(fields)
    await receiver.send({ source, events: [event('a', { m: { n: 1 }, l: [1] })] })
    Object.assign(fields, { 'm.n': 'float', l: 'float[]' })
    expect(await receiver.send({ source, events: [event('b', { m: { n: 1.5 }, l: [2.5] })] })).toEqual({
      kind: 'accepted',
    })
    expect(await ask(store, `SELECT m.n, l FROM ${all(source)} AS e ORDER BY id`)).toEqual([
      { n: 1, l: [1] },
      { n: 1.5, l: [2.5] },
    ])
  })

  test('a column that cannot become one of floats holds no event back', async () => {
    const fields: FlatFields = { n: 'integer' }
    const source = origin(fields)
    await receiver.send({ source, events: [event('a', { n: 1 })] })
    Object.assign(fields, { n: 'float' })
    const no = { status: 400, reason: 'invalidQuery', message: 'ALTER TABLE ALTER COLUMN SET DATA TYPE: no' }
    standIn.refuse((request) => (request === 'POST /jobs' ? no : null))
    expect(await receiver.send({ source, events: [event('b', { n: 1.5 }), event('c', { n: 2 })] })).toEqual({
      kind: 'accepted',
    })
    expect(tableOf(source).rows.slice(1)).toMatchObject([{ _rest: '{"n":1.5}' }, { n: 2 }])
  })

  test('text is kept to the letter, whatever the client takes it for', async () => {
    const source = origin({ text: 'string' })
    const text = '{{projectId}} \u0000 \ud800 \u2028 é😀'
    await receiver.send({ source, events: [event('{{projectId}}', { text })] })
    const whole = text.toWellFormed()
    expect(tableOf(source).rows[0]).toMatchObject({ id: '{{projectId}}', text: whole })
    const found = await ask(store, `SELECT id FROM ${all(source)} AS e WHERE id = @p1 AND id = '{{projectId}}'`, {
      values: ['{{projectId}}'],
    })
    expect(found).toEqual([{ id: '{{projectId}}' }])
  })

  test('a request that is too large is refused, to be halved', async () => {
    const text = 'x'.repeat(900_000)
    const events = Array.from({ length: 12 }, (_, i) => event(`e${i}`, { text }))
    expect(await receiver.send({ source: origin(), events })).toMatchObject({ kind: 'refused' })
  })

  test.each([
    ['too many requests', { status: 403, reason: 'rateLimitExceeded', message: 'Exceeded rate limits' }, false],
    ['a trouble of its own', { status: 503, reason: 'backendError', message: 'Service unavailable' }, false],
    ['no permission', { status: 403, reason: 'accessDenied', message: 'Access Denied: Table' }, true],
    ['the free tier', { status: 403, reason: 'billingNotEnabled', message: 'Streaming insert is not allowed' }, true],
  ])('delivery waits for what passes and asks for help otherwise: %s', async (_, refusal, needsHelp) => {
    standIn.refuse(() => refusal)
    const sent = await connect().send({ source: origin(), events: [event('a')] })
    expect(sent).toMatchObject({ kind: 'failed', needsHelp, reason: refusal.message })
  })

  test('a query is refused above the bytes that are allowed, before it runs', async () => {
    const { store: careful } = connect({ max_query_bytes: 20_000_000 })
    const before = standIn.jobs.length
    standIn.claim(50_000_000)
    await expect(ask(careful!, 'SELECT 1 AS n')).rejects.toThrow(/would read 50000000 bytes .* allows 20000000 bytes/)
    expect(standIn.jobs.length).toBe(before)
    standIn.claim(20_000_000)
    expect(await ask(careful!, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    expect(standIn.jobs.at(-1)?.query.maximumBytesBilled).toBe('20000000')
  })

  test('labels are those of the job, cleaned', async () => {
    await ask(store, 'SELECT 1 AS n', { labels: { Team: 'Shop & Co' } })
    expect(standIn.jobs.at(-1)?.labels).toEqual({ team: 'shop___co', managed_by: 'millrace' })
  })

  test('a reservation is one of this project, or of one that is named', async () => {
    const reserved = (project: string, location = 'US') =>
      `projects/${project}/locations/${location}/reservations/night`
    await ask(store, 'SELECT 1 AS n', { reservation: reserved(standIn.project) })
    expect(standIn.jobs.at(-1)?.reservation).toBe(reserved(standIn.project))
    await expect(ask(store, 'SELECT 1', { reservation: reserved('other-project') })).rejects.toThrow(
      'other-project is none',
    )
    await expect(ask(store, 'SELECT 1', { reservation: 'night' })).rejects.toThrow('must be written projects/')
    await expect(ask(store, 'SELECT 1', { reservation: reserved(standIn.project, 'EU') })).rejects.toThrow('is in EU')
    const { store: wider } = connect({ additional_projects: 'first-project, other-project' })
    await ask(wider!, 'SELECT 1 AS n', { reservation: reserved('other-project') })
    expect(standIn.jobs.at(-1)?.reservation).toBe(reserved('other-project'))
  })

  test('pages are turned up to the rows that were asked for', async () => {
    const source = origin()
    await receiver.send({ source, events: Array.from({ length: 90 }, (_, i) => event(`e${i}`)) })
    const text = `SELECT id FROM ${all(source)} AS e ORDER BY id`
    expect(await ask(store, text)).toHaveLength(90)
    const { cost } = await store.query(statement(text, { maxRows: 50 }))
    expect(cost).toMatchObject({ rows: 50, truncated: true, bytesScanned: 1000 })
  })

  test('a query whose asker went away is cancelled', async () => {
    standIn.hold(true)
    const away = new AbortController()
    const before = standIn.jobs.length
    const asked = store.query(statement('SELECT 1'), away.signal)
    await until(() => standIn.jobs.length > before)
    away.abort()
    await expect(asked).rejects.toThrow()
    await until(() => standIn.cancelled.includes(standIn.jobs.at(-1)!.id))
  })

  test('a connection is tested, and what is wrong is said in a sentence', async () => {
    const probe = (more: object, refusal?: { status: number; reason: string; message: string }) => {
      standIn.refuse(refusal ? () => refusal : null)
      return connect(more).probe()
    }
    expect(await probe({ dataset_id: 'made_by_the_test' })).toEqual({ ok: true })
    expect(standIn.datasets.get('made_by_the_test')).toEqual({ location: 'US' })
    const refusals: [object, Parameters<typeof probe>[1], string, RegExp][] = [
      [{ location: 'EU', dataset_id: 'made_by_the_test' }, undefined, 'wrong_location', /is in US, and not in EU/],
      [{ project_id: 'nobodys-project' }, undefined, 'project_not_found', /no project nobodys-project/],
      [
        {},
        { status: 403, reason: 'accessDenied', message: 'User does not have bigquery.jobs.create permission' },
        'permission_denied',
        /role BigQuery Job User/,
      ],
      [
        {},
        { status: 403, reason: 'accessDenied', message: 'Access Denied: Dataset' },
        'permission_denied',
        /role BigQuery Data Editor/,
      ],
    ]
    for (const [more, refusal, reason, message] of refusals)
      expect(await probe(more, refusal)).toEqual({ ok: false, reason, message: expect.stringMatching(message) })
    const absent = { status: 404, reason: 'notFound', message: `Not found: Dataset ${standIn.project}:x` }
    expect(await probe({}, absent)).toMatchObject({ ok: false, reason: 'dataset_not_found' })
    standIn.refuse(null)
    const { credentials: _, ...unsigned } = standIn.config
    const emulator = kindOf('bigquery').connect(settleConfig('bigquery', unsigned), { timeoutMs: 10_000 })
    expect(await emulator.probe()).toMatchObject({ ok: false, reason: 'authentication_failed' })
    const stranger = await startStandIn()
    const { credentials } = stranger.config
    expect(await probe({ credentials })).toMatchObject({ ok: false, reason: 'authentication_failed' })
    await stranger.stop()
  })
})

test.each([
  ['{', 'is not JSON'],
  ['{"type":"authorized_user"}', 'no client_email and private_key'],
  ['{"client_email":"a@b","private_key":"x"}', 'cannot be read'],
])('a key that is none is refused when it is saved: %s', (credentials, message) =>
  expect(() => settleConfig('bigquery', { project_id: 'some-project', credentials })).toThrow(message),
)

test('a key is never shown', async () => {
  const standIn = await startStandIn()
  await standIn.stop()
  const config = settleConfig('bigquery', { ...standIn.config, credentials: JSON.parse(standIn.config.credentials) })
  expect(redact(kindOf('bigquery'), config)).toMatchObject({ credentials: 'REDACTED', dataset_id: 'millrace_logs' })
})

/** `MILLRACE_TEST_BIGQUERY`: the key file of a service account; `MILLRACE_TEST_BIGQUERY_DATASET`: where tables may be made. */
const keyFile = process.env.MILLRACE_TEST_BIGQUERY
test.skipIf(keyFile === undefined)(
  'the real BigQuery: what is sent is what is read (skipped without MILLRACE_TEST_BIGQUERY)',
  async () => {
    const credentials = readFileSync(keyFile!, 'utf8')
    const config = {
      ...{ credentials, project_id: JSON.parse(credentials).project_id },
      dataset_id: process.env.MILLRACE_TEST_BIGQUERY_DATASET ?? 'millrace_test',
      location: process.env.MILLRACE_TEST_BIGQUERY_LOCATION ?? 'US',
    }
    const receiver = kindOf('bigquery').connect(settleConfig('bigquery', config), { timeoutMs: 30_000 })
    expect(await receiver.probe()).toEqual({ ok: true })
    const fields: FlatFields = { n: 'integer', metadata: 'object', 'metadata.tags': 'string[]' }
    const source = origin(fields, 1)
    const send = (events: StoredEvent[]) =>
      until(async () => (await receiver.send({ source, events })).kind === 'accepted', 300_000)
    await send([event('a', { n: 2n ** 63n - 1n, metadata: { tags: ['x'] } })])
    Object.assign(fields, { later: 'string' })
    await send([event('b', { later: 'y' })])
    const table = receiver.store!.table(source.token, NOW_US - DAY_US, false)
    const read = () => ask(receiver.store!, `SELECT id, timestamp, n, metadata, later FROM ${table} AS e ORDER BY id`)
    await until(async () => (await read()).length === 2, 300_000)
    expect(await read()).toEqual([
      { id: 'a', timestamp: NOW_US, n: '9223372036854775807', metadata: { tags: ['x'] }, later: null },
      { id: 'b', timestamp: NOW_US, n: null, metadata: null, later: 'y' },
    ])
  },
  900_000,
)
