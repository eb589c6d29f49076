import { expect, test } from 'vitest'
import type { FlatFields } from '../model/fields.ts'
import { createPreview } from './preview.ts'
import { createTrial, NOW_MS, NOW_US } from './testing.ts'

const FIELDS: FlatFields = { metadata: 'object', 'metadata.user': 'string', 'metadata.status': 'integer' }

function previewOf(settings: object, event: unknown) {
  const { source } = createTrial({ source: settings })
  const preview = createPreview({
    clock: { nowMs: () => NOW_MS },
    fields: () => FIELDS,
    keyValues: { lookupFor: () => (key) => (key === 'u1' ? { org: 'acme' } : undefined) },
  })
  return preview(source, event)
}

const EVENT = { id: 'e1', message: 'hello', metadata: { user: 'u1', status: '500', secret: 'x' } }

test('copy, enrichment and drop rules do to the event what they would do to one that is sent', async () => {
  const settings = {
    transform_copy_fields: 'metadata.status:status',
    transform_key_values: 'metadata.user:customer:org',
    transform_drop_fields: 'metadata.secret',
  }
  expect(await previewOf(settings, EVENT)).toEqual({
    outcome: 'stored',
    event: {
      id: 'e1',
      timestamp: NOW_US,
      event_message: 'hello',
      metadata: { user: 'u1', status: 500 },
      status: '500',
      customer: 'acme',
    },
  })
})

test('an event that meets the drop filter is dropped, another one is not', async () => {
  expect(await previewOf({ drop_lql_string: 'm.status:>=500' }, EVENT)).toEqual({ outcome: 'dropped' })
  expect(await previewOf({ drop_lql_string: 'm.status:<500' }, EVENT)).toMatchObject({ outcome: 'stored' })
})

test('an event that would be refused says why', async () => {
  expect(await previewOf({}, { tags: [[1]] })).toMatchObject({ outcome: 'refused', reason: expect.any(String) })
  expect(await previewOf({ retention_days: 1 }, { timestamp: (NOW_MS - 3 * 86_400_000) / 1000 })).toMatchObject({
    outcome: 'refused',
    reason: 'timestamp is older than the retention of 1 day',
  })
})

test('a locked schema keeps new fields apart, and the fields of the source stay as they were', async () => {
  const before = { ...FIELDS }
  expect(await previewOf({ lock_schema: true }, EVENT)).toMatchObject({
    event: { _unlisted: expect.stringContaining('secret') },
  })
  await previewOf({}, { brand_new: 1 })
  expect(FIELDS).toEqual(before)
})
