/** Several people in one account, from outside: invitations, roles, sessions, passwords, and who changed what. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Browser, openBrowser } from './support/browser.ts'
import { type Mailbox, openMailbox } from './support/mailbox.ts'
import { type Service, startService, until } from './support/service.ts'

const PASSWORD = 'correct horse battery'
const ROLES = ['viewer', 'member', 'admin', 'owner'] as const
type Role = (typeof ROLES)[number]

let service: Service
let mailbox: Mailbox
const people: Partial<Record<Role, Browser>> = {}
const ids: Partial<Record<Role, number>> = {}

const as = (role: Role): Browser => {
  const browser = people[role]
  if (!browser) throw new Error(`${role} is not logged in`)
  return browser
}

async function join(email: string, role: Role): Promise<{ browser: Browser; answer: Answer }> {
  const invited = await as('owner').call('POST', '/api/invitations', { email, role })
  expect(invited.status).toBe(201)
  const browser = openBrowser(service)
  const { token } = invited.json
  const answer = await browser.call('POST', '/api/invitations/accept', { token, name: role, password: PASSWORD })
  return { browser, answer }
}

beforeAll(async () => {
  mailbox = await openMailbox()
  service = await startService({
    env: {
      MILLRACE_SMTP_URL: mailbox.url,
      MILLRACE_MAIL_FROM: 'Millrace <logs@example.com>',
      MILLRACE_PUBLIC_URL: 'https://logs.example.com/',
    },
  })
  people.owner = openBrowser(service)
  const made = await people.owner.call('POST', '/api/setup', { email: 'owner@example.com', password: PASSWORD })
  ids.owner = made.json.user.id
  for (const role of ['viewer', 'member', 'admin'] as const) {
    const { browser, answer } = await join(`${role}@example.com`, role)
    expect(answer).toMatchObject({ status: 201, json: { user: { email: `${role}@example.com`, name: role, role } } })
    people[role] = browser
    ids[role] = answer.json.user.id
  }
})
afterAll(async () => {
  await service?.remove()
  await mailbox?.stop()
})

test('an invitation is mailed, works once, and not after it was withdrawn', async () => {
  const { json: invited } = await as('admin').call('POST', '/api/invitations', {
    email: 'New@Example.com',
    role: 'viewer',
  })
  expect(invited).toMatchObject({
    email: 'new@example.com',
    role: 'viewer',
    invited_by: 'admin@example.com',
    mailed: true,
  })
  expect(invited.link).toBe(`https://logs.example.com/accept-invitation?token=${invited.token}`)
  expect(mailbox.mails.at(-1)).toContain(invited.link)
  expect(mailbox.mails.at(-1)).toContain('To: new@example.com')
  const [open] = (await as('admin').call('GET', '/api/invitations')).json
  expect(open).not.toHaveProperty('token')
  expect((await as('admin').call('DELETE', `/api/invitations/${open.id}`)).status).toBe(204)
  const accept = { token: invited.token, password: PASSWORD }
  expect(await openBrowser(service).call('POST', '/api/invitations/accept', accept)).toMatchObject({
    status: 404,
    json: { error: expect.stringContaining('not valid any more') },
  })

  const again = await as('admin').call('POST', '/api/invitations', { email: 'new@example.com', role: 'viewer' })
  const tries = await Promise.all(
    [1, 2].map(() =>
      openBrowser(service).call('POST', '/api/invitations/accept', { token: again.json.token, password: PASSWORD }),
    ),
  )
  expect(tries.map(({ status }) => status).sort()).toEqual([201, 404])
  const taken = await as('admin').call('POST', '/api/invitations', { email: 'new@example.com', role: 'viewer' })
  expect(taken).toMatchObject({ status: 422, json: { errors: { email: ['has already been taken'] } } })
})

test.each([
  ['GET', '/api/sources', undefined, 'viewer'],
  ['GET', '/api/users', undefined, 'viewer'],
  ['POST', '/api/query', { sql: 'select 1 as one' }, 'viewer'],
  ['POST', '/api/sources', {}, 'member'],
  ['POST', '/api/endpoints', {}, 'member'],
  ['POST', '/api/rules', {}, 'member'],
  ['POST', '/api/alerts', {}, 'member'],
  ['POST', '/api/key-values', {}, 'member'],
  ['POST', '/api/backends', {}, 'admin'],
  ['POST', '/api/access-tokens', { scopes: 'nonsense' }, 'admin'],
  ['POST', '/api/invitations', { email: 'no' }, 'admin'],
  ['GET', '/api/audit', undefined, 'admin'],
  ['GET', '/api/accounts', undefined, 'owner'],
  ['POST', '/api/accounts', {}, 'owner'],
] as const)('%s %s, sent %j, needs the role %s', async (method, path, body, needed) => {
  for (const role of ROLES) {
    const answer = await as(role).call(method, path, body)
    if (ROLES.indexOf(role) >= ROLES.indexOf(needed)) expect([200, 201, 422], role).toContain(answer.status)
    else
      expect(answer, role).toMatchObject({
        status: 403,
        json: { error: `This needs the role ${needed}; yours is ${role}.` },
      })
  }
})

test('a role counts at once when it changes, and only owners make or unmake owners', async () => {
  const { viewer, owner, admin } = ids
  expect(await as('owner').call('PUT', `/api/users/${viewer}`, { role: 'member', name: 'V' })).toMatchObject({
    status: 200,
    json: { role: 'member', name: 'V' },
  })
  expect((await as('viewer').call('POST', '/api/sources', { name: 'for a moment' })).status).toBe(201)
  expect((await as('admin').call('PATCH', `/api/users/${viewer}`, { role: 'viewer' })).status).toBe(204)
  expect((await as('viewer').call('POST', '/api/sources', { name: 'no longer' })).status).toBe(403)
  for (const [path, body] of [
    [`/api/users/${viewer}`, { role: 'owner' }],
    [`/api/users/${admin}`, { role: 'owner' }],
    [`/api/users/${owner}`, { role: 'viewer' }],
    [`/api/users/${owner}`, { name: 'renamed' }],
  ] as const)
    expect((await as('admin').call('PUT', path, body)).status, JSON.stringify(body)).toBe(403)
  expect((await as('admin').call('DELETE', `/api/users/${owner}`)).status).toBe(403)
  // A management token may do what owners may, so it would be a way around.
  const token = { scopes: 'ingest private' }
  expect(await as('admin').call('POST', '/api/access-tokens', token)).toMatchObject({
    status: 403,
    json: { error: 'This needs the role owner; yours is admin.' },
  })
  expect((await as('owner').call('POST', '/api/access-tokens', token)).status).toBe(201)
  expect(
    (await as('admin').call('POST', '/api/invitations', { email: 'boss@example.com', role: 'owner' })).status,
  ).toBe(403)
})

test('the last owner neither leaves nor steps down', async () => {
  const path = `/api/users/${ids.owner}`
  expect((await as('owner').call('DELETE', path)).status).toBe(409)
  expect(await as('owner').call('PUT', path, { role: 'admin' })).toMatchObject({
    status: 409,
    json: { error: expect.stringContaining('last owner') },
  })
  expect((await service.fetch(path, { method: 'DELETE' })).status).toBe(409)
})

test('who is removed is out at once, and the live tail they watch ends', async () => {
  const { browser, answer } = await join('leaver@example.com', 'member')
  const [source] = (await browser.call('GET', '/api/sources')).json
  const stream = await fetch(`${service.url}/api/sources/${source.token}/tail`, { headers: { cookie: browser.cookie } })
  expect(stream.status).toBe(200)
  const read = stream.text()
  expect((await as('admin').call('DELETE', `/api/users/${answer.json.user.id}`)).status).toBe(204)
  expect((await browser.call('GET', '/api/sources')).status).toBe(401)
  const back = await browser.call('POST', '/api/session', { email: 'leaver@example.com', password: PASSWORD })
  expect(back.status).toBe(401)
  expect(await read).toContain('token_revoked')
}, 60_000)

test('sessions are shown to their owner, and to admins all of them; each can be ended', async () => {
  const second = openBrowser(service)
  const login = { email: 'member@example.com', password: PASSWORD }
  await second.call('POST', '/api/session', login, { 'user-agent': 'second browser', 'x-forwarded-for': '203.0.113.5' })
  const mine = (await as('member').call('GET', '/api/sessions')).json
  expect(mine).toHaveLength(2)
  expect(mine.filter(({ current }: { current: boolean }) => current)).toHaveLength(1)
  const other = mine.find(({ current }: { current: boolean }) => !current)
  expect(other).toMatchObject({
    email: 'member@example.com',
    address: '203.0.113.5',
    user_agent: 'second browser',
    last_seen_at: expect.any(String),
  })
  const all = (await as('admin').call('GET', '/api/sessions')).json
  expect(all.length).toBeGreaterThan(4)
  expect((await as('viewer').call('DELETE', `/api/sessions/${other.id}`)).status).toBe(404)
  expect((await second.call('GET', '/api/session')).status).toBe(200)
  expect((await as('member').call('DELETE', `/api/sessions/${other.id}`)).status).toBe(204)
  expect((await second.call('GET', '/api/session')).status).toBe(401)
})

test('a password is changed by its owner who knows the old one, and ends their other sessions', async () => {
  const path = `/api/users/${ids.member}/password`
  const second = openBrowser(service)
  await second.call('POST', '/api/session', { email: 'member@example.com', password: PASSWORD })
  const next = 'another good password'
  expect(await as('member').call('POST', path, { old_password: 'wrong', password: next })).toMatchObject({
    status: 422,
    json: { errors: { old_password: ['is wrong'] } },
  })
  expect((await as('owner').call('POST', path, { old_password: PASSWORD, password: next })).status).toBe(403)
  expect((await as('member').call('POST', path, { old_password: PASSWORD, password: next })).status).toBe(204)
  expect((await as('member').call('GET', '/api/session')).status).toBe(200)
  expect((await second.call('GET', '/api/session')).status).toBe(401)
  const old = { email: 'member@example.com', password: PASSWORD }
  expect((await second.call('POST', '/api/session', old)).status).toBe(401)
})

test('a forgotten password: one answer for all, a link that works once, and every session ends', async () => {
  const stranger = openBrowser(service)
  const count = mailbox.mails.length
  const unknown = await stranger.call('POST', '/api/password-reset', { email: 'no@body.example' })
  const known = await stranger.call('POST', '/api/password-reset', { email: 'viewer@example.com' })
  expect([unknown.status, unknown.json]).toEqual([202, known.json])
  await until(() => mailbox.mails.length > count)
  expect(mailbox.mails).toHaveLength(count + 1)
  const token = /https:\/\/logs\.example\.com\/reset-password\?token=([\w-]{43})/.exec(mailbox.mails.at(-1) ?? '')?.[1]
  const password = 'a password to remember'
  const confirm = () => stranger.call('POST', '/api/password-reset/confirm', { token, password })
  expect((await confirm()).status).toBe(204)
  expect((await confirm()).status).toBe(404)
  expect((await as('viewer').call('GET', '/api/session')).status).toBe(401)
  const back = await as('viewer').call('POST', '/api/session', { email: 'viewer@example.com', password })
  expect(back.status).toBe(201)
})

test('a team is the people of the account', async () => {
  const [team] = (await as('viewer').call('GET', '/api/teams')).json
  expect(team.team_users).toContainEqual({ email: 'admin@example.com', name: 'admin', role: 'admin' })
  expect((await as('owner').call('POST', '/api/teams', { name: 'second' })).status).toBe(422)
  const path = `/api/teams/${team.token}`
  expect((await as('owner').call('PUT', path, { name: 'The team' })).json).toMatchObject({ name: 'The team' })
  expect((await as('viewer').call('GET', '/api/session')).json.account.name).toBe('The team')
  expect((await as('viewer').call('GET', `${path}/members`)).json).toEqual(
    (await as('viewer').call('GET', '/api/users')).json,
  )
  expect((await as('owner').call('DELETE', path)).status).toBe(409)
})

test('people of one account are nobody in another', async () => {
  const { json: theirs } = await as('owner').call('POST', '/api/accounts', { name: 'the others' })
  const get = async (path: string): Promise<unknown> =>
    (await service.fetch(path, { headers: { authorization: `Bearer ${theirs.management_token}` } })).json()
  for (const path of ['/api/users', '/api/sessions', '/api/invitations', '/api/audit'])
    expect(await get(path)).toEqual([])
  expect(await get(`/api/users/${ids.owner}`)).toHaveProperty('error')
})

test('every change is written down with its author, and no secret with it', async () => {
  const made = await as('admin').call('POST', '/api/access-tokens', { description: 'ci', scopes: 'ingest' })
  await as('admin').call('DELETE', `/api/access-tokens/${made.json.token}`)
  await service.fetch('/api/key-values', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'k', value: { v: 1 } }),
  })
  await as('admin').call('POST', '/api/query', { sql: 'select 1 as one' })
  const page = (await as('admin').call('GET', '/api/audit?limit=3')).json
  expect(page).toMatchObject([
    { by: 'token', action: 'create', kind: 'key-values', fields: ['key', 'value'] },
    { by: 'user', who: 'admin@example.com', action: 'delete', kind: 'access-tokens', record: null },
    { who: 'admin@example.com', action: 'create', kind: 'access-tokens', record: String(made.json.id) },
  ])
  const older = (await as('admin').call('GET', `/api/audit?limit=1000&before=${page[2].id}`)).json
  expect(older.length).toBeGreaterThan(10)
  expect(older.every(({ id }: { id: number }) => id < page[2].id)).toBe(true)
  expect(older.map(({ action }: { action: string }) => action)).toContain('log in')
  expect(JSON.stringify([page, older])).not.toMatch(/mr_|correct horse|another good/)
})
