import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAcks } from './acks.ts'
import { startLane } from './testing.ts'

let lane: Awaited<ReturnType<typeof startLane>>
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.stop())

const CHANNEL = 'fe0ecfad-13d5-401b-847d-77833bd77131'

const headers = (channel: string | null = CHANNEL): Record<string, string> => ({
  authorization: `Splunk ${lane.token}`,
  ...(channel === null ? {} : { 'x-splunk-request-channel': channel }),
})

const send = (channel: string | null, body = '{"index":"app","event":"e"}') =>
  lane.call('POST', '/services/collector/event', body, headers(channel))

const ask = (acks: unknown, given = headers()) =>
  lane.call('POST', '/services/collector/ack', JSON.stringify({ acks }), given)

test('a request with a channel gets a number, and the number is acknowledged', async () => {
  expect((await send(CHANNEL)).json).toEqual({ text: 'Success', code: 0, ackId: 0 })
  expect((await send(CHANNEL)).json).toEqual({ text: 'Success', code: 0, ackId: 1 })
  expect((await ask([0, 1, 2])).json).toEqual({ acks: { 0: true, 1: true, 2: false } })
  const other = { ...headers('00000000-0000-4000-8000-000000000000') }
  expect((await ask([0], other)).json).toEqual({ acks: { 0: false } })
})

test('a refused request gets no number', async () => {
  const { status, json } = await send(CHANNEL, '{"index":"app","event":{"a":[[1]]}}')
  expect(status).toBe(400)
  expect(json).not.toHaveProperty('ackId')
})

test('without a channel nothing changes', async () => {
  expect((await send(null)).json).toEqual({ text: 'Success', code: 0 })
})

test('a channel that is no UUID is refused before anything is stored', async () => {
  const before = lane.stored().length
  expect((await send('mine')).json).toEqual({ text: 'Invalid data channel', code: 11 })
  expect(lane.stored()).toHaveLength(before)
})

test.each([
  ['no channel', () => ask([0], headers(null)), 400, { text: 'Data channel is missing', code: 10 }],
  ['a wrong channel', () => ask([0], headers('mine')), 400, { text: 'Invalid data channel', code: 11 }],
  [
    'a wrong token',
    () => ask([0], { ...headers(), authorization: 'Splunk nobody' }),
    403,
    { text: 'Invalid token', code: 4 },
  ],
  ['no list', () => ask('all'), 400, { code: 6 }],
])('asking with %s is refused', async (_, call, status, json) => {
  const answer = await call()
  expect(answer.status).toBe(status)
  expect(answer.json).toMatchObject(json)
})

test('the number of channels is bounded, and a forgotten one knows no number', () => {
  const acks = createAcks()
  acks.next('first')
  for (let i = 0; i < 10_000; i++) acks.next(`channel ${i}`)
  expect(acks.isGiven('first', 0)).toBe(false)
  expect(acks.isGiven('channel 0', 0)).toBe(true)
})
