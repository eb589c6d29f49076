/**
 * Ingest: events come in, and the answer says they are stored. An address says the format and the protocol.
 *
 * Promises: nothing of a body is read before its sender is known; the answer, good or bad, is one the sender's protocol
 * knows.
 */
import { randomUUID } from 'node:crypto'
import { parse } from 'node:querystring'
import type { Access, Identity } from '../../access/access.ts'
import type { Buffers } from '../../base/buffers.ts'
import { Fault } from '../../base/faults.ts'
import type { Accept } from '../../ingest/accept.ts'
import { bodyTooLarge, decodeBody } from '../../ingest/decode.ts'
import { sourceInBody } from '../../ingest/formats/bodies.ts'
import type { NamingField } from '../../ingest/formats/format.ts'
import { MAX_WIRE_BYTES } from '../../ingest/limits.ts'
import type { Quotas } from '../../ingest/quotas.ts'
import { refusalOf } from '../errors.ts'
import type { Lane, LaneRequest, LaneResponse } from '../lane.ts'
import { answerAcks, createAcks, isAckPath } from './acks.ts'
import { type Address, createAddresses } from './addresses.ts'
import { plainBody, readBody } from './body.ts'
import { createBudget, type Share } from './budget.ts'
import { answerCheck } from './checks.ts'
import { headerSource, type SourceName, sourceOf } from './named-source.ts'
import type { Asked } from './protocols/protocol.ts'
import { createSplunk, splunkToken } from './protocols/splunk.ts'
import { createStoring } from './storing.ts'

export type IngestParts = {
  access: Access
  accept: Accept
  quotas: Quotas
  buffers: Buffers
  /** With it, log drains of Vercel must be signed. */
  vercelSecret: string | null
  /** Throws when no events can be taken now: shutting down, or the warehouse too far behind. */
  assertOpen(): void
  /** Told of requests that failed for a reason of our own. */
  onError(error: unknown): void
}

/** Bodies that are held at once, as sent or unpacked; their rows come on top. */
const HELD_BYTES_MAX = 128 * 1024 * 1024

/** What a body of unknown length counts as, until it is here. */
const UNKNOWN_LENGTH_BYTES = 1_000_000

const NOTHING = Buffer.alloc(0)

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after',
}

type Visit = {
  identity: Identity
  share: Share
  request: LaneRequest
  response: LaneResponse
  address: Address
  asked: Asked
}

