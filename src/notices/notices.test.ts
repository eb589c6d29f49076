import { afterEach, beforeEach, expect, test } from 'vitest'
import { startHttpReceiver, until } from '../backends/testing.ts'
import { type Catalog, openCatalog } from '../catalog/catalog.ts'
import { type Claims, ownClaims } from '../catalog/claims.ts'
import type { Account } from '../model/account.ts'
import type { BackendStatus } from '../model/backend.ts'
import { Notifications } from '../model/notifications.ts'
import type { Source } from '../model/source.ts'
import { createNotifier, type Notifier } from '../notify/notify.ts'
import type { Stream } from '../tail/tail.ts'
import { createNotices, type Notices } from './notices.ts'

let nowMs: number
let catalog: Catalog
let account: Account
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let notifier: Notifier
let notices: Notices
/** Open readers of live tail, by their LQL. */
let streams: Map<string, Stream>
let status: BackendStatus
/** Null: there is one node. Otherwise what another node has claimed, by the beginning of its name. */
let claimed: string[] | null

beforeEach(async () => {
  nowMs = Date.UTC(2026, 10, 15, 10)
  const clock = { nowMs: () => nowMs }
  catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock })
  account = (await catalog.accounts.ensureOwner()).account
  receiver = await startHttpReceiver()
  const onError = (error: unknown): never => {
    throw error
  }
  notifier = createNotifier({ mail: null, counted: () => ({ value: 0 }), onError, pausesMs: [] })
  streams = new Map()
  claimed = null
  status = {
    ...{ state: 'ok', lag_events: 0, lag_seconds: 0, delivered: 0, retried: 0, dropped: 0 },
    ...{ dead_letters: 0, last_error: null },
  }
  notices = createNotices({
    ...{ notifier, clock, publicUrl: 'https://logs.test', onError },
    catalog: { ...catalog, claims: claims() },
    statusOf: async () => status,
    tail: {
      admit: ({ lql }) => {
        return (stream) => {
          streams.set(lql, stream)
          return () => streams.delete(lql)
        }
      },
    },
  })
})
afterEach(async () => {
  await notices.stop()
  await notifier.stop()
  await receiver.stop()
  await catalog.stop()
})

const claims = (): Claims => ({
  ...ownClaims,
  get isShared() {
    return claimed !== null
  },
  take: async (name) => !claimed?.some((beginning) => name.startsWith(beginning)),
})

async function newSource(settings: object): Promise<Source> {
  const notifications = Notifications.parse({ webhook_url: receiver.url, ...settings })
  const source = await catalog.sources.create(account, { name: 'web', notifications })
  notices.adopt(source)
  return source
}

const bodies = () => receiver.taken.map(({ body }) => JSON.parse(body))
const taken = (count: number) => until(() => receiver.taken.length === count)
async function after(minutes: number): Promise<void> {
  nowMs += minutes * 60_000
  await notices.tick()
}

test('rejected events are told at once, then at most once in ten minutes, with a count of all', async () => {
  const { token } = await newSource({ errors: true })
  await notices.tick()
  notices.rejected(token, { count: 1, reasons: ['too large'] })
  await notices.tick()
  await taken(1)
  expect(bodies()[0]).toEqual({
    ...{ source: token, source_name: 'web', kind: 'rejected_events', name: null, rate: 1, recent_events: [] },
    ...{ samples: [{ reason: 'too large' }], at: '2026-11-15T10:00:00.000Z' },
    url: `https://logs.test/sources/${token}`,
  })
  for (let i = 0; i < 9; i++) {
    notices.rejected(token, { count: 100, reasons: [] })
    notices.rejected(token, { count: 0, reasons: ['no object'] })
    await after(1)
  }
  expect(receiver.taken).toHaveLength(1)
  await after(1)
  await taken(2)
  expect(bodies()[1]).toMatchObject({ rate: 900, samples: Array(5).fill({ reason: 'no object' }) })
  await after(30)
  expect(receiver.taken).toHaveLength(2)
})

test('new fields are told, but not those that the service writes itself', async () => {
  const { token } = await newSource({ schema_changes: true })
  await notices.tick()
  expect([notices.wantsFields(token), notices.wantsFields('another')]).toEqual([true, false])
  notices.fields(token, { _unfit: 'object', '_unfit.x': 'string' })
  notices.fields(token, { metadata: 'object', 'metadata.code': 'integer' })
  await notices.tick()
  await taken(1)
  expect(bodies()[0]).toMatchObject({
    ...{ kind: 'schema_changes', rate: 2 },
    samples: [
      { field: 'metadata', type: 'object' },
      { field: 'metadata.code', type: 'integer' },
    ],
  })
})

