/** Ingest: events come in, and the answer says they are stored. One route per format. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Access, Identity } from '../../../access/access.ts'
import { Fault } from '../../../base/faults.ts'
import { type Accept, type Receipt, refusalText } from '../../../ingest/accept.ts'
import { bodyTooLarge, decodeBody } from '../../../ingest/decode.ts'
import { sourceInBody } from '../../../ingest/formats/bodies.ts'
import type { Format } from '../../../ingest/formats/format.ts'
import { formats } from '../../../ingest/formats/formats.ts'
import { MAX_WIRE_BYTES } from '../../../ingest/limits.ts'
import type { Quotas } from '../../../ingest/quotas.ts'
import { PLANS } from '../../../model/plan.ts'
import { allowBrowsers } from '../../cors.ts'
import { type Described, nothing } from '../../route.ts'
import { createBudget, type Share } from './budget.ts'
import { namedSource, type SourceName, sourceOf } from './named-source.ts'

export type IngestParts = {
  access: Access
  accept: Accept
  quotas: Quotas
  /** Throws when no events can be taken now: shutting down, or the warehouse too far behind. */
  assertOpen(): void
}

const PATHS: [string, Format, string][] = [
  ['/api/logs', formats.logs, 'Send events: a batch, an array, one object, or newline-delimited JSON'],
  ['/api/logs/cloud-event', formats['cloud-event'], 'Send events in the binary mode of CloudEvents'],
  ['/api/logs/edge', formats.edge, 'Receive an edge log push'],
]

/** Bodies that are held at once, as sent or unpacked; their rows come on top. */
const HELD_BYTES_MAX = 128 * 1024 * 1024

/** What a body of unknown length counts as, until it is here. */
const UNKNOWN_LENGTH_BYTES = 1_000_000

/** Refused events that are named one by one in the answer. */
const NAMED_REFUSALS_MAX = 1_000

const LOGGED = '{"message":"Logged!"}'
const JSON_TYPE = 'application/json; charset=utf-8'

type Visit = { identity: Identity; share: Share }

export function addIngestRoutes(app: FastifyInstance, describe: (route: Described) => void, parts: IngestParts): void {
  const { access, accept, quotas, assertOpen } = parts
  const budget = createBudget(HELD_BYTES_MAX)
  const visits = new WeakMap<FastifyRequest, Visit>()

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_WIRE_BYTES }, (_request, body, done) => {
    done(null, body)
  })
  allowBrowsers(app, { paths: PATHS.map(([path]) => path), methods: ['POST'] })

  /** Who sends, and is there room: before a byte of the body is read. Room is held until the answer has left. */
  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const share = budget.open()
    reply.raw.once('close', share.release)
    const identity = await access.identify(access.present(request.headers, queryOf(request)))
    assertOpen()
    const bytes = Number(request.headers['content-length'] ?? UNKNOWN_LENGTH_BYTES)
    if (bytes > MAX_WIRE_BYTES) {
      // What will not be read would have to pass before the connection could be used again.
      reply.header('connection', 'close')
      throw bodyTooLarge()
    }
    share.hold(bytes)
    visits.set(request, { identity, share })
  }

  async function take(format: Format, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { identity, share } = visits.get(request)!
    const wire = request.body
    if (!Buffer.isBuffer(wire)) throw new Fault('bad_request', 'The body is empty. Send at least one event.')
    const body = await decodeBody(wire, request.headers['content-encoding'], share.hold)
    const named = namedSource(queryOf(request), request.headers)
    const inBody = named ? null : fromBody(body)
    const source = await sourceOf(access, identity, named ?? inBody)
    access.allow(identity, { to: 'ingest', source })
    const limits = PLANS[identity.account.plan]
    quotas.check(source, limits)

    const receipt = await accept({ source, format, body, headers: request.headers, sourceField: inBody?.field })
    reply.headers(quotas.headers(source, limits)).type(JSON_TYPE)
    if (receipt.refused.length === 0 || format.hidesRefused) return reply.send(LOGGED)
    return reply.code(406).send(JSON.stringify({ message: refusalTexts(receipt) }))
  }

  for (const [path, format, summary] of PATHS) {
    describe({ ...nothing, ...described, path, summary })
    app.post(path, { onRequest }, (request, reply) => take(format, request, reply))
  }
}

function fromBody(body: Buffer): (SourceName & { field: 'source' | 'source_name' }) | null {
  const { source, source_name } = sourceInBody(body)
  if (source_name !== undefined) return { name: source_name, field: 'source_name' }
  if (source !== undefined) return { token: source, field: 'source' }
  return null
}

function refusalTexts({ refused }: Receipt): string[] {
  const texts = refused.slice(0, NAMED_REFUSALS_MAX).map(refusalText)
  const more = refused.length - texts.length
  return more > 0 ? [...texts, `and ${more} more events`] : texts
}

const queryOf = (request: FastifyRequest): Record<string, unknown> =>
  typeof request.query === 'object' && request.query !== null ? { ...request.query } : {}

const described = {
  method: 'POST',
  area: 'ingest',
  scope: 'ingest',
  query: z.object({ source: z.uuid().optional(), source_name: z.string().optional() }),
  body: z.union([
    z.object({ batch: z.array(z.record(z.string(), z.unknown())) }),
    z.array(z.record(z.string(), z.unknown())),
    z.record(z.string(), z.unknown()),
  ]),
  status: 200,
  answer: z.object({ message: z.literal('Logged!') }),
} as const
