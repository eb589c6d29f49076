import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { Cursor, SearchRequest } from '../protocol.ts'
import { load } from './load.ts'
import { readPage } from './page.ts'
import { viewOf } from './relation.ts'
import { createBench, type Row } from './testing.ts'

const NOON = Date.UTC(2026, 10, 14, 12) * 1000
const NOW_MS = Date.UTC(2026, 10, 15)

const whole: SearchRequest = {
  token: '',
  where: 'TRUE',
  select: null,
  fromUs: null,
  toUs: null,
  before: null,
  after: null,
  from: 'newest',
  listed: 'newest first',
  limit: 100,
  position: 0,
  timeoutMs: 5_000,
}

type Bench = Awaited<ReturnType<typeof createBench>>

/** Heavy events are read in two steps; which way is taken must not show. */
let isHeavy = false

const view = (bench: Bench) => {
  const found = viewOf(bench.source, NOW_MS)
  return isHeavy ? { ...found, isLight: () => false } : found
}

afterEach(() => {
  isHeavy = false
})

async function page(bench: Bench, asked: Partial<SearchRequest>): Promise<{ ids: string[]; next: Cursor | null }> {
  const { body, extent } = await readPage(bench.connection, view(bench), { ...whole, ...asked })
  const events: { id: string }[] = JSON.parse(body.toString())
  return { ids: events.map(({ id }) => id), next: extent!.next }
}

async function pages(bench: Bench, asked: Partial<SearchRequest>): Promise<string[]> {
  const side = asked.from === 'oldest' ? 'after' : 'before'
  const ids: string[] = []
  let next: Cursor | null = null
  do {
    const found: { ids: string[]; next: Cursor | null } = await page(bench, {
      ...asked,
      [side]: next ?? asked[side] ?? null,
    })
    expect(found.ids.length).toBeLessThanOrEqual(asked.limit ?? 100)
    ids.push(...found.ids)
    next = found.next
  } while (next)
  return ids
}

test.each([false, true])(
  'pages give every event once, in order, over parts and fresh rows, with equal times and equal ids (heavy: %s)',
  async (heavy) => {
    isHeavy = heavy
    const row = fc.record({ id: fc.constantFrom('a', 'b', "c'", 'ü', 'z'), ts: fc.integer({ min: 0, max: 40 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(row, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        async (batches, limit) => {
          const bench = await createBench()
          const rows: Row[] = []
          for (const [i, batch] of batches.entries()) {
            const made = batch.map(({ id, ts }) => ({ id, ts: NOON + ts * 3_000_000_000, e: { n: i } }))
            bench.addRows(made, { n: 'integer' })
            rows.push(...made)
            if (i % 2 === 0) await load(bench, bench.source)
          }
          const kept = rows.filter(({ ts }) => ts <= NOW_MS * 1000 + 1e12)
          const byOrder = (a: Row, b: Row): number =>
            a.ts - b.ts || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
          const expected = kept.sort(byOrder).map(({ id }) => id)
          expect(await pages(bench, { limit })).toEqual(expected.toReversed())
          expect(await pages(bench, { limit, from: 'oldest', listed: 'oldest first' })).toEqual(expected)
        },
      ),
      { numRuns: 5 },
    )
  },
  60_000,
)

test('events that arrive between pages neither repeat nor push out older ones', async () => {
  const bench = await createBench()
  const add = (...ids: [string, number][]): void =>
    bench.addRows(
      ids.map(([id, at]) => ({ id, ts: NOON + at, e: { n: 1 } })),
      { n: 'integer' },
    )
  add(['a', 1], ['b', 2], ['c', 3], ['d', 4])
  const first = await page(bench, { limit: 2 })
  expect(first.ids).toEqual(['d', 'c'])
  add(['newer', 9], ['late, in front of the cursor', 3], ['late, behind it', 2])
  await load(bench, bench.source)
  expect((await page(bench, { limit: 9, before: first.next })).ids).toEqual(['late, behind it', 'b', 'a'])
  const newer = await page(bench, { limit: 9, after: { us: NOON + 4, id: 'd', seen: 1 }, from: 'oldest' })
  expect(newer.ids).toEqual(['newer'])
})

test.each([false, true])(
  'a page stays between its times and its places, and shows only what was asked for (heavy: %s)',
  async (heavy) => {
    isHeavy = heavy
    const bench = await createBench()
    bench.addRows(
      [1, 2, 3, 4, 5].map((at) => ({ id: `e${at}`, ts: NOON + at, e: { n: at, event_message: 'm' } })),
      { n: 'integer' },
    )
    expect((await page(bench, { fromUs: NOON + 2, toUs: NOON + 4 })).ids).toEqual(['e4', 'e3', 'e2'])
    const between = { before: { us: NOON + 5, id: '', seen: 0 }, after: { us: NOON + 2, id: 'e2', seen: 1 } }
    expect((await page(bench, between)).ids).toEqual(['e4', 'e3'])
    expect((await page(bench, { where: '"n" > 3', listed: 'oldest first' })).ids).toEqual(['e4', 'e5'])
    const { body } = await readPage(bench.connection, view(bench), {
      ...whole,
      select: 'e.id, e."n" AS "timestamp"',
      limit: 1,
    })
    expect(JSON.parse(body.toString())).toEqual([{ id: 'e5', timestamp: 5 }])
  },
)

test('nothing past its retention is on a page', async () => {
  const bench = await createBench()
  bench.source.retentionDays = 1
  bench.addRows([
    { id: 'old', ts: (NOW_MS - 86_400_001) * 1000, e: {} },
    { id: 'kept', ts: (NOW_MS - 86_399_000) * 1000, e: {} },
  ])
  expect((await page(bench, {})).ids).toEqual(['kept'])
})
