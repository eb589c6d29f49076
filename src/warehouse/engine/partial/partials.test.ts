import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MACRO_STATEMENTS } from '../../../sql/macros.ts'
import type { BoundValue, QueryRequest } from '../../protocol.ts'
import { createAnswerer } from '../answer.ts'
import { openReaders, type Readers } from '../duck.ts'
import { createFilters } from '../filter/filters.ts'
import { load } from '../load.ts'
import { merge } from '../merge.ts'
import { type Bench, createBench, type Row } from '../testing.ts'
import { createPartials } from './partials.ts'

const NOON = Date.UTC(2026, 10, 15, 12) * 1000
const STEP_US = 1_000_000
const LEVELS = ['info', 'error', 'debug', null]

const rowAt = (i: number): Row => ({
  id: `e${i}`,
  ts: NOON + i * STEP_US,
  e: {
    message: `message ${i % 7} of ${i}`,
    ...(LEVELS[i % 4] !== null && { level: LEVELS[i % 4] }),
    n: (i * 37) % 101,
    ...(i % 3 === 0 && { half: i / 2 }),
    m: { path: `/p${i % 5}` },
  },
})
const rows = (from: number, upTo: number): Row[] => Array.from({ length: upTo - from }, (_, i) => rowAt(from + i))

let bench: Bench
let shared: Readers

beforeAll(async () => {
  bench = await createBench()
  const fields = { level: 'string', n: 'integer', half: 'float', m: 'object', 'm.path': 'string' } as const
  for (let at = 0; at < 200; at += 40) {
    bench.addRows(rows(at, at + 40), at === 0 ? { ...fields } : undefined)
    await load(bench, bench.source)
  }
  shared = await newReaders()
})
afterAll(() => rmSync(bench.dir, { recursive: true, force: true }))

const newReaders = (): Promise<Readers> =>
  openReaders({ dir: bench.dir, memoryMb: 256, threads: 1, macros: MACRO_STATEMENTS })

function answererWith(readers: Readers, partials = createPartials({ readers, leastPartBytes: 0 })) {
  const { store } = bench
  const nowMs = (): number => NOON / 1000
  return createAnswerer({ readers, store, filters: createFilters(), partials, nowMs, firstWalkRows: 8 })
}

type Asked = { text: string; fromUs?: number | null; toUs?: number | null; parameters?: Record<string, BoundValue> }

function requestOf({ text, fromUs = null, toUs = null, parameters = {} }: Asked): QueryRequest {
  const table = { table: 'source_0', token: bench.source.token, fromUs, toUs }
  return { text, tables: [table], parameters, position: 0, maxRows: 1000, timeoutMs: 20_000 }
}

type Answer = { rows: string[]; columns: unknown }

async function ask(answerer: ReturnType<typeof answererWith>, asked: Asked): Promise<Answer> {
  const { body, cost } = await answerer.query(requestOf(asked), new AbortController().signal)
  const list: unknown[] = JSON.parse(body.toString())
  return { rows: list.map((row) => JSON.stringify(row)), columns: cost.columns }
}

/** A text is read as a whole when it is asked for the first time. */
const plain = (asked: Asked): Promise<Answer> => ask(answererWith(shared), asked)

const sorted = ({ rows: list, columns }: Answer): Answer => ({ rows: list.toSorted(), columns })

const groups = ['t0."level"', 't0."m"."path"', `date_trunc('minute', t0."timestamp")`, 't0."n" % 3', '7']
const aggregates = [
  ...['count(*)', 'count(t0."half")', 'sum(t0."n")', 'CAST(sum(t0."n") AS BIGINT)', 'sum(t0."half")', 'min(t0."id")'],
  ...['max(t0."half")', 'avg(t0."n")', `count(*) FILTER (WHERE t0."level" = 'error')`, 'bool_or(t0."n" > 99)'],
  ...['bq_divide(count(*), 2)', 'CASE WHEN count(*) > 3 THEN max(t0."n") ELSE -1 END', 'avg(t0."half") + 1'],
]
const conditions = ['TRUE', `t0."level" = 'error'`, 't0."n" > 50', `t0."event_message" LIKE '%message 3%'`, 'FALSE']
const havings = [null, 'count(*) > 10', 'max(t0."n") < 100 AND count(*) > 2']

