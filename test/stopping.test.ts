import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { count, newSource, post, store } from './support/dialogue.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
afterEach(() => service?.remove())

/** A request whose body is begun and not yet ended. */
function beginSlowly(first: string, length: number): { request: ClientRequest; answer: Promise<IncomingMessage> } {
  const headers = {
    'x-api-key': service.managementToken,
    'content-type': 'application/json',
    'content-length': length,
  }
  const slow = request(`${service.url}/api/logs?source_name=load`, { method: 'POST', headers, agent: false })
  const answer = new Promise<IncomingMessage>((resolve, reject) => slow.once('response', resolve).once('error', reject))
  slow.write(first)
  return { request: slow, answer }
}

const readyStatus = (): Promise<number> =>
  service.fetch('/ready', { headers: { connection: 'close' } }).then(
    (answer) => answer.status,
    () => 0,
  )

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s under load: not ready any more, requests in flight are finished, code 0, and everything acknowledged is there',
  async (signal) => {
    service = await startService()
    await newSource(service, 'load')
    let acknowledged = 0
    let isSending = true
    const senders = Array.from({ length: 4 }, async () => {
      while (isSending) {
        const events = Array.from({ length: 100 }, () => ({ kind: 'load', message: 'under load' }))
        const answer = await post(service, '/api/logs?source_name=load', { batch: events }).catch(() => null)
        if (answer?.status === 200) acknowledged += 100
        else if (answer) expect(answer.status).toBe(503)
        else break
      }
    })
    await until(() => acknowledged >= 1_000)
    const body = '{"kind": "slow", "message": "in flight"}'
    const slow = beginSlowly(body.slice(0, 10), body.length)
    // The slow one is known to be inside when a later request has been answered.
    await store(service, 'load', [{ kind: 'probe' }])

    const ended = service.kill(signal)
    await until(async () => (await readyStatus()) === 503)
    slow.request.end(body.slice(10))
    expect((await slow.answer).statusCode).toBe(200)
    expect(await ended).toBe(0)
    isSending = false
    await Promise.all(senders)

    await service.restart()
    expect(await count(service, 'load', "kind = 'load'")).toBe(acknowledged)
    expect(await count(service, 'load', "kind = 'slow'")).toBe(1)
  },
  240_000,
)

test('a sender that never finishes does not keep the service from ending well', async () => {
  service = await startService()
  await newSource(service, 'load')
  await store(service, 'load', [{ id: 'kept' }])
  const { request: slow, answer } = beginSlowly('{"never":', 1_000)
  answer.catch(() => {})
  await store(service, 'load', [{ id: 'kept too' }])
  expect(await service.kill('SIGTERM')).toBe(0)
  slow.destroy()
  await service.restart()
  expect(await count(service, 'load')).toBe(2)
}, 240_000)