export function createIngestLane(parts: IngestParts): Lane {
  const { access, buffers, assertOpen, onError } = parts
  const budget = createBudget(HELD_BYTES_MAX)
  const acks = createAcks()
  const addresses = createAddresses({ ...parts, acks })
  const splunk = createSplunk(acks)
  const storing = createStoring(parts)

  /** Who sends, and is there room: before a byte of the body is read. A known token waits for nothing. */
  async function take(request: LaneRequest, response: LaneResponse, address: Address, asked: Asked): Promise<void> {
    const { protocol, format } = address
    const presented = access.identify(protocol.token?.(asked) || access.present(request.headers, address.query))
    const identity = presented instanceof Promise ? await presented : presented
    assertOpen()
    const announced = request.headers['content-length']
    const bytes = Number(announced ?? UNKNOWN_LENGTH_BYTES)
    if (bytes > MAX_WIRE_BYTES) {
      // What will not be read would have to pass before the connection could be used again.
      response.setHeader('connection', 'close')
      throw bodyTooLarge()
    }
    const share = budget.open()
    try {
      share.hold(bytes)
      const wire = 'body' in request ? plainBody(request.body) : await readBody(announced, request, buffers)
      if (!wire && !format.takesEmpty && !format.readsEmpty)
        throw new Fault('bad_request', 'The body is empty. Send at least one event.')
      try {
        await store(wire?.bytes ?? NOTHING, { identity, share, request, response, address, asked })
      } finally {
        wire?.release()
      }
    } finally {
      // Here and not when the connection closes: it may have closed before, or long before the memory is free.
      share.release()
    }
  }

  async function store(wire: Buffer, { identity, share, request, response, address, asked }: Visit): Promise<void> {
    const { format, protocol, named } = address
    const isBinary = format.isBinary?.(request.headers) ?? false
    protocol.verify?.(wire, asked)
    const packing = format.packing ? format.packing(request.headers) : request.headers['content-encoding']
    // What is empty was not packed, whatever its label says.
    const decoded = wire.length === 0 ? wire : decodeBody(wire, packing, share.hold, isBinary)
    const unpacked = decoded instanceof Promise ? await decoded : decoded
    const { body, headers } =
      isBinary && format.toJson
        ? asJson(format.toJson(unpacked), request)
        : { body: unpacked, headers: request.headers }
    const tell = (told: Record<string, string>): void => setHeaders(response, told)
    const visitor = { identity, answersParts: protocol.answersParts ?? false, tell }
    const addressed = named ?? headerSource(headers) ?? protocol.source?.(asked) ?? null
    if (!addressed && format.split) {
      format.check(headers)
      const outcomes = await storing.parts(format.split(body, headers), { format, body, headers }, visitor)
      protocol.answer(response, outcomes, { format, body, asked })
      return
    }
    const isAddress = protocol.readsSourceInBody && !format.hasOwnSource?.(headers)
    const inBody = addressed || !isAddress ? null : fromBody(body)
    const source = await sourceOf(access, identity, addressed ?? inBody)
    const delivery = { format, body, headers, sourceField: inBody?.field }
    const receipt = await storing.one(source, delivery, visitor)
    protocol.answer(response, [{ part: null, receipt }], { format, body, asked })
  }

  function tellAcks(request: LaneRequest, response: LaneResponse): true {
    const asked = { headers: request.headers, query: parse((request.url ?? '').split('?')[1] ?? ''), inPath: null }
    answerAcks(request, response, asked, { access, buffers, acks, token: splunkToken }).catch((error: unknown) => {
      if (!('body' in request)) request.resume()
      if (!response.headersSent && !response.destroyed) splunk.refuse(response, error, asked)
      if (refusalOf(error).status >= 500) onError(error)
    })
    return true
  }

  return (request, response) => {
    if (request.method !== 'POST') return answerCheck(request, response, { addresses, assertOpen })
    const address = addresses.of(request.url ?? '')
    if (!address && isAckPath(pathOf(request))) return tellAcks(request, response)
    if (!address) return answerCheck(request, response, { addresses, assertOpen })
    const { protocol } = address
    const asked = { headers: request.headers, query: address.query, inPath: address.inPath }
    response.setHeader('x-request-id', randomUUID())
    for (const name in HEADERS) response.setHeader(name, HEADERS[name as keyof typeof HEADERS])
    protocol.greet?.(response, asked)
    take(request, response, address, asked).catch((error: unknown) => {
      // What is left of the body is read and dropped, so that the connection can be used again.
      if (!('body' in request)) request.resume()
      if (!response.headersSent && !response.destroyed) protocol.refuse(response, error, asked)
      if (refusalOf(error).status >= 500) onError(error)
    })
    return true
  }
}

/** From here on it is as if JSON had been sent. */
const asJson = (body: Buffer, { headers }: LaneRequest) => ({
  body,
  headers: { ...headers, 'content-type': 'application/json' },
})

const pathOf = ({ url = '' }: LaneRequest): string => url.split('?', 1)[0]!

function fromBody(body: Buffer): (SourceName & { field: NamingField }) | null {
  const named = sourceInBody(body)
  if (!named) return null
  const { field, value } = named
  return field.endsWith('_name') ? { name: value, field } : { token: value, field }
}

function setHeaders(response: LaneResponse, headers: Record<string, string>): void {
  for (const name in headers) response.setHeader(name, headers[name]!)
}
