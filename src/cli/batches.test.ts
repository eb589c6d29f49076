import { expect, test } from 'vitest'
import { batches } from './batches.ts'

const limits = { events: 3, bytes: 100, waitMs: 10_000 }

async function* lines(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

async function all(input: AsyncIterable<string>, given = limits): Promise<string[][]> {
  const found: string[][] = []
  for await (const batch of batches(input, given)) found.push(batch)
  return found
}

test('a batch is full by number, and the rest comes at the end', async () => {
  expect(await all(lines('a', 'b', 'c', 'd'))).toEqual([['a', 'b', 'c'], ['d']])
})

test('a batch is full by size, and a line that is too long goes alone', async () => {
  const long = 'x'.repeat(150)
  expect(await all(lines('a', long, 'b'))).toEqual([['a'], [long], ['b']])
})

test('lines do not wait for ever for others', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  async function* slow(): AsyncGenerator<string> {
    yield 'a'
    await promise
    yield 'b'
  }
  const found: string[][] = []
  for await (const batch of batches(slow(), { ...limits, waitMs: 5 })) {
    found.push(batch)
    resolve()
  }
  expect(found).toEqual([['a'], ['b']])
})

test('nothing gives nothing', async () => expect(await all(lines())).toEqual([]))
