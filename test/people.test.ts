/** People from outside: the first owner, log-in, roles, and what strangers and foreign pages try. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decidedRole } from '../src/http/roles.ts'
import { type Browser, openBrowser } from './support/browser.ts'
import { type Service, startService } from './support/service.ts'

const PASSWORD = 'correct horse battery'

let service: Service
let owner: Browser

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.remove())

test('the first owner is made once, from this machine or with the management token', async () => {
  const visitor = openBrowser(service)
  expect((await visitor.call('GET', '/api/setup')).json).toEqual({
    needs_owner: true,
    oidc: null,
    version: expect.any(String),
    mail: false,
  })
  const me = { email: 'Ada@Example.com', name: 'Ada', password: PASSWORD }
  const short = await visitor.call('POST', '/api/setup', { ...me, password: 'short' })
  expect(short).toMatchObject({ status: 422, json: { errors: { password: ['must have at least 10 characters'] } } })
  const long = await visitor.call('POST', '/api/setup', { ...me, password: 'é'.repeat(513) })
  expect(long).toMatchObject({ status: 422, json: { errors: { password: ['must have at most 1024 bytes'] } } })

  // Passed on by a proxy, or under the name of a foreign page that was pointed here: not from this machine.
  const elsewhere = { 'x-forwarded-for': '203.0.113.9' }
  expect(await visitor.call('POST', '/api/setup', me, elsewhere)).toMatchObject({
    status: 403,
    json: { error: expect.stringContaining('management token') },
  })
  expect((await visitor.call('POST', '/api/setup', { ...me, token: 'guess' }, elsewhere)).status).toBe(401)
  expect((await visitor.call('POST', '/api/setup', me, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)

  const both = await Promise.all(
    [me, { ...me, email: 'eve@example.com' }].map((person) =>
      openBrowser(service).call('POST', '/api/setup', { ...person, token: service.managementToken }, elsewhere),
    ),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  const made = both.find(({ status }) => status === 201)?.json
  expect(made).toEqual({
    user: {
      id: expect.any(Number),
      email: expect.stringMatching(/^(ada|eve)@example\.com$/),
      name: 'Ada',
      role: 'owner',
    },
    account: { token: expect.any(String), name: 'owner' },
    csrf_token: expect.any(String),
  })
  expect((await visitor.call('GET', '/api/setup')).json.needs_owner).toBe(false)

  owner = openBrowser(service)
  const loggedIn = await owner.call('POST', '/api/session', {
    email: made.user.email.toUpperCase(),
    password: PASSWORD,
  })
  expect(loggedIn).toMatchObject({ status: 201, json: { user: made.user } })
})

test('the cookie is for no script and no other site, and never travels in clear after https', async () => {
  expect(owner.setCookie).toMatch(/^millrace_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  const me = await owner.call('GET', '/api/session')
  const browser = openBrowser(service)
  await browser.call(
    'POST',
    '/api/session',
    { email: me.json.user.email, password: PASSWORD },
    { 'x-forwarded-proto': 'https' },
  )
  expect(browser.setCookie).toMatch(/; Secure$/)
  expect((await browser.call('GET', '/api/session')).headers.get('cache-control')).toBe('no-store')
})

test('a session opens management, search and queries, and ends at log-out', async () => {
  expect((await owner.call('POST', '/api/sources', { name: 'by the owner' })).status).toBe(201)
  const [source] = (await owner.call('GET', '/api/sources')).json
  expect((await owner.call('GET', `/api/sources/${source.token}/search?lql=`)).status).toBe(200)
  const sql = 'select 1 as one'
  expect((await owner.call('POST', '/api/query', { sql })).json.result).toEqual([{ one: 1 }])
  const query = 'select 2 as two'
  const made = await owner.call('POST', '/api/endpoints', { name: 'two', query, enable_auth: true })
  expect(made.status).toBe(201)
  for (const [method, name] of [
    ['GET', 'two'],
    ['POST', 'two'],
    ['GET', made.json.token],
  ])
    expect((await owner.call(method!, `/api/endpoints/query/${name}`)).json.result).toEqual([{ two: 2 }])
  // Events are sent with tokens only.
  expect((await owner.call('POST', '/api/logs?source_name=by%20the%20owner', { message: 'x' })).status).toBe(401)

  const { email } = (await owner.call('GET', '/api/session')).json.user
  const second = openBrowser(service)
  await second.call('POST', '/api/session', { email, password: PASSWORD })
  const stolen = openBrowser(service)
  stolen.cookie = second.cookie
  expect((await second.call('DELETE', '/api/session')).status).toBe(204)
  expect(second.setCookie).toMatch(/^millrace_session=; Path=\/; Max-Age=0/)
  expect(await stolen.call('GET', '/api/session')).toMatchObject({ status: 401, json: { error: 'Unauthorized' } })
})

test('a change with the cookie needs the word of its own session, whatever else is right', async () => {
  const { email } = (await owner.call('GET', '/api/session')).json.user
  const other = openBrowser(service)
  await other.call('POST', '/api/session', { email, password: PASSWORD })
  const body = { name: 'forged' }
  for (const headers of [
    { 'x-csrf-token': '' },
    { 'x-csrf-token': 'guess' },
    { 'x-csrf-token': other.csrf },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect(await owner.call('POST', '/api/sources', body, headers)).toMatchObject({
      status: 403,
      json: { error: expect.stringMatching(/x-csrf-token|another site/) },
    })
  for (const [method, path] of [
    ['POST', '/api/query'],
    ['POST', '/api/endpoints/query/two'],
    ['DELETE', '/api/session'],
  ])
    expect((await owner.call(method!, path!, {}, { 'x-csrf-token': 'guess' })).status, path).toBe(403)
  expect((await owner.call('GET', '/api/sources')).json.map(({ name }: { name: string }) => name)).not.toContain(
    'forged',
  )
})

test('a token wins over a cookie, also when it is the wrong one', async () => {
  const withToken = { 'x-api-key': service.managementToken, 'x-csrf-token': '' }
  expect((await owner.call('POST', '/api/sources', { name: 'by token' }, withToken)).status).toBe(201)
  expect((await owner.call('GET', '/api/sources', undefined, { 'x-api-key': 'wrong' })).status).toBe(401)
})

test('logging in never takes over the session that was presented, and ends it', async () => {
  const { email } = (await owner.call('GET', '/api/session')).json.user
  const victim = openBrowser(service)
  victim.cookie = `millrace_session=${'A'.repeat(43)}`
  await victim.call('POST', '/api/session', { email, password: PASSWORD })
  expect(victim.cookie).not.toContain('AAAA')
  const before = victim.cookie
  await victim.call('POST', '/api/session', { email, password: PASSWORD })
  expect(victim.cookie).not.toBe(before)
  victim.cookie = before
  expect((await victim.call('GET', '/api/session')).status).toBe(401)
})

test('wrong passwords and unknown people get one answer, and soon none', async () => {
  const { email } = (await owner.call('GET', '/api/session')).json.user
  const stranger = openBrowser(service)
  const from = { 'x-forwarded-for': '198.51.100.7' }
  const wrong = await stranger.call('POST', '/api/session', { email, password: 'not the password' }, from)
  const unknown = await stranger.call('POST', '/api/session', { email: 'no@body.example', password: PASSWORD }, from)
  expect(wrong).toMatchObject({ status: 401, json: { error: 'E-mail or password is wrong.' } })
  expect([unknown.status, unknown.json]).toEqual([wrong.status, wrong.json])

  const target = { email: 'target@example.com', password: 'not the password' }
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await stranger.call('POST', '/api/session', target, from)).status)
  expect(statuses).toEqual([...Array(10).fill(401), 429])
  // From anywhere: it is the e-mail that is guarded.
  const refused = await stranger.call('POST', '/api/session', target, { 'x-forwarded-for': '198.51.100.8' })
  expect(refused).toMatchObject({ status: 429, json: { error: expect.stringContaining('Too many tries') } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
}, 120_000)

test('somebody decided for every route which role it needs', async () => {
  const { paths } = (await owner.call('GET', '/api/openapi.json')).json
  const undecided: string[] = []
  for (const [path, operations] of Object.entries<Record<string, { security?: unknown[]; tags: string[] }>>(paths))
    for (const [method, { security, tags }] of Object.entries(operations)) {
      const isOpen = security?.length === 0 || tags.includes('ingest')
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1')
      if (!isOpen && decidedRole(method.toUpperCase(), route) === null) undecided.push(`${method} ${path}`)
    }
  expect(undecided).toEqual([])
})

test('log-ins that fail are in the log of changes, with e-mail and address and no password', async () => {
  const me = (await owner.call('GET', '/api/session')).json.user.email
  const from = { 'x-forwarded-for': '203.0.113.77' }
  for (const email of ['stranger@example.net', me])
    await openBrowser(service).call('POST', '/api/session', { email, password: 'not the password' }, from)
  const { json: log } = await owner.call('GET', '/api/audit?limit=2')
  const failed = { by: 'user', action: 'fail to log in', kind: 'session', record: null, address: '203.0.113.77' }
  expect(log).toMatchObject([
    { ...failed, who: me },
    { ...failed, who: 'stranger@example.net' },
  ])
  expect(JSON.stringify(log)).not.toContain('not the password')
})
