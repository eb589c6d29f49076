/** Logging in and out with a browser: a cookie that scripts cannot read, and a word that changes must carry. */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import { presentedSession, printCookie, SESSION_COOKIE } from '../../../access/people/cookie.ts'
import { assertNotCrossSite, csrfTokenOf } from '../../../access/people/csrf.ts'
import type { LoggedIn, People, Visitor } from '../../../access/people/people.ts'
import type { PersonIdentity } from '../../../access/people/sessions.ts'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { Email, GivenPassword, PersonName, UserRecord } from '../../../model/person.ts'
import { nothing, type Routes } from '../../route.ts'

export const SessionAnswer = z.object({
  user: UserRecord.pick({ id: true, email: true, name: true, role: true }),
  account: z.object({ token: z.uuid(), name: z.string() }),
  csrf_token: z.string(),
})
type SessionAnswer = z.infer<typeof SessionAnswer>

/** The browser keeps the cookie for as long as a session can last at all; when it ends is decided here. */
const COOKIE_LIFE_S = 400 * 86_400

const area = 'people'

export function addSessionRoutes(routes: Routes, { people, catalog }: { people: People; catalog: Catalog }): void {
  routes.addOpen({
    ...nothing,
    method: 'POST',
    path: '/api/session',
    area,
    summary: 'Log in; the session is in a cookie, and changes made with it carry csrf_token in the header x-csrf-token',
    body: z.strictObject({ email: Email, password: GivenPassword }),
    status: 201,
    answer: SessionAnswer,
    async run({ body, headers, visitor, setHeader }) {
      assertNotCrossSite(headers)
      const loggedIn = await people.logIn(body, visitor)
      // What the browser presented before may be known to others: it ends here.
      const before = presentedSession(headers)
      const old = before === null ? null : await catalog.sessions.byValue(before)
      if (old) await catalog.sessions.remove(old.account.id, old.session.id)
      return enter(loggedIn, visitor, setHeader)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/session',
    area,
    summary: 'Who is logged in',
    status: 200,
    answer: SessionAnswer,
    async run({ identity, headers, setHeader }) {
      const { user, account } = personOf(identity)
      setHeader('cache-control', 'no-store')
      return sessionAnswer({ user, account, csrfToken: csrfTokenOf(presentedSession(headers) ?? '') })
    },
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/session',
    area,
    summary: 'Change one’s own name; what else there is to change, admins do by /api/users',
    body: z.strictObject({ name: PersonName.nullable() }),
    status: 200,
    answer: SessionAnswer,
    async run({ identity, body: { name }, headers }) {
      const { user, account } = personOf(identity)
      const changed = await catalog.users.update(account.id, user.id, { name })
      const csrfToken = csrfTokenOf(presentedSession(headers) ?? '')
      return sessionAnswer({ user: changed ?? user, account, csrfToken })
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/session',
    area,
    summary: 'Log out',
    status: 204,
    async run({ identity, visitor, setHeader }) {
      const { account, session } = personOf(identity)
      await catalog.sessions.remove(account.id, session.id)
      setHeader('set-cookie', printCookie({ name: SESSION_COOKIE, value: '', maxAgeS: 0, isHttps: visitor.isHttps }))
      return undefined
    },
  })
}

/** For routes that concern the person who asks; a token is nobody. */
export function personOf(identity: Identity): PersonIdentity {
  if ('user' in identity) return identity
  throw new Fault(
    'unauthorized',
    'This needs somebody who is logged in. A token stands for the account, not for a person.',
  )
}

export function enter(
  loggedIn: LoggedIn,
  { isHttps }: Visitor,
  setHeader: (name: string, value: string) => void,
): SessionAnswer {
  setHeader('set-cookie', printCookie({ name: SESSION_COOKIE, value: loggedIn.value, maxAgeS: COOKIE_LIFE_S, isHttps }))
  setHeader('cache-control', 'no-store')
  return sessionAnswer(loggedIn)
}

function sessionAnswer({ user, account, csrfToken }: Pick<LoggedIn, 'user' | 'account' | 'csrfToken'>): SessionAnswer {
  const { id, email, name, role } = user
  return {
    user: { id, email, name, role },
    account: { token: account.token, name: account.name },
    csrf_token: csrfToken,
  }
}
