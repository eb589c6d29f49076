/** Live tail: a stream of Server-Sent Events. The stream outlives the request's checks, so it asks again while it runs. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Access, Asker, Identity } from '../../access/access.ts'
import { Fault } from '../../base/faults.ts'
import type { EndReason, Tail } from '../../tail/tail.ts'
import { roleFor } from '../roles.ts'
import { byToken, type Described, nothing } from '../route.ts'
import { openStream } from '../stream.ts'

const PATH = '/api/sources/:token/tail'

const Query = z.object({ lql: z.string().optional(), since: z.string().optional() })

export function addTailRoutes(
  app: FastifyInstance,
  describe: (route: Described) => void,
  { access, tail }: { access: Access; tail: Tail },
): void {
  const role = roleFor('GET', PATH)
  describe({
    ...nothing,
    method: 'GET',
    path: PATH,
    area: 'sources',
    scope: 'management',
    role,
    summary:
      'Watch the events of a source as they come (Server-Sent Events), those that match lql; ' +
      'go on from an event id with the header Last-Event-ID or with since',
    params: byToken,
    query: Query,
    status: 200,
    answer: z.string(),
    contentType: 'text/event-stream',
  })

  async function identify(asker: Asker): Promise<Identity> {
    const identity = await access.recognise(asker)
    access.allow(identity, { to: 'manage', role })
    return identity
  }

  /** Why a stream that was allowed must end now. */
  async function endReason(asker: Asker, token: string): Promise<EndReason | null> {
    try {
      const identity = await identify(asker)
      return (await access.sources.byToken(identity.account.id, token)) ? null : 'source_deleted'
    } catch (error) {
      const isRefused = error instanceof Fault && (error.code === 'unauthorized' || error.code === 'forbidden')
      if (isRefused) return 'token_revoked'
      throw error
    }
  }

  app.get(PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const asker = { method: 'GET', headers: request.headers, query: recordOf(request.query) }
    const identity = await identify(asker)
    const source = await access.sources.byToken(identity.account.id, String(recordOf(request.params).token))
    if (!source) throw new Fault('not_found', 'There is no source with this token.')
    const query = Query.safeParse(request.query)
    if (!query.success) throw new Fault('bad_request', 'Give lql and since at most once.')
    const lastEventId = request.headers['last-event-id']
    const begin = tail.admit({
      source,
      lql: query.data.lql ?? '',
      cursor: (typeof lastEventId === 'string' && lastEventId) || (query.data.since ?? null),
      endReason: () => endReason(asker, source.token),
    })
    const leave = begin(openStream(reply))
    reply.raw.once('close', leave)
    // It may have gone while its rights were looked up.
    if (reply.raw.destroyed) leave()
  })
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
