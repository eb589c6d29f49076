import { expect, test } from 'vitest'
import { createBuffers } from './buffers.ts'

test('a large buffer that was given back is used again', () => {
  const buffers = createBuffers({ keepBytes: 1024 * 1024 })
  const first = buffers.take(100_000)
  expect(first.length).toBeGreaterThanOrEqual(100_000)
  buffers.give(first)
  expect(buffers.take(90_000)).toBe(first)
  expect(buffers.take(90_000)).not.toBe(first)
})

test('no more than the limit is kept', () => {
  const buffers = createBuffers({ keepBytes: 150_000 })
  const [one, two] = [buffers.take(100_000), buffers.take(100_000)]
  buffers.give(one)
  buffers.give(two)
  expect(buffers.take(100_000)).toBe(one)
  expect(buffers.take(100_000)).not.toBe(two)
})
