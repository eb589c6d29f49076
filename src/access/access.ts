/**
 * Access: who is asking, and may they. From a request's headers and query to an account, and a token with its scopes or
 * a person with a role.
 *
 * Promises: a known token costs one look-up in memory, no hash and no waiting; a revoked token, an ended session or a
 * changed source counts at once in this process and within 5 s in others that share the catalog.
 * Refuses: no, unknown and revoked tokens and ended sessions alike (`unauthorized`), a token without the scope or a
 * person without the role (`forbidden`, naming it), and changes that a foreign page makes with somebody's cookie
 * (`forbidden`). A source or endpoint of another account is simply not found.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Account } from '../model/account.ts'
import type { Token } from '../model/token.ts'
import { createEndpointLookup, type EndpointLookup } from './endpoints.ts'
import { createMemory } from './memory.ts'
import { presentedSession } from './people/cookie.ts'
import { assertOwnPage } from './people/csrf.ts'
import { createSessionLookup, type PersonIdentity, SESSION_LIFE, type SessionLife } from './people/sessions.ts'
import { presentedToken } from './present.ts'
import { allow, allowPerson, type Need, readScopes, type Scopes } from './scopes.ts'
import { createSourceLookup, type SourceLookup } from './sources.ts'

export type TokenIdentity = { account: Account; token: Token; scopes: Scopes }

export type Identity = TokenIdentity | PersonIdentity

/** What of a request says who asks. */
export type Asker = { method: string; headers: IncomingHttpHeaders; query: Record<string, unknown> }

/** How a token or a person is called where people read who did something. */
export function callerName(identity: Identity): string {
  if ('user' in identity) return identity.user.email
  return identity.token.description ?? `token ${identity.token.id}`
}

export type Access = {
  present(headers: IncomingHttpHeaders, query: Record<string, unknown>): string | null
  /** Synchronous when the token is known. Throws (or rejects with) `unauthorized`. */
  identify(token: string | null): TokenIdentity | Promise<TokenIdentity>
  /** By token, or by the session's cookie when no token is presented. Throws (or rejects) like `identify`. */
  recognise(asker: Asker): Identity | Promise<Identity>
  /** Throws `forbidden`. */
  allow(identity: Identity, need: Need): void
  sources: SourceLookup
  endpoints: EndpointLookup
  /** Writes down which tokens were used since the last time. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const OTHER_NODES_LIFE_MS = 5_000
const TOKENS_KEPT = 10_000
/** Longer than any token: not worth remembering as unknown. */
const TOKEN_LENGTH_MAX = 512
const NOTE_USE_EVERY_MS = 60_000

type Known = TokenIdentity & { noteUseAfterMs: number }

type Parts = {
  catalog: Catalog
  clock: Clock
  /** Whether other processes change the same catalog, so that what is kept in memory must end on its own. */
  isShared?: boolean
  sessionLife?: SessionLife
  /** When the notes of use could not be written; they are only informative. */
  onNoteLost?: (error: unknown) => void
}

export function createAccess(parts: Parts): Access {
  const { catalog, clock, isShared = catalog.engine === 'postgres', onNoteLost = () => {} } = parts
  const sessionLife = parts.sessionLife ?? SESSION_LIFE
  const lifeMs = isShared ? OTHER_NODES_LIFE_MS : Number.POSITIVE_INFINITY
  const used = new Set<number>()
  const noteUseAfterMs = new Map<number, number>()

  const known = createMemory<Known>({ load, lifeMs, limit: TOKENS_KEPT, clock })
  const sources = createSourceLookup({ catalog, clock, lifeMs })
  const endpoints = createEndpointLookup({ catalog, clock, lifeMs })
  const sessions = createSessionLookup({ catalog, clock, sessionLife, onNoteLost })
  const stopListening = catalog.changes.listen(({ noun }) => {
    if (noun === 'token' || noun === 'account') known.clear()
  })
  const timer = setInterval(() => flush().catch(onNoteLost), NOTE_USE_EVERY_MS)
  timer.unref()

  async function load(value: string): Promise<Known | null> {
    const token = await catalog.tokens.byValue(value)
    const account = token && (await catalog.accounts.byId(token.account_id))
    if (!account) return null
    const scopes = readScopes(token.scopes)
    return { account, token, scopes, noteUseAfterMs: noteUseAfterMs.get(token.id) ?? 0 }
  }

  function noteUse(identity: Known): void {
    const nowMs = clock.nowMs()
    if (nowMs < identity.noteUseAfterMs) return
    identity.noteUseAfterMs = nowMs + NOTE_USE_EVERY_MS
    noteUseAfterMs.set(identity.token.id, identity.noteUseAfterMs)
    used.add(identity.token.id)
  }

  function welcome(identity: Known | null): TokenIdentity {
    if (!identity) throw new Fault('unauthorized', 'Unauthorized')
    noteUse(identity)
    return identity
  }

  async function flush(): Promise<void> {
    const ids = [...used]
    used.clear()
    const nowMs = clock.nowMs()
    for (const [id, afterMs] of noteUseAfterMs) if (afterMs <= nowMs) noteUseAfterMs.delete(id)
    await catalog.tokens.markUsed(ids, nowMs)
  }

  function identify(value: string | null): TokenIdentity | Promise<TokenIdentity> {
    if (value === null || value.length > TOKEN_LENGTH_MAX) throw new Fault('unauthorized', 'Unauthorized')
    const identity = known.get(value)
    return identity instanceof Promise ? identity.then(welcome) : welcome(identity)
  }

  async function recognisePerson(value: string, { method, headers }: Asker): Promise<PersonIdentity> {
    const person = await sessions.identify(value)
    assertOwnPage(method, headers, value)
    return person
  }

  return {
    present: presentedToken,
    identify,
    recognise(asker) {
      const token = presentedToken(asker.headers, asker.query)
      const session = token === null ? presentedSession(asker.headers) : null
      return session === null ? identify(token) : recognisePerson(session, asker)
    },
    allow: (identity, need) =>
      'user' in identity ? allowPerson(identity.user.role, need) : allow(identity.scopes, need),
    sources,
    endpoints,
    flush,
    async stop() {
      clearInterval(timer)
      stopListening()
      sources.stop()
      endpoints.stop()
      await sessions.stop()
      await flush().catch(onNoteLost)
    },
  }
}
