/** What nodes of a deployment ask each other. Each answers of itself alone; no token helps here, only their common key. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Fault } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { KEPT_HEAD, KEPT_OF_ONE, type LendKept } from '../../endpoints/sharing.ts'
import type { Backend, BackendStatus } from '../../model/backend.ts'
import { HELLO, type Peers } from '../../peers/peers.ts'
import { TAIL_OF_ONE } from '../../tail/cluster.ts'
import type { Tail } from '../../tail/tail.ts'
import { openStream } from '../stream.ts'

export type PeerParts = {
  peers: Pick<Peers, 'assertPeer'>
  /** The token of this node. */
  token: string
  /** Of this node alone, like the next. */
  tail: Tail
  statusOf(backend: Backend): Promise<BackendStatus>
  lend: LendKept
  catalog: Pick<Catalog, 'backends'>
}

const Tailing = z.object({
  source: z.uuid(),
  retention_days: z.coerce.number(),
  lql: z.string(),
  cursor: z.string().optional(),
})
const OfBackend = z.object({ account: z.coerce.number(), token: z.uuid() })
const Kept = z.object({ hash: z.string() })

export const STATUS_OF_ONE = '/internal/backend-status'

export function addPeerRoutes(app: FastifyInstance, { peers, token, tail, statusOf, lend, catalog }: PeerParts): void {
  app.addHook('onRequest', async (request) => {
    peers.assertPeer({ headers: request.headers, method: request.method, url: request.originalUrl })
  })

  app.get(HELLO, async () => ({ token }))

  app.get(TAIL_OF_ONE, { exposeHeadRoute: false }, async (request, reply) => {
    const { source, retention_days, lql, cursor = null } = queryOf(request, Tailing)
    // The node that asks looks after the reader's rights, and closes the stream.
    const begin = tail.admit({ source: { token: source, retention_days }, lql, cursor, endReason: () => null })
    const leave = begin(openStream(reply))
    reply.raw.once('close', leave)
    if (reply.raw.destroyed) leave()
  })

  app.get(STATUS_OF_ONE, async (request) => {
    const { account, token: of } = queryOf(request, OfBackend)
    const backend = await catalog.backends.byToken(account, of)
    if (!backend) throw new Fault('not_found', 'There is no backend with this token.')
    return statusOf(backend)
  })

  app.get(KEPT_OF_ONE, async (request, reply) => {
    const kept = await lend(queryOf(request, Kept).hash)
    if (!kept) throw new Fault('not_found', 'This answer is not kept here.')
    return reply.header(KEPT_HEAD, kept.head).type('application/json').send(kept.body)
  })
}

function queryOf<Query>(request: FastifyRequest, schema: z.ZodType<Query>): Query {
  const query = schema.safeParse(request.query)
  if (!query.success) throw new Fault('bad_request', 'The node that asks is of another version.')
  return query.data
}
