/**
 * Access: who is asking, and may they. From a request's headers and query to an account, a token and its scopes.
 *
 * Promises: a known token costs one look-up in memory, no hash and no waiting; a revoked token or a changed source
 * counts at once in this process and within 5 s in others that share the catalog.
 * Refuses: no, unknown and revoked tokens alike (`unauthorized`), and a token without the scope (`forbidden`, naming
 * it). A source or endpoint of another account is simply not found.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Account } from '../model/account.ts'
import type { Token } from '../model/token.ts'
import { createEndpointLookup, type EndpointLookup } from './endpoints.ts'
import { createMemory } from './memory.ts'
import { presentedToken } from './present.ts'
import { allow, type Need, readScopes, type Scopes } from './scopes.ts'
import { createSourceLookup, type SourceLookup } from './sources.ts'

export type Identity = { account: Account; token: Token; scopes: Scopes }

/** How a token is called where people read who did something. */
export const callerName = ({ token: { id, description } }: Identity): string => description ?? `token ${id}`

export type Access = {
  present(headers: IncomingHttpHeaders, query: Record<string, unknown>): string | null
  /** Synchronous when the token is known. Throws (or rejects with) `unauthorized`. */
  identify(token: string | null): Identity | Promise<Identity>
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

type Known = Identity & { noteUseAfterMs: number }

type Parts = {
  catalog: Catalog
  clock: Clock
  /** Whether other processes change the same catalog, so that what is kept in memory must end on its own. */
  isShared?: boolean
  /** When the notes of use could not be written; they are only informative. */
  onNoteLost?: (error: unknown) => void
}

export function createAccess(parts: Parts): Access {
  const { catalog, clock, isShared = catalog.engine === 'postgres', onNoteLost = () => {} } = parts
  const lifeMs = isShared ? OTHER_NODES_LIFE_MS : Number.POSITIVE_INFINITY
  const used = new Set<number>()
  const noteUseAfterMs = new Map<number, number>()

  const known = createMemory<Known>({ load, lifeMs, limit: TOKENS_KEPT, clock })
  const sources = createSourceLookup({ catalog, clock, lifeMs })
  const endpoints = createEndpointLookup({ catalog, clock, lifeMs })
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

  function welcome(identity: Known | null): Identity {
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

  return {
    present: presentedToken,
    identify(value) {
      if (value === null || value.length > TOKEN_LENGTH_MAX) throw new Fault('unauthorized', 'Unauthorized')
      const identity = known.get(value)
      return identity instanceof Promise ? identity.then(welcome) : welcome(identity)
    },
    allow: (identity, need) => allow(identity.scopes, need),
    sources,
    endpoints,
    flush,
    async stop() {
      clearInterval(timer)
      stopListening()
      sources.stop()
      endpoints.stop()
      await flush().catch(onNoteLost)
    },
  }
}
