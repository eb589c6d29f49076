/**
 * Kept answers that several nodes keep: one node at a time finds such an answer out anew, and lends it to the others. A node
 * that cannot borrow asks the query itself, so that an answer is never older than it would be on one node.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Claims } from '../catalog/claims.ts'
import type { Peer, Peers } from '../peers/peers.ts'
import { type Answered, answered } from './answered.ts'
import type { Cache, Sharing } from './cache.ts'

export const KEPT_OF_ONE = '/internal/kept-answer'
export const KEPT_HEAD = 'x-millrace-kept'

/** What stands beside the rows. */
const Head = z.object({
  rows: z.number(),
  labels: z.string().nullable(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  uses: z.array(z.string()),
  ageMs: z.number(),
})

/** Keys of entries that this node finds out anew; more than this are asked for by each node itself. */
const LENT_KEYS = 10_000

type Parts = { claims: Claims; peers: Pick<Peers, 'byToken' | 'ask'> }

export type LendKept = (hash: string) => Promise<{ head: string; body: Buffer } | null>

export function createSharing({ claims, peers }: Parts) {
  /** Peers ask by a hash, as keys may be longer than an address. */
  const keys = new Map<string, string>()
  const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')
  const claimOf = (hash: string): string => `requery ${hash}`

  const sharing: Sharing<Answered> = {
    async isMine(key, forMs) {
      const hash = hashOf(key)
      // Without the database nodes know nothing of each other: each asks for itself.
      const isMine = await claims.take(claimOf(hash), forMs).catch(() => true)
      if (isMine && keys.size >= LENT_KEYS) keys.clear()
      if (isMine) keys.set(hash, key)
      else keys.delete(hash)
      return isMine
    },
    async borrow(key) {
      const hash = hashOf(key)
      const holder = await claims.holder(claimOf(hash)).catch(() => null)
      const peer = holder === null ? null : peers.byToken(holder)
      return peer === null ? null : fetchFrom(peer, hash).catch(() => null)
    },
  }

  async function fetchFrom(peer: Peer, hash: string) {
    const { body, headers } = await peers.ask(peer, `${KEPT_OF_ONE}?${new URLSearchParams({ hash })}`)
    const text = Buffer.from(String(headers[KEPT_HEAD] ?? ''), 'base64').toString('utf8')
    const { rows, labels, columns, uses, ageMs } = Head.parse(JSON.parse(text))
    const cost = { rows, columns, ms: 0, truncated: false, bytesScanned: 0 }
    return { value: answered({ json: body, cost, sources: uses }, labels), bytes: 2 * body.length, uses, ageMs }
  }

  function lendOf(cache: Pick<Cache<Answered>, 'lend'>): LendKept {
    return async (hash) => {
      const key = keys.get(hash)
      const lent = key === undefined ? null : await cache.lend(key)
      if (!lent) return null
      const { value, uses, ageMs } = lent
      const head: z.infer<typeof Head> = { rows: value.rows, labels: value.labels, columns: value.columns, uses, ageMs }
      return { head: Buffer.from(JSON.stringify(head)).toString('base64'), body: value.list(false) }
    }
  }

  return { sharing, lendOf }
}
