/** Ingest: events come in, and the answer says they are stored. One route per format. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Access, Identity } from '../../../access/access.ts'
import type { Buffers } from '../../../base/buffers.ts'
import { Fault } from '../../../base/faults.ts'
import { type Accept, type Receipt, refusalText } from '../../../ingest/accept.ts'
import { decodeBody } from '../../../ingest/decode.ts'
import { sourceInBody } from '../../../ingest/formats/bodies.ts'
import type { Format } from '../../../ingest/formats/format.ts'
import { formats } from '../../../ingest/formats/formats.ts'
import type { Quotas } from '../../../ingest/quotas.ts'
import { PLANS } from '../../../model/plan.ts'
import { allowBrowsers } from '../../cors.ts'
import { type Described, nothing } from '../../route.ts'
import { readBody, WireBody } from './body.ts'
import { type Budget, createBudget } from './budget.ts'
import { namedSource, type SourceName, sourceOf } from './named-source.ts'

export type IngestParts = {
  access: Access
  accept: Accept
  quotas: Quotas
  buffers: Buffers
  /** Throws when no events can be taken now: shutting down, or the warehouse too far behind. */
  assertOpen(): void
}

const PATHS: [string, Format, string][] = [
  ['/api/logs', formats.logs, 'Send events: a batch, an array, one object, or newline-delimited JSON'],
  ['/api/logs/cloud-event', formats['cloud-event'], 'Send events in the binary mode of CloudEvents'],
  ['/api/logs/edge', formats.edge, 'Receive an edge log push'],
]

/** Bodies on the wire that are held at once; unpacking and rows come on top. */
const HELD_BYTES_MAX = 128 * 1024 * 1024

/** What a body of unknown length counts as, until it is here. */
const UNKNOWN_LENGTH_BYTES = 1_000_000

const LOGGED = '{"message":"Logged!"}'
const JSON_TYPE = 'application/json; charset=utf-8'

type Visit = { identity: Identity; heldBytes: number }

export function addIngestRoutes(app: FastifyInstance, describe: (route: Described) => void, parts: IngestParts): void {
  const { access, accept, quotas, buffers, assertOpen } = parts
  const budget: Budget = createBudget(HELD_BYTES_MAX)
  const visits = new WeakMap<FastifyRequest, Visit>()

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, stream: Readable) =>
    readBody(request.headers['content-length'], stream, buffers),
  )
  allowBrowsers(app, { paths: PATHS.map(([path]) => path), methods: ['POST'] })

  /** Who sends, and is there room: before a byte of the body is read. */
  async function onRequest(request: FastifyRequest): Promise<void> {
    const identity = await access.identify(access.present(request.headers, queryOf(request)))
    assertOpen()
    const heldBytes = Number(request.headers['content-length'] ?? UNKNOWN_LENGTH_BYTES)
    budget.take(heldBytes)
    visits.set(request, { identity, heldBytes })
    request.raw.once('close', () => budget.give(heldBytes))
  }

  async function take(format: Format, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const wire = request.body
    if (!(wire instanceof WireBody)) throw new Fault('bad_request', 'The body is empty. Send at least one event.')
    try {
      return await takeBody(wire.bytes, format, request, reply)
    } finally {
      wire.release()
    }
  }

  async function takeBody(wire: Buffer, format: Format, request: FastifyRequest, reply: FastifyReply) {
    const { identity } = visits.get(request)!
    const body = await decodeBody(wire, request.headers['content-encoding'])
    const named = namedSource(queryOf(request), request.headers)
    const inBody = named ? null : fromBody(body)
    const source = await sourceOf(access, identity, named ?? inBody)
    access.allow(identity, { to: 'ingest', source })
    const limits = PLANS[identity.account.plan]
    reply.headers(quotas.headers(source, limits))
    quotas.check(source, limits)

    const receipt = await accept({ source, format, body, headers: request.headers, sourceField: inBody?.field })
    reply.headers(quotas.headers(source, limits)).type(JSON_TYPE)
    if (receipt.refusedCount === 0 || format.hidesRefused) return reply.send(LOGGED)
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

function refusalTexts({ refused, refusedCount }: Receipt): string[] {
  const texts = refused.map(refusalText)
  const more = refusedCount - texts.length
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
