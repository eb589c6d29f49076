/** What sources tell of themselves, as their users meet it: a running service, a real mail server, real hooks. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Mailbox, openMailbox } from './support/mailbox.ts'
import { openReceiver, type Receiver } from './support/receiver.ts'
import { type Service, startService, until } from './support/service.ts'

let service: Service
let mailbox: Mailbox
let receiver: Receiver
beforeAll(async () => {
  mailbox = await openMailbox()
  receiver = await openReceiver()
  service = await startService({ env: { MILLRACE_SMTP_URL: mailbox.url, MILLRACE_MAIL_FROM: 'millrace@test.test' } })
}, 60_000)
afterAll(async () => {
  await service.remove()
  await mailbox.stop()
  await receiver.stop()
})

/** Answers of every shape; looking into them is what the tests are for. */
type Json = ReturnType<typeof JSON.parse>

async function call(path: string, body?: object) {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await service.fetch(path, { method: 'POST', ...sent })
  const json: Json = await answer.json()
  return { status: answer.status, json }
}

test('new fields, rejected events and a pattern are told by hook, Slack and mail', { timeout: 90_000 }, async () => {
  const { status, json } = await call('/api/sources', {
    name: 'shop',
    notifications: {
      webhook_url: `${receiver.url}/hook`,
      slack_hook_url: `${receiver.url}/slack`,
      emails: ['ann@test.test'],
      schema_changes: true,
      errors: true,
      patterns: [{ name: 'payment errors', lql: 'm.level:error "card declined"', threshold: 2 }],
    },
  })
  expect({ status, json }).toMatchObject({ status: 201, json: { notifications: { every_minutes: 10 } } })
  const told = (): string[] => receiver.taken('/hook').map(({ kind }) => kind)
  // A pattern counts from the moment it is watched, which is soon after it was saved.
  const paid = { metadata: { level: 'error' }, message: 'card declined' }
  await until(
    async () => {
      await call(`/api/logs?source=${json.token}`, { batch: [paid, { ...paid, message: 'paid' }, [[1]]] })
      return told().includes('pattern')
    },
    60_000,
    500,
  )
  await until(() => new Set(told()).size === 3)
  expect(new Set(told())).toEqual(new Set(['schema_changes', 'rejected_events', 'pattern']))
  const pattern = receiver.taken('/hook').find(({ kind }) => kind === 'pattern')
  expect(pattern).toMatchObject({ source: json.token, source_name: 'shop', name: 'payment errors' })
  expect(new Set(pattern.recent_events)).toEqual(new Set(['card declined']))
  await until(() => receiver.taken('/slack').length === 3 && mailbox.mails.length === 3)
  expect(mailbox.mails.join()).toContain('metadata.level')

  const before = receiver.taken('/hook').length
  const { json: tried } = await call(`/api/sources/${json.token}/notifications/test`)
  expect(tried.deliveries.map(({ channel, state }: { channel: string; state: string }) => [channel, state])).toEqual([
    ['webhook', 'sent'],
    ['slack', 'sent'],
    ['email', 'sent'],
  ])
  expect(receiver.taken('/hook')[before]).toMatchObject({ kind: 'test' })
})

test('without a place to tell, a test is refused with words that help', async () => {
  const { json } = await call('/api/sources', { name: 'quiet' })
  expect(await call(`/api/sources/${json.token}/notifications/test`)).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('webhook_url') },
  })
})
