/** Log-in through a real identity provider: who comes in, as whom, and what is refused. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, openBrowser } from './support/browser.ts'
import { type IdentityProvider, startIdentityProvider } from './support/identity-provider.ts'
import { failToStart, type Service, startService } from './support/service.ts'

const PASSWORD = 'correct horse battery'
const emails = new Map<string, string>()

let provider: IdentityProvider
let service: Service
let owner: Browser

beforeAll(async () => {
  provider = await startIdentityProvider((subject) => ({
    email: emails.get(subject) ?? `${subject}@corp.example`,
    email_verified: !subject.startsWith('unverified'),
    name: `Name of ${subject}`,
  }))
  service = await startService({
    env: {
      MILLRACE_OIDC_ISSUER: provider.issuer,
      MILLRACE_OIDC_CLIENT_ID: 'millrace',
      MILLRACE_OIDC_CLIENT_SECRET: 'a secret between the two',
      MILLRACE_OIDC_LABEL: 'Corp',
      MILLRACE_OIDC_ALLOWED_DOMAINS: 'corp.example, other.example',
      MILLRACE_OIDC_DEFAULT_ROLE: 'member',
    },
  })
  owner = openBrowser(service)
})
afterAll(async () => {
  await service?.remove()
  await provider?.stop()
})

/** The browser goes to the provider and is sent back; answers the address it is sent back to. */
async function visitProvider(browser: Browser, subject: string, next = ''): Promise<string> {
  const start = await browser.call('GET', `/api/session/oidc/start${next && `?${new URLSearchParams({ next })}`}`)
  expect(start.status).toBe(302)
  const back = await provider.logIn(start.headers.get('location') ?? '', subject)
  return back.slice(service.url.length)
}

/** Where the log-in ends. */
async function logIn(browser: Browser, subject: string, next?: string): Promise<string | null> {
  const back = await visitProvider(browser, subject, next)
  const answer = await browser.call('GET', back)
  // The first cookie of the answer ends the log-in, the second is the session.
  const session = answer.headers.getSetCookie().find((line) => line.startsWith('millrace_session='))
  browser.cookie = session?.split(';', 1)[0] ?? ''
  return answer.headers.get('location')
}

test('a provider that cannot be reached is 503, and is asked again later', async () => {
  expect((await owner.call('GET', '/api/session/oidc/start')).status).toBe(503)
  provider.register({
    clientId: 'millrace',
    clientSecret: 'a secret between the two',
    redirectUri: `${service.url}/api/session/oidc/callback`,
  })
  expect((await owner.call('GET', '/api/setup')).json.oidc).toEqual({ label: 'Corp' })
})

test('nobody of the provider becomes the first owner', async () => {
  expect(await logIn(openBrowser(service), 'early')).toBe('/login?error=oidc_no_owner')
  const made = await owner.call('POST', '/api/setup', { email: 'owner@corp.example', password: PASSWORD })
  expect(made.status).toBe(201)
})

test('people of an allowed domain come in with the default role, and stay who they are', async () => {
  const browser = openBrowser(service)
  expect(await logIn(browser, 'ada')).toBe('/')
  const first = (await browser.call('GET', '/api/session')).json
  expect(first.user).toMatchObject({ email: 'ada@corp.example', name: 'Name of ada', role: 'member' })
  emails.set('ada', 'ada@elsewhere.example')
  const again = openBrowser(service)
  expect(await logIn(again, 'ada')).toBe('/')
  expect((await again.call('GET', '/api/session')).json.user.id).toBe(first.user.id)
  const byPassword = await openBrowser(service).call('POST', '/api/session', {
    email: 'ada@corp.example',
    password: PASSWORD,
  })
  expect(byPassword.status).toBe(401)
})

test('others need an invitation, whose role they get', async () => {
  emails.set('guest', 'guest@far.example')
  expect(await logIn(openBrowser(service), 'guest')).toBe('/login?error=oidc_not_invited')
  const [entry] = (await owner.call('GET', '/api/audit?limit=1')).json
  expect(entry).toMatchObject({ who: 'guest@far.example', action: 'fail to log in', kind: 'session/oidc' })
  await owner.call('POST', '/api/invitations', { email: 'guest@far.example', role: 'admin' })
  const browser = openBrowser(service)
  expect(await logIn(browser, 'guest')).toBe('/')
  expect((await browser.call('GET', '/api/session')).json.user.role).toBe('admin')
  expect((await owner.call('GET', '/api/invitations')).json).toEqual([])
})

test('an e-mail that is not vouched for, or belongs to another identity, opens nothing', async () => {
  emails.set('unverified', 'owner@corp.example')
  expect(await logIn(openBrowser(service), 'unverified')).toBe('/login?error=oidc_no_email')
  emails.set('rival', 'ada@corp.example')
  expect(await logIn(openBrowser(service), 'rival')).toBe('/login?error=oidc_other_identity')
  emails.set('boss', 'owner@corp.example')
  const browser = openBrowser(service)
  expect(await logIn(browser, 'boss')).toBe('/')
  expect((await browser.call('GET', '/api/session')).json.user).toMatchObject({
    email: 'owner@corp.example',
    role: 'owner',
  })
})

test.each([
  ['/sources/1?lql=a%20b', '/sources/1?lql=a%20b'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\t/evil.example', '/'],
])('after log-in with next %j the browser goes to %j', async (next, page) => {
  expect(await logIn(openBrowser(service), 'ada', next)).toBe(page)
})

test('an answer that this browser did not ask for is refused', async () => {
  const failed = '/login?error=oidc_failed'
  const attacker = openBrowser(service)
  const back = await visitProvider(attacker, 'mallory')
  const victim = openBrowser(service)
  expect((await victim.call('GET', back)).headers.get('location')).toBe(failed)
  await victim.call('GET', '/api/session/oidc/start')
  const mixed = await victim.call('GET', back)
  expect(mixed.headers.get('location')).toBe(failed)
  expect(mixed.headers.getSetCookie().join()).not.toContain('millrace_session')
  for (const query of ['', '?state=x&code=y', '?error=access_denied'])
    expect((await attacker.call('GET', `/api/session/oidc/callback${query}`)).headers.get('location')).toBe(failed)
})

test('settings that cannot work stop the start with a reason', async () => {
  const insecure = await failToStart({ MILLRACE_OIDC_ISSUER: 'http://id.example.com', MILLRACE_OIDC_CLIENT_ID: 'x' })
  expect(insecure.stderr).toContain('must start with https://')
  expect((await failToStart({ MILLRACE_OIDC_ISSUER: 'https://id.example.com' })).stderr).toContain('CLIENT_ID')
  expect((await failToStart({ MILLRACE_SMTP_URL: 'smtp://mail.example.com' })).stderr).toContain('MILLRACE_MAIL_FROM')
})
