import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { atom, bert, map, packedBert } from '../../ingest/formats/bert/testing.ts'
import { startLane } from './testing.ts'

let lane: Awaited<ReturnType<typeof startLane>>
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.stop())

const headers = { 'content-type': 'application/bert' }

const event = { message: 'héllo', level: atom('info'), metadata: map({ n: 2n ** 40n }) }

test.each([
  ['/logs/elixir/logger', bert, {}],
  ['/api/logs', packedBert, {}],
  [
    '/api/logs/erlang/lager',
    (term: Parameters<typeof bert>[0]) => gzipSync(bert(term)),
    { 'content-encoding': 'gzip' },
  ],
])('BERT at %s is stored as its JSON would be, the source named in the body', async (path, write, more) => {
  const body = write(map({ batch: [map(event)], source: lane.source.token }))
  const { status, text } = await lane.call('POST', path, body, { ...headers, ...more, 'x-api-key': lane.token })
  expect({ status, text }).toEqual({ status: 200, text: '{"message":"Logged!"}' })
  expect(lane.stored().at(-1)).toMatchObject({ event_message: 'héllo', level: 'info', metadata: { n: 2 ** 40 } })
})

test('what is no BERT is 400, with the reason', async () => {
  const path = `/logs/elixir/logger?source=${lane.source.token}`
  const { status, text } = await lane.call('POST', path, '{}', { ...headers, 'x-api-key': lane.token })
  expect(status).toBe(400)
  expect(text).toContain('not valid BERT')
  expect(lane.errors).toEqual([])
})
