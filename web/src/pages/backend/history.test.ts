import { expect, test } from 'vitest'
import { deliveryRates } from './history.ts'

const sample = (atMs: number, delivered: number) => ({ atMs, delivered, waiting: 0 })

test('rates are events per second between two looks', () => {
  expect(deliveryRates([sample(0, 10), sample(2000, 30), sample(3000, 30)])).toEqual([10, 0])
})

test('a restart, which counts from zero again, is no negative rate', () => {
  expect(deliveryRates([sample(0, 100), sample(1000, 5)])).toEqual([0])
})

test('one look says nothing about a rate', () => expect(deliveryRates([sample(0, 100)])).toEqual([]))
