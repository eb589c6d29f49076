/**
 * The way to the identity provider and back. Both are visited by the browser itself, so they answer with the next address
 * to go to; what went wrong is a word for the log-in page, and the reason is in the log.
 */
import { z } from 'zod'
import { cookieValue, LOGIN_COOKIE, printCookie } from '../../../access/people/cookie.ts'
import { OIDC_PATH, type Oidc } from '../../../access/people/oidc.ts'
import type { People } from '../../../access/people/people.ts'
import { Fault } from '../../../base/faults.ts'
import { nothing, type Routes } from '../../route.ts'
import { enter } from './session.ts'

/** From the first click to the last, with a second factor in between. */
const LOGIN_WITHIN_S = 600

const area = 'people'

export function addOidcRoutes(routes: Routes, { people, oidc }: { people: People; oidc: Oidc | null }): void {
  const provider = (): Oidc => {
    if (!oidc) throw new Fault('not_found', 'No identity provider is set up here.')
    return oidc
  }

  routes.addOpen({
    ...nothing,
    method: 'GET',
    path: `${OIDC_PATH}/start`,
    area,
    summary: 'Go to the identity provider to log in, and then to the page next',
    query: z.object({ next: z.string().optional() }),
    status: 302,
    async run({ query, visitor: { isHttps }, setHeader }) {
      const { url, kept } = await provider().start(query.next)
      setHeader(
        'set-cookie',
        printCookie({ name: LOGIN_COOKIE, value: kept, path: OIDC_PATH, maxAgeS: LOGIN_WITHIN_S, isHttps }),
      )
      setHeader('cache-control', 'no-store')
      setHeader('location', url)
      return undefined
    },
  })

  routes.addOpen({
    ...nothing,
    method: 'GET',
    path: `${OIDC_PATH}/callback`,
    area,
    summary: 'Come back from the identity provider, logged in or with a reason for the log-in page',
    query: z.looseObject({}).catchall(z.string()),
    status: 302,
    async run({ query, headers, visitor, setHeader }) {
      const giveBack = people.attempts.count(visitor.address)
      const found = await provider().finish(query, cookieValue(headers.cookie, LOGIN_COOKIE))
      const { isHttps } = visitor
      setHeader('set-cookie', printCookie({ name: LOGIN_COOKIE, value: '', path: OIDC_PATH, maxAgeS: 0, isHttps }))
      if ('refused' in found) {
        await people.noteFailure(found.email ?? 'identity provider', 'session/oidc', visitor)
        setHeader('location', `/login?error=oidc_${found.refused}`)
        return undefined
      }
      giveBack()
      enter(await people.welcome(found.user, visitor), visitor, setHeader)
      setHeader('location', found.next)
      return undefined
    },
  })
}
