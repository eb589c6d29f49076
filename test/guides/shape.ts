/** Compares an answer with the one that a guide shows: the same names and kinds of values, not the same values. */
import { expect } from 'vitest'

export function expectShape(answer: unknown, shown: unknown): void {
  expect(shapeOf(answer)).toEqual(shapeOf(shown))
}

/** Of a list, the shape of its first entry. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]))
}
