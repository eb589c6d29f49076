import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Cache, createCache, type Loaded } from './cache.ts'

let nowMs = 0
let cache: Cache<string>
beforeEach(() => {
  vi.useFakeTimers()
  nowMs = 1_000_000
  cache = createCache({ clock: { nowMs: () => nowMs }, maxBytes: 100_000 })
})
afterEach(() => {
  cache.stop()
  vi.useRealTimers()
})

const stays = { lifeMs: 10_000, requeryMs: 0 }
const nobody = async () => null
const never = () => new AbortController().signal
const loaded = (value: string, bytes = 100, uses: string[] = []): Loaded<string> => ({ value, bytes, uses })
const advance = async (ms: number): Promise<void> => {
  nowMs += ms
  await vi.advanceTimersByTimeAsync(ms)
}

test('an answer is kept for its life and no longer', async () => {
  expect(await cache.fill('k', stays, async () => loaded('a'), nobody, never())).toBe('a')
  nowMs += 9_999
  expect(cache.peek('k')).toBe('a')
  nowMs += 1
  expect(cache.peek('k')).toBeNull()
})

test('who asks the same at the same time shares one query', async () => {
  const gate = Promise.withResolvers<Loaded<string>>()
  const load = vi.fn(() => gate.promise)
  const all = Array.from({ length: 20 }, () => cache.fill('k', stays, load, nobody, never()))
  gate.resolve(loaded('one'))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['one']))
  expect(load).toHaveBeenCalledTimes(1)
})

test('a fault is shared by those who wait and not kept', async () => {
  const failing = vi.fn(async (): Promise<Loaded<string>> => {
    throw new Error('no')
  })
  const [one, two] = [
    cache.fill('k', stays, failing, nobody, never()),
    cache.fill('k', stays, failing, nobody, never()),
  ]
  await expect(one).rejects.toThrow('no')
  await expect(two).rejects.toThrow('no')
  expect(failing).toHaveBeenCalledTimes(1)
  expect(await cache.fill('k', stays, async () => loaded('yes'), nobody, never())).toBe('yes')
})

test('the query stops when the last of those who wait is gone, and the next one begins anew', async () => {
  const signals: AbortSignal[] = []
  const hanging = (signal: AbortSignal) =>
    new Promise<Loaded<string>>((_, reject) => {
      signals.push(signal)
      signal.addEventListener('abort', () => reject(new Error('cancelled')))
    })
  const [first, second] = [new AbortController(), new AbortController()]
  const asked = [
    cache.fill('k', stays, hanging, nobody, first.signal),
    cache.fill('k', stays, hanging, nobody, second.signal),
  ]
  const ends = Promise.allSettled(asked)
  first.abort()
  expect(signals[0]!.aborted).toBe(false)
  second.abort()
  expect(signals[0]!.aborted).toBe(true)
  await ends
  expect(await cache.fill('k', stays, async () => loaded('again'), nobody, never())).toBe('again')
})

test('the room is bounded: what was not asked for the longest goes first', async () => {
  for (let n = 0; n < 10; n++) {
    await cache.fill(`k${n}`, stays, async () => loaded(`${n}`, 15_000), nobody, never())
    cache.peek('k0')
  }
  expect(cache.bytes).toBeLessThanOrEqual(100_000)
  expect([cache.peek('k0'), cache.peek('k1'), cache.peek('k9')]).toEqual(['0', null, '9'])
  await cache.fill('huge', stays, async () => loaded('x', 60_000), nobody, never())
  expect([cache.peek('huge'), cache.peek('k9')]).toEqual([null, '9'])
})

test('what was made from something that is gone is gone, also when it was under way', async () => {
  await cache.fill('a', stays, async () => loaded('a', 1, ['s1']), nobody, never())
  await cache.fill('b', stays, async () => loaded('b', 1, ['s2']), nobody, never())
  const gate = Promise.withResolvers<Loaded<string>>()
  const late = cache.fill('c', stays, () => gate.promise, nobody, never())
  cache.forget('s1')
  gate.resolve(loaded('c', 1, ['s1']))
  expect(await late).toBe('c')
  expect(['a', 'b', 'c'].map((key) => cache.peek(key))).toEqual([null, 'b', null])
})

test('requerying renews the answer by one query an interval while readers get the old one', async () => {
  const keep = { lifeMs: 10_000, requeryMs: 2_000 }
  let n = 1
  const gate = Promise.withResolvers<void>()
  const reload = vi.fn(async () => {
    if (n === 1) await gate.promise
    n += 1
    return loaded(`v${n}`)
  })
  await cache.fill('k', keep, async () => loaded('v1'), reload, never())
  await advance(2_000)
  expect(reload).toHaveBeenCalledTimes(1)
  await advance(5_000)
  expect([cache.peek('k'), reload.mock.calls.length]).toEqual(['v1', 1])
  gate.resolve()
  await advance(0)
  expect(cache.peek('k')).toBe('v2')
  await advance(2_000)
  expect(cache.peek('k')).toBe('v3')
})

test('requerying ends when nobody has asked for a life, or when the question is no longer asked', async () => {
  const keep = { lifeMs: 10_000, requeryMs: 2_000 }
  const reload = vi.fn(async () => loaded('new'))
  await cache.fill('k', keep, async () => loaded('old'), reload, never())
  for (let s = 0; s < 60; s += 2) await advance(2_000)
  expect(reload).toHaveBeenCalledTimes(4)
  expect(cache.peek('k')).toBeNull()

  await cache.fill('gone', keep, async () => loaded('old'), nobody, never())
  await advance(2_000)
  expect(cache.peek('gone')).toBeNull()
})

test('a requery that fails leaves the old answer to its life and is tried again', async () => {
  const keep = { lifeMs: 5_000, requeryMs: 2_000 }
  let fails = true
  const reload = async () => {
    if (fails) throw new Error('engine busy')
    return loaded('new')
  }
  await cache.fill('k', keep, async () => loaded('old'), reload, never())
  await advance(2_000)
  expect(cache.peek('k')).toBe('old')
  fails = false
  await advance(2_000)
  expect(cache.peek('k')).toBe('new')
})

test('where another node finds it out anew its answer is taken, with its age; where that is not to be had the query runs here', async () => {
  const keep = { lifeMs: 10_000, requeryMs: 1_000 }
  let there: string | null = 'theirs'
  cache.stop()
  cache = createCache({
    clock: { nowMs: () => nowMs },
    maxBytes: 100_000,
    sharing: {
      isMine: async () => false,
      borrow: async () => (there === null ? null : { ...loaded(there), ageMs: 400 }),
    },
  })
  const reload = vi.fn(async () => loaded('ours'))
  await cache.fill('k', keep, async () => loaded('first'), reload, never())
  await advance(1_000)
  expect([cache.peek('k'), await cache.lend('k')]).toMatchObject(['theirs', { value: 'theirs', ageMs: 400 }])
  expect(reload).not.toHaveBeenCalled()
  there = null
  await advance(1_000)
  expect([cache.peek('k'), await cache.lend('k')]).toMatchObject(['ours', { ageMs: 0 }])
})

test('what is lent is what the query under way will have found', async () => {
  const gate = Promise.withResolvers<Loaded<string>>()
  await cache.fill(
    'k',
    { lifeMs: 10_000, requeryMs: 1_000 },
    async () => loaded('old'),
    () => gate.promise,
    never(),
  )
  await advance(1_000)
  const lent = cache.lend('k')
  gate.resolve(loaded('new'))
  expect(await lent).toMatchObject({ value: 'new' })
  expect(await cache.lend('other')).toBeNull()
})
