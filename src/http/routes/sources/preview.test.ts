import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('a preview shows what settings would make of an event, and says what is wrong instead of refusing', async () => {
  const { token } = await server.newSource({ transform_copy_fields: 'metadata.a:copied' })
  const url = `/api/sources/${token}/preview`
  const event = { id: 'e1', message: 'hi', metadata: { a: 1, b: 2 } }
  expect(await server.call('POST', url, { settings: { transform_drop_fields: 'metadata.b' }, event })).toMatchObject({
    status: 200,
    json: {
      before: event,
      after: { id: 'e1', event_message: 'hi', metadata: { a: 1 }, copied: 1 },
      dropped: false,
      problems: [],
    },
  })
  expect((await server.call('POST', url, { settings: { drop_lql_string: 'm.a:1' }, event })).json).toMatchObject({
    after: null,
    dropped: true,
  })
  const wrong = { transform_copy_fields: 'a', drop_lql_string: null, retention_days: 0 }
  expect((await server.call('POST', url, { settings: wrong, event })).json).toMatchObject({
    after: null,
    problems: [
      { field: 'retention_days', message: 'must be at least 1' },
      { field: 'transform_copy_fields', message: expect.stringContaining('line 1') },
    ],
  })
  expect((await server.call('POST', url, { event: { a: [[1]] } })).json).toMatchObject({
    problems: [{ field: 'event', message: expect.any(String) }],
  })
  // Nothing that was tried stays.
  expect((await server.call('GET', `/api/sources/${token}`)).json.transform_drop_fields).toBeNull()
})

test('a preview without an event takes the newest one', async () => {
  const { token } = await server.newSource()
  expect((await server.call('POST', `/api/sources/${token}/preview`, {})).json).toMatchObject({ before: { id: '1' } })
})

test('the events of a source can be deleted without the source', async () => {
  const { token } = await server.newSource()
  expect((await server.call('DELETE', `/api/sources/${token}/events`)).status).toBe(204)
  expect(server.world.cleared.at(-1)).toMatchObject({ token })
  expect((await server.call('GET', `/api/sources/${token}`)).status).toBe(200)
})
