import { expect, test } from 'vitest'
import { inline, leavesOf, levelIn, selectedIn, summaryOf, valueAt } from './event-fields.ts'

const event = {
  id: 'a',
  timestamp: 1_763_193_600_000_000,
  event_message: null,
  metadata: { level: 'WARN', tags: ['x', 'y'], items: [{ sku: 1 }, { sku: 2 }, {}] },
}

test('a path leads into objects and through lists', () => {
  expect(valueAt(event, 'metadata.level')).toBe('WARN')
  expect(valueAt(event, 'metadata.items.sku')).toEqual([1, 2])
  expect(valueAt(event, 'metadata.none.at.all')).toBeUndefined()
})

test('a level is known by its many names, and by a status code where there is none', () => {
  expect(levelIn(event)).toEqual({ name: 'WARN', level: 'warning' })
  expect(levelIn({ ...event, metadata: { status_code: 503 } })).toEqual({ name: '503', level: 'error' })
  expect(levelIn({ ...event, metadata: {} })).toBeNull()
})

test('an event without a message shows what else it has', () => {
  expect(summaryOf({ ...event, metadata: { n: 1 } })).toBe('{"metadata":{"n":1}}')
  expect(summaryOf({ ...event, event_message: '' })).toBe('')
})

test('leaves carry the path by which they are searched', () => {
  const leaves = leavesOf(event).filter(({ isBranch }) => !isBranch)
  expect(leaves.map(({ path, value }) => [path, value])).toEqual([
    ['id', 'a'],
    ['timestamp', event.timestamp],
    ['event_message', null],
    ['metadata.level', 'WARN'],
    ['metadata.tags', 'x'],
    ['metadata.tags', 'y'],
    ['metadata.items.sku', 1],
    ['metadata.items.sku', 2],
  ])
})

test('what a query selects is shown as columns, whole events are not', () => {
  const chosen = { id: 'a', timestamp: 1, event_message: null, count: 2, metadata_tags: [] }
  expect(selectedIn('s:m.n@count s:m.tags', [chosen])).toEqual(['count', 'metadata_tags'])
  expect(selectedIn('s:* error', [event])).toEqual([])
  expect(selectedIn('error', [event])).toEqual([])
})

test('a value fits on one line', () => {
  expect(inline({ a: [1] })).toBe('{"a":[1]}')
  expect(inline(undefined)).toBe('')
  expect(inline(false)).toBe('false')
})