test('a pattern is told when enough events match within its window, and then counts anew', async () => {
  await newSource({ patterns: [{ name: 'errors', lql: 'm.level:error', threshold: 3, window_minutes: 2 }] })
  await notices.tick()
  const see = (...messages: string[]): void => {
    const texts = messages.map((event_message) => `id: 1.0\ndata: ${JSON.stringify({ event_message })}\n\n`)
    streams.get('m.level:error')!.write(Buffer.from(`: heartbeat\n\n${texts.join('')}event: missed\ndata: {}\n\n`))
  }
  see('a', 'b')
  await after(2)
  see('c', 'd')
  await after(1)
  expect(receiver.taken).toEqual([])
  see('e')
  await notices.tick()
  await taken(1)
  expect(bodies()[0]).toMatchObject({ kind: 'pattern', name: 'errors', rate: 3, recent_events: ['c', 'd', 'e'] })
  see('f', 'g')
  await after(20)
  expect(receiver.taken).toHaveLength(1)
})

test('a pattern that is changed or taken away is watched no longer; one whose stream ended is watched again', async () => {
  const source = await newSource({ patterns: [{ name: 'a', lql: 'x' }] })
  streams.get('x')!.end()
  streams.delete('x')
  notices.adopt(source)
  expect([...streams.keys()]).toEqual(['x'])
  const patterns = [{ name: 'a', lql: 'y' }]
  notices.adopt({ ...source, notifications: Notifications.parse({ webhook_url: receiver.url, patterns }) })
  expect([...streams.keys()]).toEqual(['y'])
  notices.forget(source.token)
  expect([...streams.keys()]).toEqual([])
})

test('what another node changed is taken up within a minute', async () => {
  await newSource({})
  const notifications = Notifications.parse({ webhook_url: receiver.url, patterns: [{ name: 'a', lql: 'z' }] })
  await catalog.sources.create(account, { name: 'other', notifications })
  for (let i = 0; i < 12; i++) await notices.tick()
  expect([...streams.keys()]).toEqual(['z'])
})

test('a backend that stops taking events is told once, until it was well again', async () => {
  const source = await newSource({ errors: true, every_minutes: 1 })
  const backend = await catalog.backends.create(account.id, {
    ...{ type: 'webhook', name: 'lake', description: null, metadata: {}, config: {} },
  })
  await catalog.backends.attach(source.id, backend.id)
  /** Backends are looked at with every twelfth tick. */
  const minute = async (): Promise<void> => {
    nowMs += 60_000
    for (let i = 0; i < 12; i++) await notices.tick()
  }
  await minute()
  Object.assign(status, { state: 'retrying', last_error: 'connection refused' })
  for (let i = 0; i < 3; i++) await minute()
  await taken(1)
  expect(bodies()[0]).toMatchObject({
    kind: 'backend_failures',
    samples: [{ backend: 'lake', state: 'retrying', error: 'connection refused' }],
  })
  Object.assign(status, { state: 'ok' })
  await minute()
  Object.assign(status, { dead_letters: 4 })
  for (let i = 0; i < 3; i++) await minute()
  await taken(2)
})

test('what is not asked for is not told', async () => {
  const { token } = await newSource({ errors: false })
  await notices.tick()
  notices.rejected(token, { count: 1, reasons: ['too large'] })
  notices.fields(token, { a: 'string' })
  await after(20)
  expect(receiver.heard).toEqual([])
})

test('a test message tries every place once, and says which failed; without places it is refused', async () => {
  const source = await newSource({ emails: ['ann@test.test'], slack_hook_url: `${receiver.url}/slack` })
  receiver.behave(({ path }) => (path === '/slack' ? 500 : 'accept'))
  expect((await notices.test(source)).map(({ channel, state, tries }) => [channel, state, tries])).toEqual([
    ['webhook', 'sent', 1],
    ['slack', 'failed', 1],
    ['email', 'failed', 1],
  ])
  await expect(notices.test({ ...source, notifications: null })).rejects.toThrow('no emails')
})

test('of several nodes one watches patterns and backends, and one tells of what each has counted', async () => {
  claimed = ['watch', 'notice']
  const { token } = await newSource({ errors: true, patterns: [{ name: 'a', lql: 'x' }] })
  await notices.tick()
  notices.rejected(token, { count: 2, reasons: ['too large'] })
  await after(20)
  expect([[...streams.keys()], receiver.heard]).toEqual([[], []])
  claimed = ['watch']
  await after(20)
  await taken(1)
  expect([bodies()[0], [...streams.keys()]]).toMatchObject([{ kind: 'rejected_events' }, []])
  claimed = []
  await notices.tick()
  expect([...streams.keys()]).toEqual(['x'])
})
