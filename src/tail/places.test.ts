import { expect, test } from 'vitest'
import { printPlaces, readPlaces } from './places.ts'

test('places survive printing and reading', () => {
  const places = new Map([
    [1, '4096.7'],
    [12, '0'],
  ])
  expect([printPlaces(places), readPlaces('1:4096.7-12:0')]).toEqual(['1:4096.7-12:0', places])
})

test.each(['', '4096.7', '1:', '1:a', '1:2--2:3', 'unknown', '1:2-'])('%j is no list of places', (text) => {
  expect(readPlaces(text)).toBeNull()
})
