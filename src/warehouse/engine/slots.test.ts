import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

const wanted = new AbortController().signal

test('as many reads as there are slots run at once, and the others in the order they came', async () => {
  const slots = createSlots({ atOnce: 2 })
  const started: number[] = []
  const ends = new Map<number, () => void>()
  for (const n of [1, 2, 3, 4])
    void slots.take(wanted).then((end) => {
      started.push(n)
      ends.set(n, end)
    })
  await new Promise(setImmediate)
  expect(started).toEqual([1, 2])
  ends.get(2)!()
  await new Promise(setImmediate)
  expect(started).toEqual([1, 2, 3])
  ends.get(1)!()
  ends.get(3)!()
  await new Promise(setImmediate)
  expect(started).toEqual([1, 2, 3, 4])
  ends.get(4)!()
})

test('a read that waits too long is told so, and takes no slot', async () => {
  const slots = createSlots({ atOnce: 1, maxWaitMs: 5 })
  const end = await slots.take(wanted)
  await expect(slots.take(wanted)).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('1 queries'),
  })
  end()
  const again = await slots.take(wanted)
  again()
})

test('a read that nobody wants any more leaves the queue at once', async () => {
  const slots = createSlots({ atOnce: 1 })
  const end = await slots.take(wanted)
  const gone = new AbortController()
  const waiting = slots.take(gone.signal)
  gone.abort()
  await expect(waiting).rejects.toThrow('cancelled')
  await expect(slots.take(gone.signal)).rejects.toThrow('cancelled')
  end()
  const again = await slots.take(wanted)
  again()
})
