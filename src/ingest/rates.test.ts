import { expect, test } from 'vitest'
import { accountKey, createQuotas } from './quotas.ts'
import { createRates } from './rates.ts'

function setUp() {
  let now = 1_000_000
  const rates = createRates({ clock: { nowMs: () => now } })
  const pass = (seconds: number): void => {
    now += seconds * 1000
  }
  return { rates, rate: rates.of('s'), pass, quotas: createQuotas({ rates }) }
}

test('the average is over the last 60 seconds', () => {
  const { rate, pass } = setUp()
  rate.count(120)
  expect(rate.average()).toBe(2)
  pass(30)
  rate.count(60)
  expect(rate.average()).toBe(3)
  pass(30)
  expect(rate.average()).toBe(1)
  pass(1000)
  expect(rate.average()).toBe(0)
  expect([rate.total(), rate.max()]).toEqual([180, 120])
})

test('the current rate is that of the last whole second', () => {
  const { rate, pass } = setUp()
  rate.count(7)
  pass(1)
  rate.count(3)
  expect(rate.current()).toBe(7)
})

test('a clock that steps back loses no count', () => {
  const { rate, pass } = setUp()
  rate.count(5)
  pass(-10)
  rate.count(5)
  expect(rate.lastMinute()).toBe(10)
})

test('a quota lets requests in while something remains, and tells what', () => {
  const { rates, quotas, pass } = setUp()
  const limits = { sourceRate: 5, accountRate: 10 }
  const source = { token: 's', account_id: 1 }
  const remaining = (): string | undefined => quotas.headers(source, limits)['x-rate-limit-source_remaining']
  expect(quotas.headers(source, limits)).toEqual({
    'x-rate-limit-user_limit': '600',
    'x-rate-limit-user_remaining': '600',
    'x-rate-limit-source_limit': '300',
    'x-rate-limit-source_remaining': '300',
  })
  rates.of('s').count(299)
  quotas.check(source, limits)
  expect(remaining()).toBe('1')
  rates.of('s').count(50)
  expect(() => quotas.check(source, limits)).toThrow('source is over its quota')
  rates.of(accountKey(1)).count(700)
  expect(() => quotas.check({ ...source, token: 'other' }, limits)).toThrow('account is over its quota')
  pass(61)
  expect(remaining()).toBe('300')
})

test('without a limit there are no headers', () => {
  const limits = { sourceRate: null, accountRate: null }
  expect(setUp().quotas.headers({ token: 's', account_id: 1 }, limits)).toEqual({})
})
