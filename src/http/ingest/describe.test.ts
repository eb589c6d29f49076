import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ManagementServer, startManagement } from '../../../test/support/management.ts'
import { createAcks } from './acks.ts'
import { createAddresses, INGEST_PATHS } from './addresses.ts'
import { addIngestArea } from './describe.ts'

let server: ManagementServer
beforeAll(async () => {
  server = await startManagement([addIngestArea])
})
afterAll(() => server.stop())

const described = async (): Promise<Record<string, { post: ReturnType<typeof JSON.parse> }>> =>
  (await server.call('GET', '/api/openapi.json', undefined, '')).json.paths

test.each(INGEST_PATHS)('%s is taken by the lane, and described in words', async (path) => {
  expect(createAddresses({ vercelSecret: null, acks: createAcks() }).of(path.replace(/:\w+/, 'piece'))).not.toBeNull()
  const { post } = (await described())[path.replace(/:(\w+)/, '{$1}')]!
  expect(post.summary).not.toBe(path)
})

test('the piece of a path that is the sender’s own is a parameter, and lines are a type of body', async () => {
  const { post } = (await described())['/{index}/_bulk']!
  expect(post.parameters).toContainEqual({ name: 'index', in: 'path', required: true, schema: { type: 'string' } })
  expect(Object.keys(post.requestBody.content)).toEqual(['application/x-ndjson'])
})
