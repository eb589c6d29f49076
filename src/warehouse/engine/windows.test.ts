import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Stretch, startOfNewest, type Window, windows } from './windows.ts'

const stretch = fc
  .record({ rows: fc.integer({ min: 1, max: 3_000_000 }), minUs: fc.nat(1e9), length: fc.nat(1e8) })
  .map(({ rows, minUs, length }): Stretch => ({ rows, minUs, maxUs: minUs + length }))

const within = fc.tuple(fc.nat(1e9), fc.nat(1e9)).map(([a, b]) => ({ fromUs: Math.min(a, b), toUs: Math.max(a, b) }))

test('windows cover every time that has events once, without gap or overlap, in both directions', () => {
  fc.assert(
    fc.property(
      fc.array(stretch, { maxLength: 20 }),
      within,
      fc.constantFrom('newest', 'oldest'),
      (all, asked, from) => {
        const walked = [...windows(all, asked, from, 500)]
        const inOrder = from === 'newest' ? walked.toReversed() : walked
        for (const [i, window] of inOrder.entries()) {
          expect(window.fromUs).toBeLessThanOrEqual(window.toUs)
          if (i > 0) expect(window.fromUs).toBe(inOrder[i - 1]!.toUs + 1)
        }
        const reached = (us: number): boolean => walked.some(({ fromUs, toUs }) => us >= fromUs && us <= toUs)
        for (const { minUs, maxUs } of all)
          for (const us of [minUs, maxUs]) expect(reached(us)).toBe(us >= asked.fromUs && us <= asked.toUs)
      },
    ),
  )
})

const day = 86_400_000_000
const history = (days: number): Stretch[] =>
  Array.from({ length: days }, (_, i) => ({ rows: 1_000_000, minUs: i * day, maxUs: (i + 1) * day - 1 }))
const everything: Window = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER }

test('the first window is as long however much history lies behind it', () => {
  const lengths = [1, 10, 500].map((days) => {
    const [first] = windows(history(days), everything, 'newest', 500)
    return first!.toUs - first!.fromUs
  })
  expect(new Set(lengths).size).toBe(1)
  expect(lengths[0]).toBeLessThan(60_000_000)
})

test('a walk over 500 million rows takes few windows', () => {
  expect([...windows(history(500), everything, 'newest', 500)].length).toBeLessThan(80)
  expect([...windows(history(2), everything, 'oldest', 500)].length).toBeLessThan(6)
})

test('the newest rows begin where about as many lie as were asked for', () => {
  expect(startOfNewest(history(10), everything, 1_500_000)).toBeCloseTo(8.5 * day, -3)
  expect(startOfNewest(history(1), everything, 5_000_000)).toBe(0)
  expect(startOfNewest([], everything, 5)).toBe(0)
})
