import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement()
})
afterAll(() => server.stop())

test('key-values are written, listed and removed', async () => {
  const entries = [
    { key: 'c1', value: { org: { id: 1 } } },
    { key: 'c2', value: { org: { id: 2 } } },
    { key: 'c3', value: { org: { id: 2 } } },
  ]
  expect(await server.call('POST', '/api/key-values', entries)).toMatchObject({
    status: 201,
    json: { inserted_count: 3 },
  })
  expect((await server.call('POST', '/api/key-values', { key: 'c0', value: { a: 1 } })).json).toEqual({
    inserted_count: 1,
  })
  expect((await server.call('GET', '/api/key-values?key=c1')).json).toMatchObject([entries[0]!])
  expect((await server.call('GET', '/api/key-values?limit=1&after=c1')).json).toMatchObject([entries[1]!])
  const removal = { values: [2], accessor: '$.org.id' }
  expect(await server.call('DELETE', '/api/key-values', removal)).toMatchObject({
    status: 200,
    json: { deleted_count: 2 },
  })
  expect((await server.call('DELETE', '/api/key-values', { keys: ['c0', 'c1', 'c9'] })).json).toEqual({
    deleted_count: 2,
  })
  expect((await server.call('DELETE', '/api/key-values', {})).json).toEqual({ deleted_count: 0 })
})

test.each([
  [[{ key: '', value: { a: 1 } }], { '0.key': ["can't be blank"] }],
  [[{ key: 'k', value: 'text' }], { '0.value': ['is invalid'] }],
  [[{ key: 'k', value: {} }], { '0.value': ["can't be blank"] }],
  [{ key: 'k' }, { '0.value': ["can't be blank"] }],
])('key-values refuse %j', async (body, errors) => {
  expect(await server.call('POST', '/api/key-values', body)).toMatchObject({ status: 422, json: { errors } })
})

test('entries are found by a part of their keys, in any case', async () => {
  const put = (key: string) => server.call('POST', '/api/key-values', { key, value: { a: 1 } })
  for (const key of ['Find_me', 'find%me', 'findXme', 'other']) await put(key)
  const found = async (search: string): Promise<string[]> =>
    (await server.call('GET', `/api/key-values?search=${encodeURIComponent(search)}`)).json.map(
      ({ key }: { key: string }) => key,
    )
  expect(await found('FIND')).toEqual(['Find_me', 'find%me', 'findXme'])
  expect(await found('d%m')).toEqual(['find%me'])
  expect(await found('d_m')).toEqual(['Find_me'])
  expect(await found('nothing')).toEqual([])
})
