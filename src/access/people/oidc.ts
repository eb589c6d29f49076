/**
 * Log-in through an identity provider (OpenID Connect: discovery, authorization code, PKCE, state and nonce).
 *
 * Promises: nothing is loaded and nobody is asked before the first log-in; a person stays the same one when the provider
 * changes their e-mail, because they are known by its subject.
 * Refuses: e-mails that the provider does not vouch for, people who are neither known, invited nor of an allowed domain,
 * and everybody as long as the service has no owner.
 */
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { Email, PersonName, type Role, type User } from '../../model/person.ts'

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string | null
  /** On the button. */
  label: string
  /** Whose people come in without an invitation. */
  allowedDomains: string[]
  defaultRole: Role
}

export type OidcRefusal = 'failed' | 'no_email' | 'not_invited' | 'other_identity' | 'no_owner'

/** With the e-mail that the provider vouches for, where there is one. */
type Refused = { refused: OidcRefusal; email?: string }

export type Oidc = {
  /** Where to send the browser, and what it must bring back in a cookie. */
  start(next: string | undefined): Promise<{ url: string; kept: string }>
  finish(
    parameters: Record<string, string>,
    kept: string | null,
  ): Promise<{ user: User /** The page that was asked for. */; next: string } | Refused>
}

const NEXT_LENGTH_MAX = 512

/** A page of our own: `//host` and `/\\host` would be another one's. */
const OwnPage = z
  .string()
  .max(NEXT_LENGTH_MAX)
  .regex(/^\/(?![/\\])[\x21-\x7e]*$/)
  .catch('/')

/** Read with care: cookies can also be set by neighbours under the same domain. */
const Kept = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), next: OwnPage })

/** Some providers send the flag as text. */
const Claims = z.object({
  sub: z.string(),
  email: Email.optional().catch(undefined),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: PersonName.optional().catch(undefined),
})
type Claims = z.infer<typeof Claims>

type Parts = {
  catalog: Catalog
  settings: OidcSettings
  publicUrl: string
  onError(error: unknown): void
}

export const OIDC_PATH = '/api/session/oidc'

export function createOidc({ catalog, settings, publicUrl, onError }: Parts): Oidc {
  const redirectUri = `${publicUrl}${OIDC_PATH}/callback`
  let discovered: Promise<Configuration> | null = null

  const load = () => import('openid-client')

  /** Asked once; a provider that could not be reached is asked again. */
  function provider(): Promise<Configuration> {
    discovered ??= discover().catch((error: unknown) => {
      discovered = null
      throw new Fault('unavailable', 'The identity provider cannot be reached. Try again shortly.', error)
    })
    return discovered
  }

  async function discover(): Promise<Configuration> {
    const { discovery, allowInsecureRequests, None } = await load()
    const { issuer, clientId, clientSecret } = settings
    // The settings take plain http for this machine only.
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
    return clientSecret === null
      ? discovery(new URL(issuer), clientId, undefined, None(), { execute })
      : discovery(new URL(issuer), clientId, clientSecret, undefined, { execute })
  }

  async function claimsOf(parameters: Record<string, string>, { state, nonce, verifier }: z.infer<typeof Kept>) {
    const { authorizationCodeGrant, fetchUserInfo } = await load()
    const config = await provider()
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const tokens = await authorizationCodeGrant(config, url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
    })
    const claims = Claims.parse(tokens.claims())
    if (claims.email !== undefined) return claims
    return Claims.parse({ ...claims, ...(await fetchUserInfo(config, tokens.access_token, claims.sub)) })
  }

  async function admit(claims: Claims): Promise<{ user: User } | Refused> {
    const subject = `${settings.issuer} ${claims.sub}`
    const known = await catalog.users.bySubject(subject)
    if (known) return { user: known }
    if (!(await catalog.users.exist())) return { refused: 'no_owner' }
    const { email, name = null } = claims
    // Whoever may write any e-mail into their profile would otherwise come in as somebody else.
    if (email === undefined || claims.email_verified !== true) return { refused: 'no_email' }
    const user = await catalog.users.byEmail(email)
    if (user)
      return (await catalog.users.setSubject(user.id, subject)) ? { user } : { refused: 'other_identity', email }
    const invitation = await catalog.invitations.byEmail(email)
    if (invitation && (await catalog.invitations.remove(invitation.account_id, invitation.id))) {
      const invited = { email, name, role: invitation.role, password: null }
      return { user: await catalog.users.create(invitation.account_id, invited, subject) }
    }
    if (!settings.allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1)))
      return { refused: 'not_invited', email }
    const { account } = await catalog.accounts.ensureOwner()
    const welcome = { email, name, role: settings.defaultRole, password: null }
    return { user: await catalog.users.create(account.id, welcome, subject) }
  }

  return {
    async start(next) {
      const client = await load()
      const config = await provider()
      const verifier = client.randomPKCECodeVerifier()
      const kept = { state: client.randomState(), nonce: client.randomNonce(), verifier, next: OwnPage.parse(next) }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: kept.state,
        nonce: kept.nonce,
      })
      return { url: url.href, kept: Buffer.from(JSON.stringify(kept)).toString('base64url') }
    },

    async finish(parameters, kept) {
      try {
        const started = Kept.parse(JSON.parse(Buffer.from(kept ?? '', 'base64url').toString()))
        const found = await admit(await claimsOf(parameters, started))
        return 'user' in found ? { ...found, next: started.next } : found
      } catch (error) {
        onError(error)
        return { refused: 'failed' }
      }
    },
  }
}
