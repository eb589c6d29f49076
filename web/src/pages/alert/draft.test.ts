import { expect, test } from 'vitest'
import { draftOf, settingsOf } from './draft.ts'

test('a new alert fires on any row and reminds once an hour', () => {
  expect(settingsOf(draftOf(null, 'select 1'))).toMatchObject({
    query: 'select 1',
    condition: { type: 'rows' },
    repeat_minutes: 60,
    emails: [],
  })
})

test('addresses may be separated as people do', () => {
  const draft = { ...draftOf(null, ''), emails: 'a@example.com, b@example.com\nc@example.com;' }
  expect(settingsOf(draft).emails).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
})

test('a threshold is a number, and never again is null', () => {
  const draft = {
    ...draftOf(null, ''),
    condition: 'value' as const,
    column: 'ms',
    threshold: '1.5',
    repeat: 'once' as const,
  }
  expect(settingsOf(draft)).toMatchObject({
    condition: { type: 'value', column: 'ms', operator: '>', threshold: 1.5 },
    repeat_minutes: null,
  })
})
