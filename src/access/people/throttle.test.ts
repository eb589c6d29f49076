import { expect, test } from 'vitest'
import { createThrottle } from './throttle.ts'

function start() {
  const time = { nowMs: 0 }
  const throttle = createThrottle({ clock: { nowMs: () => time.nowMs }, tries: 3, perMs: 60_000 })
  return { time, throttle }
}

test('tries beyond the limit are refused until the time is over, which is told', () => {
  const { time, throttle } = start()
  for (let i = 0; i < 3; i++) throttle.take('a')
  time.nowMs = 20_500
  expect(() => throttle.take('a')).toThrow(expect.objectContaining({ code: 'over_quota', retryAfterS: 40 }))
  throttle.take('b')
  time.nowMs = 60_000
  for (let i = 0; i < 3; i++) throttle.take('a')
  expect(() => throttle.take('a')).toThrow('Too many tries')
})

test('an honest try does not count', () => {
  const { throttle } = start()
  for (let i = 0; i < 20; i++) {
    throttle.take('a')
    throttle.giveBack('a')
  }
  for (let i = 0; i < 3; i++) throttle.take('a')
  expect(() => throttle.take('a')).toThrow('Too many tries')
  throttle.giveBack('never seen')
})

test('a name that had too many tries is not freed by thousands of others', () => {
  const { throttle } = start()
  for (let i = 0; i < 3; i++) throttle.take('busy')
  for (let i = 0; i < 19_000; i++) throttle.take(`name ${i}`)
  expect(() => throttle.take('busy')).toThrow('Too many tries')
})