const time = fc.option(fc.integer({ min: -5, max: 260 }).map((i) => NOON + i * STEP_US))

const groupQuery = fc
  .record({
    by: fc.subarray(groups),
    of: fc.subarray(aggregates, { minLength: 1 }),
    where: fc.constantFrom(...conditions),
    having: fc.constantFrom(...havings),
  })
  .map(({ by, of, where, having }) => {
    const list = [...by, ...of].map((each, i) => `${each} AS "column ${i}"`).join(', ')
    const grouped = by.length > 0 ? ` GROUP BY ${by.map((_, i) => i + 1).join(', ')}` : ''
    return `SELECT ${list} FROM source_0 AS t0 WHERE ${where}${grouped}${having ? ` HAVING ${having}` : ''}`
  })

const rowQuery = fc
  .record({ where: fc.constantFrom(...conditions), limit: fc.integer({ min: 0, max: 60 }) })
  .map(
    ({ where, limit }) =>
      `SELECT t0."id" AS "id", t0."m" AS "m" FROM source_0 AS t0 WHERE ${where} ORDER BY t0."n" DESC, 1 ASC LIMIT ${limit}`,
  )

test('an answer from kept results is that of reading everything, while rows come and parts are merged', async () => {
  const readers = await newReaders()
  const partials = createPartials({ readers, leastPartBytes: 0 })
  const answerer = answererWith(readers, partials)
  const check = (numRuns: number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.oneof(groupQuery, rowQuery), time, time, async (text, fromUs, toUs) => {
        const asked = { text, fromUs, toUs }
        const expected = sorted(await plain(asked))
        for (let i = 0; i < 3; i += 1) expect(sorted(await ask(answerer, asked))).toEqual(expected)
      }),
      { numRuns },
    )
  await check(60)
  bench.addRows(rows(200, 220))
  await check(30)
  await load(bench, bench.source)
  await merge(bench, bench.source, bench.source.manifest.parts.slice(1, 4))
  bench.addRows(rows(220, 250))
  await check(60)
  // A field becomes wider, and another one is new.
  bench.addRows([{ id: 'wide', ts: NOON + 1, e: { n: 0.5, more: 'x' } }], { n: 'float', more: 'string' })
  await check(30)
  await load(bench, bench.source)
  await check(30)
  expect(partials.counts.answers).toBeGreaterThan(100)
  expect(partials.counts.failures).toBe(0)
}, 60_000)

test('a query that is asked again reads new parts and rows only', async () => {
  const answerer = answererWith(await newReaders())
  const request = requestOf({ text: 'SELECT count(*) AS "n" FROM source_0 AS t0' })
  const scanned = async (): Promise<number> =>
    (await answerer.query(request, new AbortController().signal)).cost.bytesScanned
  await load(bench, bench.source)
  const whole = await scanned()
  expect(await scanned()).toBe(whole)
  expect(await scanned()).toBe(0)
  bench.addRows(rows(250, 251))
  expect(await scanned()).toBe(bench.source.fresh[0]!.bytes)
})

test('queries that run at the same time share what is kept', async () => {
  const answerer = answererWith(await newReaders())
  const text = 'SELECT t0."level" AS "level", count(*) AS "n" FROM source_0 AS t0 GROUP BY 1 ORDER BY 1'
  const expected = await plain({ text })
  const all = await Promise.all(Array.from({ length: 8 }, () => ask(answerer, { text })))
  for (const answer of all) expect(answer).toEqual(expected)
})

