import fc from 'fast-check'
import { expect, test } from 'vitest'
import { load } from './load.ts'
import { sourceRelation } from './relation.ts'
import { createBench, type Row } from './testing.ts'

const NOON = Date.UTC(2026, 10, 15, 12) * 1000
const NOW_MS = NOON / 1000 + 60_000
const STEP_US = 10

const rows: Row[] = Array.from({ length: 60 }, (_, i) => ({
  id: String(i).padStart(2, '0'),
  ts: NOON + i * STEP_US,
  e: i < 20 ? { n: i } : { n: i, more: `${i}` },
}))

test('a source between two times has exactly the rows of that time, wherever they are kept', async () => {
  const bench = await createBench()
  const loadRows = async (some: Row[], fields = {}): Promise<void> => {
    bench.addRows(some, fields)
    await load(bench, bench.source)
  }
  await loadRows(rows.slice(0, 20), { n: 'integer' })
  const time = fc.option(fc.integer({ min: NOON - STEP_US, max: NOON + 61 * STEP_US }))
  const check = (known: Row[]) =>
    fc.assert(
      fc.asyncProperty(time, time, async (fromUs, toUs) => {
        const relation = sourceRelation(bench.source, { fromUs, toUs }, NOW_MS)
        const found = await bench.select(`SELECT id FROM (${relation}) ORDER BY id`)
        const expected = known.filter(({ ts }) => ts >= (fromUs ?? 0) && ts <= (toUs ?? ts)).map(({ id }) => id)
        expect(found.flat()).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  await check(rows.slice(0, 20))
  await loadRows(rows.slice(20, 40), { more: 'string' })
  await check(rows.slice(0, 40))
  bench.addRows(rows.slice(40))
  await check(rows)
})
