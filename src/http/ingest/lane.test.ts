import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLane } from './testing.ts'

let lane: Awaited<ReturnType<typeof startLane>>
beforeAll(async () => {
  lane = await startLane({ vercelSecret: 'drain' })
})
afterAll(() => lane.stop())

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  lane.call('POST', path, body, { 'x-api-key': lane.token, 'content-type': 'application/json', ...headers })

describe('addresses of the service itself', () => {
  test.each([
    ['/api/logs', '[{"message":"m"}]'],
    ['/logs/json', '{"a":1}'],
    ['/api/logs/browser/reports', '[{"type":"csp-violation"}]'],
    ['/api/logs/vector', '[{"message":"m"}]'],
    ['/api/logs/netlify', '{"message":"ping"}'],
    ['/api/logs/github', '{"action":"opened"}'],
    ['/api/logs/typecasts', '{"batch":[{"body":{"a":"1"}}]}'],
    ['/logs/logplex', '<14>1 - host app web.1 - - hello\n'],
    ['/api/events/syslog', '<14>1 - host app web.1 - - hello\n'],
    ['/logs/erlang/lager', '{"batch":[{"message":"m"}]}'],
    ['/logs/elixir/logger', '{"batch":[{"message":"m"}]}'],
    ['/api/logs/fluent-bit', '[{"date":1.5,"log":"m","timestamp":1794744000}]'],
  ])('%s stores and says so', async (path, body) => {
    const before = lane.stored().length
    expect(await post(`${path}?source_name=app`, body)).toMatchObject({ status: 200, json: { message: 'Logged!' } })
    expect(lane.stored()).toHaveLength(before + 1)
  })

  test('x-source may hold a token or a name', async () => {
    for (const named of [lane.source.token, 'app'])
      expect(await post('/api/logs', '{}', { 'x-source': named })).toMatchObject({ status: 200 })
    expect(await post('/api/logs', '{}', { 'x-source': 'nobody' })).toMatchObject({ status: 404 })
  })

  test('HEAD is answered where events can be sent', async () => {
    expect(await lane.call('HEAD', '/api/logs?source_name=app')).toMatchObject({ status: 200, text: '' })
    expect(await lane.call('HEAD', '/api/other')).toMatchObject({ status: 404 })
  })

  test('an empty edge push is a success, packed or not, but only for a known sender', async () => {
    const path = '/api/logs/edge?source_name=app'
    expect(await post(path, '')).toMatchObject({ status: 200 })
    expect(await post(path, '', { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 })
    expect(await post(path, gzipSync(''), { 'content-encoding': 'gzip' })).toMatchObject({ status: 200 })
    expect(await lane.call('POST', path, '')).toMatchObject({ status: 401 })
    expect(await post('/api/logs?source_name=app', '')).toMatchObject({ status: 400 })
  })
})

describe('a Vercel drain', () => {
  const body = '[{"source":"build","message":"done"}]'
  const signed = (secret: string) => ({
    'x-vercel-signature': createHmac('sha1', secret).update(body).digest('hex'),
  })

  test('is taken when its signature fits', async () => {
    const path = '/logs/zeit?source_name=app&verify=word-1'
    const answer = await post(path, body, signed('drain'))
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.headers.get('x-vercel-verify')).toBe('word-1')
  })

  test.each([
    ['without a signature', {}],
    ['with the signature of another secret', signed('other')],
    ['with something else', { 'x-vercel-signature': 'zz' }],
  ])('is refused %s', async (_, headers: Record<string, string>) => {
    expect(await post('/api/logs/vercel?source_name=app', body, headers)).toMatchObject({ status: 403 })
  })

  test('proves its address even before a token is known', async () => {
    const answer = await lane.call('POST', '/api/logs/vercel', body, { 'x-vercel-verify': 'word-2' })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-vercel-verify')).toBe('word-2')
  })
})
