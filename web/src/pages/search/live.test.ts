import { expect, test } from 'vitest'
import { LIVE_MAX, NOTHING_LIVE, take } from './live.ts'

const event = (n: number) => ({ id: `e${n}`, timestamp: n, event_message: null })
const events = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => event(from + i))

test('what comes is shown newest first, late ones where they belong', () => {
  const live = take(take(NOTHING_LIVE, [event(1), event(3)], false), [event(2), event(4)], false)
  expect(live.shown.map(({ id }) => id)).toEqual(['e4', 'e3', 'e2', 'e1'])
})

test('while somebody reads events are held, and nothing of them is lost', () => {
  const held = take(take(NOTHING_LIVE, [event(1)], false), events(2, 10), true)
  expect(held.shown).toHaveLength(1)
  expect(held.held).toHaveLength(8)
  expect(take(held, [], false).shown).toHaveLength(9)
})

test('both lists are bounded, and what could not be held is counted', () => {
  const held = take(NOTHING_LIVE, events(0, LIVE_MAX + 7), true)
  expect(held.held).toHaveLength(LIVE_MAX)
  expect(held.held[0]?.id).toBe('e7')
  expect(held.missed).toBe(7)
  expect(take(NOTHING_LIVE, events(0, LIVE_MAX + 7), false).shown).toHaveLength(LIVE_MAX)
})
