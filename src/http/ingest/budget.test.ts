import { expect, test } from 'vitest'
import { createBudget } from './budget.ts'

test('a share beyond the limit is refused and changes nothing; released bytes can be held again', () => {
  const budget = createBudget(100)
  const [first, second] = [budget.open(), budget.open()]
  first.hold(60)
  expect(() => second.hold(41)).toThrow('Too many requests')
  second.hold(40)
  expect(() => first.hold(61)).toThrow('Too many requests')
  expect(budget.held).toBe(100)
  first.release()
  first.release()
  second.hold(100)
  expect(budget.held).toBe(100)
})

test('a lone request is let in however large it is', () => {
  const budget = createBudget(100)
  budget.open().hold(1000)
  expect(budget.held).toBe(1000)
})

test('a request whose connection has closed holds nothing, whatever it still asks for', () => {
  const budget = createBudget(100)
  const share = budget.open()
  share.release()
  share.hold(50)
  expect(budget.held).toBe(0)
})
