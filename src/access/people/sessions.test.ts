import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Catalog, openCatalog } from '../../catalog/catalog.ts'
import { type Access, createAccess } from '../access.ts'
import { SESSION_COOKIE } from './cookie.ts'
import { csrfTokenOf } from './csrf.ts'

const DAY_MS = 86_400_000
const time = { nowMs: Date.UTC(2026, 0, 1) }
const clock = { nowMs: () => time.nowMs }

let catalog: Catalog
let access: Access
let userId: number

beforeAll(async () => {
  catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock })
  access = createAccess({ catalog, clock })
  const { account } = await catalog.accounts.ensureOwner()
  const user = { email: 'a@b.c', name: null, role: 'owner' as const, password: null }
  userId = (await catalog.users.create(account.id, user)).id
})
afterAll(async () => {
  await access.stop()
  await catalog.stop()
})

const begin = async (): Promise<string> =>
  (await catalog.sessions.create(userId, { address: '::1', user_agent: null })).value

const ask = async (value: string, method = 'GET', headers = {}): Promise<unknown> =>
  access.recognise({ method, headers: { cookie: `x=y; ${SESSION_COOKIE}=${value}`, ...headers }, query: {} })

test('a session lives as long as it is used, and not longer than 90 days', async () => {
  const value = await begin()
  for (let day = 0; day < 84; day += 12) {
    time.nowMs += 12 * DAY_MS
    expect(await ask(value)).toMatchObject({ user: { email: 'a@b.c' } })
  }
  time.nowMs += 7 * DAY_MS
  await expect(ask(value)).rejects.toMatchObject({ code: 'unauthorized' })
})

test('a session that is not used for 14 days has ended', async () => {
  const value = await begin()
  time.nowMs += 14 * DAY_MS
  expect(await ask(value)).toHaveProperty('session')
  time.nowMs += 14 * DAY_MS + 1
  await expect(ask(value)).rejects.toMatchObject({ code: 'unauthorized' })
})

test('a session that another process ended is refused within 5 s', async () => {
  const value = await begin()
  await ask(value)
  const elsewhere = createAccess({ catalog: { ...catalog, changes: { announce() {}, listen: () => () => {} } }, clock })
  const there = (): unknown =>
    elsewhere.recognise({ method: 'GET', headers: { cookie: `${SESSION_COOKIE}=${value}` }, query: {} })
  await there()
  await catalog.sessions.removeAllOf(userId)
  await expect(ask(value)).rejects.toMatchObject({ code: 'unauthorized' })
  time.nowMs += 5_001
  await expect(there()).rejects.toMatchObject({ code: 'unauthorized' })
  await elsewhere.stop()
})

test('a change needs the word of the session, and reading does not', async () => {
  const value = await begin()
  await expect(ask(value, 'PUT')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await ask(value, 'PUT', { 'x-csrf-token': csrfTokenOf(value) })).toHaveProperty('user')
  expect(await ask(value, 'HEAD')).toHaveProperty('user')
})

test.each(['', 'short', 'A'.repeat(44), `${'A'.repeat(42)}%`, `"${'A'.repeat(43)}"`])(
  'the cookie %j is nobody',
  async (value) => {
    await expect(ask(value)).rejects.toMatchObject({ code: 'unauthorized' })
  },
)
