import { expect, test } from 'vitest'
import { createAllowance } from './allowance.ts'

/** How much of a long time may be worked, when there is always work, in pieces of 2 ms. */
async function shareOf(busy: number): Promise<number> {
  let nowMs = 0
  const allowance = createAllowance({
    nowMs: () => nowMs,
    busy: () => busy,
    wait: async (ms) => {
      nowMs += ms
    },
  })
  let workedMs = 0
  while (nowMs < 60_000) {
    const hasTime = await allowance.ready()
    if (!hasTime) continue
    allowance.spend(2)
    workedMs += 2
    nowMs += 2
  }
  return workedMs / nowMs
}

test('an idle thread gives half of its time, a busy one a fiftieth', async () => {
  expect(await shareOf(0)).toBeCloseTo(0.5, 1)
  expect(await shareOf(0.5)).toBeCloseTo(0.125, 1)
  expect(await shareOf(1)).toBeCloseTo(0.02, 2)
})

test('nobody waits longer than 200 ms, whatever was spent', async () => {
  let nowMs = 0
  const allowance = createAllowance({
    nowMs: () => nowMs,
    busy: () => 1,
    wait: async (ms) => {
      nowMs += ms
    },
  })
  allowance.spend(100_000)
  expect(await allowance.ready()).toBe(false)
  expect(nowMs).toBe(200)
})