test('a chart that is drawn again moves with its range', async () => {
  const answerer = answererWith(await newReaders())
  const text = `SELECT date_trunc('minute', "timestamp") AS bucket, count(*) AS value FROM events WHERE (TRUE) GROUP BY 1 ORDER BY 1`
  const reading = { token: bench.source.token, text, newestRows: null, maxRows: 1000, position: 0, timeoutMs: 20_000 }
  const draw = async (by: ReturnType<typeof answererWith>, fromUs: number): Promise<unknown> => {
    const { body, extent } = await by.read({ ...reading, fromUs, toUs: null }, new AbortController().signal)
    return { rows: JSON.parse(body.toString()), extent }
  }
  for (const seconds of [0, 0, 30, 90, 150]) {
    const fromUs = NOON + seconds * STEP_US
    expect(await draw(answerer, fromUs)).toEqual(await draw(answererWith(shared), fromUs))
  }
})

test('other values of parameters are another query', async () => {
  const answerer = answererWith(await newReaders())
  const text = 'SELECT count(*) AS "n" FROM source_0 AS t0 WHERE t0."n" > CAST($p0 AS BIGINT)'
  for (const value of ['10', '90']) {
    const asked = { text, parameters: { p0: { type: 'VARCHAR' as const, value } } }
    const expected = await plain(asked)
    for (let i = 0; i < 3; i += 1) expect(await ask(answerer, asked)).toEqual(expected)
  }
})

test('what is kept stays within its bytes', async () => {
  const readers = await newReaders()
  const partials = createPartials({ readers, leastPartBytes: 0, keptBytes: 8_000 })
  const answerer = answererWith(readers, partials)
  for (let k = 2; k < 24; k += 1) {
    const text = `SELECT t0."n" % ${k} AS "k", count(*) AS "n" FROM source_0 AS t0 GROUP BY 1`
    for (let i = 0; i < 2; i += 1) await ask(answerer, { text })
    expect(partials.counts.bytes).toBeLessThanOrEqual(8_000)
  }
  expect(partials.counts.queries).toBeGreaterThan(1)
  const before = partials.counts.queries
  for (let i = 0; i < 2; i += 1) await ask(answerer, { text: 'SELECT t0."id" AS "id" FROM source_0 AS t0' })
  expect(partials.counts.queries).toBe(before)
})

test('a query that is stopped while results are gathered stops, and is answered the next time', async () => {
  const readers = await newReaders()
  const partials = createPartials({ readers, leastPartBytes: 0 })
  const answerer = answererWith(readers, partials)
  const text = 'SELECT count(*) AS "n" FROM source_0 AS t0 WHERE t0."n" <> -1'
  const expected = await plain({ text })
  await ask(answerer, { text })
  const request = requestOf({ text })
  const stopped = new AbortController()
  const asked = Array.from({ length: 3 }, () => answerer.query(request, stopped.signal))
  stopped.abort()
  for (const outcome of await Promise.allSettled(asked)) expect(outcome.status).toBe('rejected')
  for (let i = 0; i < 2; i += 1) expect(await ask(answerer, { text })).toEqual(expected)
  expect(partials.counts).toMatchObject({ answers: 2, failures: 0 })
})

test.each([
  ['newest', 'DESC NULLS LAST'],
  ['oldest', 'ASC NULLS FIRST'],
])('the %s rows are the same wherever the walk ends', async (_, direction) => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...conditions), time, time, fc.nat(30), async (where, fromUs, toUs, limit) => {
      const select = `SELECT t0."timestamp" AS "timestamp", t0."id" AS "id" FROM source_0 AS t0 WHERE ${where}`
      const found = await plain({ text: `${select} ORDER BY 1 ${direction} LIMIT ${limit}`, fromUs, toUs })
      // Ordered by something that is not the time itself, so that everything is read.
      const all = await plain({ text: `${select} ORDER BY t0."timestamp" + to_days(0) ${direction}`, fromUs, toUs })
      expect(found.rows).toEqual(all.rows.slice(0, limit))
    }),
    { numRuns: 20 },
  )
})
