import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts'
import type { Account } from '../model/account.ts'
import type { NewUser, Role } from '../model/person.ts'
import { type Catalog, openCatalog } from './catalog.ts'

const engines = hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite']

const person = (email: string, role: Role = 'member'): NewUser => ({ email, name: null, role, password: null })

describe.each(engines)('people in the catalog on %s', (engine) => {
  const time = { nowMs: Date.UTC(2026, 10, 15) }
  let postgres: Postgres | null = null
  let catalog: Catalog
  let account: Account

  beforeAll(async () => {
    if (engine === 'postgres') postgres = await startPostgres()
    const place = postgres ? { url: await postgres.createDatabase() } : { file: ':memory:' }
    catalog = await openCatalog({ ...place, secretKey: Buffer.alloc(32, 7), clock: { nowMs: () => time.nowMs } })
    account = (await catalog.accounts.ensureOwner()).account
  })
  afterAll(async () => {
    await catalog?.stop()
    await postgres?.stop()
  })

  test('of several first people at the same moment one is made', async () => {
    expect(await catalog.users.exist()).toBe(false)
    const made = await Promise.all(
      ['a', 'b', 'c'].map((name) => catalog.users.createFirst(account.id, person(`${name}@first.example`, 'owner'))),
    )
    expect(made.filter((user) => user !== null)).toHaveLength(1)
    expect(await catalog.users.list(account.id)).toHaveLength(1)
  })

  test('two owners who remove each other at the same moment leave one', async () => {
    const [first] = await catalog.users.list(account.id)
    const second = await catalog.users.create(account.id, person('second@example.com', 'owner'))
    const outcomes = await Promise.allSettled([
      catalog.users.update(account.id, first!.id, { role: 'viewer' }),
      catalog.users.remove(account.id, second.id),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const owners = (await catalog.users.list(account.id)).filter(({ role }) => role === 'owner')
    expect(owners).toHaveLength(1)
  })

  test('an e-mail is one person of the whole service', async () => {
    const other = await catalog.accounts.create({ name: 'other' })
    await catalog.users.create(account.id, person('once@example.com'))
    await expect(catalog.users.create(other.id, person('once@example.com'))).rejects.toMatchObject({
      errors: { email: ['has already been taken'] },
    })
  })

  test('a person cannot be reached from another account', async () => {
    const other = await catalog.accounts.create({ name: 'another' })
    const user = await catalog.users.create(account.id, person('ours@example.com'))
    const { session } = await catalog.sessions.create(user.id, { address: '', user_agent: null })
    expect(await catalog.users.byId(other.id, user.id)).toBeNull()
    expect(await catalog.users.update(other.id, user.id, { role: 'owner' })).toBeNull()
    expect(await catalog.users.remove(other.id, user.id)).toBe(false)
    expect(await catalog.sessions.remove(other.id, session.id)).toBe(false)
    expect(await catalog.users.byId(account.id, user.id)).toEqual(user)
  })

  test('sessions go with their person, and the account takes its people with it', async () => {
    const other = await catalog.accounts.create({ name: 'short-lived' })
    const user = await catalog.users.create(other.id, person('gone@example.com'))
    const { value } = await catalog.sessions.create(user.id, { address: '', user_agent: null })
    expect(await catalog.sessions.byValue(value)).toMatchObject({ user: { id: user.id }, account: { id: other.id } })
    await catalog.accounts.remove(other.id)
    expect(await catalog.sessions.byValue(value)).toBeNull()
    expect(await catalog.users.byEmail('gone@example.com')).toBeNull()
  })

  test('an invitation counts for 7 days, the newest of an e-mail only', async () => {
    const who = { email: 'guest@example.com', role: 'viewer' as const, invitedBy: 'x' }
    const { value: first } = await catalog.invitations.create(account.id, who)
    const { value, invitation } = await catalog.invitations.create(account.id, { ...who, role: 'admin' })
    expect(await catalog.invitations.byValue(first)).toBeNull()
    time.nowMs += 7 * 86_400_000 - 1
    expect(await catalog.invitations.byValue(value)).toEqual(invitation)
    time.nowMs += 1
    expect(await catalog.invitations.byValue(value)).toBeNull()
    expect(await catalog.invitations.list(account.id)).toEqual([])
  })

  test('a link for a new password counts for an hour, the newest only, once', async () => {
    const user = await catalog.users.create(account.id, person('forgot@example.com'))
    const first = await catalog.passwordResets.create(user.id)
    const second = await catalog.passwordResets.create(user.id)
    expect(await catalog.passwordResets.take(first)).toBeNull()
    expect(await catalog.passwordResets.take(second)).toBe(user.id)
    expect(await catalog.passwordResets.take(second)).toBeNull()
    const third = await catalog.passwordResets.create(user.id)
    time.nowMs += 3_600_000
    expect(await catalog.passwordResets.take(third)).toBeNull()
  })

  test('the log of changes is paged backwards and forgets what is old', async () => {
    const entry = {
      by: 'user' as const,
      who: 'x',
      action: 'update' as const,
      kind: 'sources',
      record: '1',
      address: '',
    }
    for (const field of ['a', 'b', 'c']) await catalog.auditLog.add(account.id, { ...entry, fields: [field] })
    const page = await catalog.auditLog.list(account.id, { limit: 2, before: null })
    expect(page.map(({ fields }) => fields)).toEqual([['c'], ['b']])
    const [older] = await catalog.auditLog.list(account.id, { limit: 2, before: page[1]!.id })
    expect(older).toMatchObject({ fields: ['a'], who: 'x' })
    await catalog.auditLog.prune(time.nowMs + 1)
    expect(await catalog.auditLog.list(account.id, { limit: 9, before: null })).toEqual([])
  })
})
