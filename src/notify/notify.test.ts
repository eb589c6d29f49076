import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Mailbox, openMailbox } from '../../test/support/mailbox.ts'
import { settleConfig } from '../backends/backends.ts'
import { portOf, startHttpReceiver, until } from '../backends/testing.ts'
import { createMail } from '../mail/mail.ts'
import type { Delivered } from '../model/alert-run.ts'
import type { Backend } from '../model/backend.ts'
import { teller } from './backend.ts'
import { createNotifier, type Message } from './notify.ts'

let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let mailbox: Mailbox
beforeEach(async () => {
  receiver = await startHttpReceiver()
  mailbox = await openMailbox()
})
afterEach(async () => {
  await receiver.stop()
  await mailbox.stop()
})

const message: Message = {
  webhook: { kind: 'webhook' },
  slack: { kind: 'slack' },
  email: { subject: 'Too many errors', text: 'look at this' },
  backend: {
    source: teller({ token: 't', name: 'errors' }),
    events: [{ id: '00000000-0000-4000-8000-000000000001', timestamp: 1, event_message: 'row', n: 5 }],
  },
}

const errors: unknown[] = []
const notifierFor = (pausesMs: number[], smtpUrl: string | null = mailbox.url, timeoutMs = 20_000) =>
  createNotifier({
    mail: smtpUrl ? createMail({ url: smtpUrl, from: 'millrace@test.test' }) : null,
    counted: () => ({ value: 0 }),
    pausesMs,
    onError: (error) => errors.push(error),
    surroundings: { timeoutMs },
  })

const webhook = () => ({ channel: 'webhook' as const, url: `${receiver.url}/hook/secret` })
const backendTo = (url: string): Backend => ({
  ...{
    id: 1,
    account_id: 1,
    token: 'b',
    name: 'b',
    description: null,
    type: 'webhook',
    metadata: {},
    managed: false,
    'default_ingest?': false,
  },
  ...{ config: settleConfig('webhook', { url }), inserted_at: '', updated_at: '' },
})

test('each channel gets its form, and hooks are named by their host only', async () => {
  const notifier = notifierFor([])
  const delivered = await notifier.send(message, [
    webhook(),
    { channel: 'slack', url: `${receiver.url}/slack` },
    { channel: 'email', address: 'ann@test.test' },
    { channel: 'backend', backend: backendTo(`${receiver.url}/backend`) },
  ])
  const host = new URL(receiver.url).host
  expect(delivered.map(({ channel, to, state, tries, error }) => [channel, to, state, tries, error])).toEqual([
    ['webhook', host, 'sent', 1, null],
    ['slack', host, 'sent', 1, null],
    ['email', 'ann@test.test', 'sent', 1, null],
    ['backend', 'b', 'sent', 1, null],
  ])
  const bodies = Object.fromEntries(receiver.taken.map(({ path, body }) => [path, JSON.parse(body)]))
  expect(bodies).toMatchObject({ '/hook/secret': { kind: 'webhook' }, '/slack': { kind: 'slack' } })
  expect(JSON.stringify(bodies['/backend'])).toContain('"n":5')
  expect(mailbox.mails[0]).toContain('Subject: Too many errors')
  expect(mailbox.mails[0]).toContain('To: ann@test.test')
})

test('a receiver that is down is tried again until it is up; the others do not wait for it', async () => {
  receiver.behave(({ path }) => (path === '/slack' ? 'accept' : 503))
  const notifier = notifierFor(Array(500).fill(10))
  let progress: Delivered[] = []
  const sending = notifier.send(
    message,
    [webhook(), { channel: 'slack', url: `${receiver.url}/slack` }],
    async (all) => {
      progress = all
    },
  )
  await until(() => progress[0]?.tries !== undefined && progress[0].tries >= 2 && progress[1]?.state === 'sent')
  expect(progress[0]).toMatchObject({ state: 'pending', error: expect.stringContaining('503') })
  receiver.behave('accept')
  expect((await sending)[0]).toMatchObject({ state: 'sent', error: null })
})

test('a mail server that is down is tried again; where it stands is for the operator', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const port = portOf(holder)
  await new Promise((resolve) => holder.close(resolve))
  const down = notifierFor([1], `smtp://127.0.0.1:${port}`)
  const [lost] = await down.send(message, [{ channel: 'email', address: 'ann@test.test' }])
  expect(lost).toMatchObject({ state: 'failed', tries: 2, error: expect.stringContaining('could not be sent') })
  expect(JSON.stringify(lost)).not.toContain(String(port))
})

test.each([
  ['a refusal is final', 400, 1],
  ['anything else is given up after the last pause', 500, 3],
  ['an answer that never comes counts as a failure', 'hang' as const, 3],
])('%s', async (_, manner, tries) => {
  receiver.behave(manner)
  const [delivered] = await notifierFor([1, 1], null, manner === 'hang' ? 100 : 20_000).send(message, [webhook()])
  expect(delivered).toMatchObject({ state: 'failed', tries, error: expect.any(String) })
})

test('without a mail server mail fails at once, with words that help', async () => {
  const [delivered] = await notifierFor([1], null).send(message, [{ channel: 'email', address: 'ann@test.test' }])
  expect(delivered).toMatchObject({ state: 'failed', tries: 1, error: expect.stringContaining('MILLRACE_SMTP_URL') })
})

test('nothing is sent to metadata addresses', async () => {
  const [delivered] = await notifierFor([]).send(message, [{ channel: 'webhook', url: 'http://169.254.169.254/x' }])
  expect(delivered).toMatchObject({ state: 'failed', error: expect.stringContaining('metadata address') })
})

test('stopping gives up what waits, and says so', async () => {
  receiver.behave(503)
  const notifier = notifierFor([60_000])
  const sending = notifier.send(message, [webhook()])
  await until(() => receiver.heard.length === 1)
  await notifier.stop()
  expect(await sending).toMatchObject([{ state: 'failed', error: expect.stringContaining('ended before') }])
})
