import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { typed } from './compose.ts'
import { createRunning } from './running.ts'

const question = (accountId: number) => ({ accountId, query: typed('select 1'), timeoutMs: 25_000 })

test('a query is listed for its own account while it runs, and no longer', async () => {
  const running = createRunning({ clock: systemClock })
  const { promise, resolve } = Promise.withResolvers<string>()
  const asked = running.watch(() => promise)(question(1))
  expect(running.list(1)).toMatchObject([{ text: 'select 1', timeout_ms: 25_000 }])
  expect(running.list(2)).toEqual([])
  resolve('rows')
  expect(await asked).toBe('rows')
  expect(running.list(1)).toEqual([])
})

test('a query is ended by its own account only', async () => {
  const running = createRunning({ clock: systemClock })
  const asked = running.watch(
    ({ signal }: ReturnType<typeof question> & { signal?: AbortSignal }) =>
      new Promise<string>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('ended')))),
  )(question(1))
  const [{ id } = { id: 0 }] = running.list(1)
  expect(running.cancel(2, id)).toBe(false)
  expect(running.cancel(1, id)).toBe(true)
  await expect(asked).rejects.toThrow('ended')
  expect(running.cancel(1, id)).toBe(false)
})

test('a caller who goes away still ends the query', async () => {
  const running = createRunning({ clock: systemClock })
  const caller = new AbortController()
  let heard: AbortSignal | undefined
  const asked = running.watch(async ({ signal }: ReturnType<typeof question> & { signal?: AbortSignal }) => {
    heard = signal
  })({ ...question(1), signal: caller.signal })
  await asked
  caller.abort()
  expect(heard?.aborted).toBe(true)
})
