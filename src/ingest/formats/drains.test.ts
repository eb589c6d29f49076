import { expect, test } from 'vitest'
import { asStored, createTrial, NOW_MS, NOW_US } from '../testing.ts'
import type { formats } from './formats.ts'

async function stored(format: keyof typeof formats, body: object | string, headers: Record<string, string> = {}) {
  const trial = createTrial()
  await trial.send(typeof body === 'string' ? body : JSON.stringify(body), { format, headers })
  return trial.rows().map(asStored)
}

const time = '2026-11-15T11:00:00Z'
const TIME_US = NOW_US - 3_600_000_000

test('vector: what is no message and no time is metadata', async () => {
  expect(await stored('vector', [{ message: 'm', timestamp: time, host: 'h', project: 'p' }])).toMatchObject([
    { event_message: 'm', timestamp: TIME_US, project: 'p', metadata: { host: 'h', project: 'p' } },
  ])
  expect(await stored('vector', { host: 'h' })).toMatchObject([{ event_message: '{"host":"h"}', timestamp: NOW_US }])
})

test('vercel: the message sums up the request, the output of a function is read', async () => {
  const proxy = { statusCode: 200, host: 'h', path: '/p', clientIp: '1.2.3.4', userAgent: ['a', 'b'] }
  const message =
    'START RequestId: r1 Version: 1\nhello\nEND RequestId: r1\n' +
    'REPORT RequestId: r1\tDuration: 12.50 ms\tBilled Duration: 13 ms\tMemory Size: 128 MB\tMax Memory Used: 70 MB\n'
  const [event] = await stored('vercel', [{ id: 'v1', source: 'lambda', timestamp: NOW_MS - 1000, message, proxy }])
  expect(event).toMatchObject({
    id: 'v1',
    event_message: 'lambda | 200 | h | /p | 1.2.3.4 | a,b',
    timestamp: NOW_US - 1_000_000,
    metadata: {
      proxy: { userAgent: 'a,b' },
      parsedLambdaMessage: {
        parse_status: 'full',
        request_id: 'r1',
        lines_string: 'hello',
        report: { duration_ms: 12.5, billed_duration_ms: 13, memory_size_mb: 128, max_memory_used_mb: 70 },
      },
    },
  })
})

test('vercel: lines are a drain too', async () => {
  const lines = '{"source":"build","message":"a"}\n{"source":"build","message":"b"}\n'
  const ndjson = { 'content-type': 'application/x-ndjson' }
  expect(await stored('vercel', lines, ndjson)).toMatchObject([
    { event_message: 'build | a' },
    { event_message: 'build | b' },
  ])
})

test('netlify: each type of log has its own summary', async () => {
  const traffic = { log_type: 'traffic', timestamp: time, method: 'GET', status_code: 200, client_ip: 'c' }
  expect(
    await stored('netlify', [
      { ...traffic, request_id: 'r', url: 'u', user_agent: 'a' },
      { ...traffic, log_type: 'functions', request_id: 'r', path: '/f' },
      { log_type: 'deploy', n: 1 },
    ]),
  ).toMatchObject([
    { event_message: 'traffic | GET | 200 | c | r | u | a', timestamp: TIME_US, metadata: { method: 'GET' } },
    { event_message: 'functions | GET | 200 | r | /f' },
    { event_message: '{"log_type":"deploy","n":1}' },
  ])
  expect(await stored('netlify', { message: 'hi' })).toMatchObject([
    { event_message: 'hi', metadata: { log_type: 'validate' } },
  ])
})

test('github: the message says who did what where, and addresses are left out', async () => {
  const payload = {
    repository: { full_name: 'o/r', html_url: 'x' },
    sender: { login: 's' },
    list: [{ a_url: 'x', b: 1 }],
  }
  const [opened] = await stored('github', { ...payload, action: 'opened' })
  expect(opened).toMatchObject({ event_message: 'o/r | s | opened', metadata: { list: [{ b: 1 }] } })
  expect(JSON.stringify(opened)).not.toContain('_url')
  expect(await stored('github', payload, { 'x-github-event': 'push' })).toMatchObject([
    { event_message: 'o/r | s | push', github_event: 'push' },
  ])
})

test('typecasts: texts that are numbers become numbers, others stay', async () => {
  const cast = (...path: string[]) => ({ path, from: 'string', to: 'float' })
  const body = { message: 'm', a: { b: '7', c: 'x' }, d: '1.5' }
  const typecasts = [cast('a', 'b'), cast('a', 'c'), cast('no', 'where'), { ...cast('d'), to: 'date' }]
  expect(await stored('typecasts', { batch: [{ body, typecasts }, { message: 'plain' }] })).toMatchObject([
    { event_message: 'm', a: { b: 7, c: 'x' }, d: '1.5' },
    { event_message: 'plain' },
  ])
})

test('fluent-bit: date is the time when there is no other', async () => {
  const seconds = NOW_MS / 1000 - 60.25
  expect(await stored('fluent-bit', [{ date: seconds, log: 'line' }])).toMatchObject([
    { timestamp: NOW_US - 60_250_000, event_message: 'line' },
  ])
  expect(await stored('logs', [{ date: seconds }], { 'user-agent': 'Fluent-Bit' })).toMatchObject([
    { timestamp: NOW_US - 60_250_000 },
  ])
  expect(await stored('logs', [{ date: seconds }])).toMatchObject([{ timestamp: NOW_US, date: seconds }])
})
