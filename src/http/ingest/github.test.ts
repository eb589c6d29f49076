import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLane } from './testing.ts'

let lane: Awaited<ReturnType<typeof startLane>>
beforeAll(async () => {
  lane = await startLane()
})
afterAll(() => lane.stop())

const payload = {
  action: 'opened',
  repository: { full_name: 'o/r', html_url: 'x' },
  sender: { login: 's' },
  title: 'a+b & 100 % "né"\u2028 ',
}
const FORM = 'application/x-www-form-urlencoded'
const form = (value: object): string => new URLSearchParams({ payload: JSON.stringify(value) }).toString()

const post = (body: string | Buffer, type: string, more: Record<string, string> = {}) =>
  lane.call('POST', `/logs/github?source=${lane.source.token}&api_key=${lane.token}`, body, {
    'content-type': type,
    'x-github-event': 'issues',
    ...more,
  })

test.each<[string, string | Buffer, string, Record<string, string>]>([
  ['as a form', form(payload), FORM, {}],
  ['with its character set', form(payload), `${FORM}; charset=utf-8`, {}],
  ['among other fields', `x=1&payload_x=2&${form(payload)}&payload=no`, FORM, {}],
  ['packed', gzipSync(form(payload)), FORM, { 'content-encoding': 'gzip' }],
  ['with small digits', form(payload).toLowerCase().replace('%c3%a9', '%c3%A9'), FORM, {}],
])('a webhook %s is stored as its JSON is', async (_, body, type, more) => {
  expect((await post(JSON.stringify(payload), 'application/json')).status).toBe(200)
  expect(await post(body, type, more)).toMatchObject({ status: 200, json: { message: 'Logged!' } })
  const [asJson, asForm] = lane.stored().slice(-2)
  const { id: _id, timestamp: _timestamp, ...expected } = asJson ?? {}
  expect(asForm).toMatchObject(expected)
  expect(asForm).toMatchObject({ event_message: 'o/r | s | opened', metadata: { title: payload.title } })
})

test.each([
  ['no payload', 'pay=1&load=2', FORM, 400, 'no field payload'],
  ['an empty payload', 'payload=', FORM, 400, 'empty'],
  ['a payload that is no JSON', 'payload=%7B%22a', FORM, 400, 'cannot be read'],
  ['signs that stand for nothing', 'payload=%7B%2', FORM, 400, 'cannot be read'],
  ['another content type', '<a/>', 'text/xml', 415, 'application/json or application/x-www-form-urlencoded'],
])('%s is refused in words', async (_, body, type, status, words) => {
  const answer = await post(body, type)
  expect(answer).toMatchObject({ status, json: { error: expect.stringContaining(words) } })
  expect(lane.errors).toEqual([])
})

test('elsewhere a form is not read', async () => {
  const answer = await lane.call('POST', `/api/logs?source=${lane.source.token}`, form(payload), {
    'content-type': FORM,
    'x-api-key': lane.token,
  })
  expect(answer).toMatchObject({ status: 415, json: { error: expect.stringContaining(FORM) } })
})
