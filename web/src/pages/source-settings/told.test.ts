import { expect, test } from 'vitest'
import { freeName, isTelling, isTold, printNumber, readNumber, withDefaults } from './told.ts'

test('what was never set has its default, and unknown fields stay', () => {
  expect(withDefaults(null)).toMatchObject({ emails: [], errors: false, every_minutes: 10 })
  const stored = { errors: true, user_text_notifications: true }
  expect(withDefaults(stored)).toMatchObject({ errors: true, user_text_notifications: true, patterns: [] })
})

test('a new pattern gets a name that none has', () => {
  const pattern = { lql: '', threshold: 1, window_minutes: 10 }
  expect(freeName([])).toBe('pattern 1')
  expect(freeName([{ ...pattern, name: 'pattern 2' }])).toBe('pattern 3')
})

test('telling nobody, and telling nothing, are noticed', () => {
  expect(isTold(withDefaults({ webhook_url: '' }))).toBe(false)
  expect(isTold(withDefaults({ emails: ['a@example.com'] }))).toBe(true)
  expect(isTelling(withDefaults(null))).toBe(false)
  expect(isTelling(withDefaults({ schema_changes: true }))).toBe(true)
})

test('an empty input is sent as nothing, so that the service says it is missing', () => {
  expect(printNumber(readNumber(''))).toBe('')
  expect(printNumber(readNumber('15'))).toBe('15')
  expect(JSON.stringify({ threshold: readNumber('') })).toBe('{"threshold":null}')
})
