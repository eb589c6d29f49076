/**
 * Ingest: events come in, and the answer says they are stored. An address says the format and the protocol.
 *
 * Promises: nothing of a body is read before its sender is known; the answer, good or bad, is one the sender's protocol
 * knows.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Access, Identity } from '../../access/access.ts'
import type { Buffers } from '../../base/buffers.ts'
import { Fault } from '../../base/faults.ts'
import { isUuid } from '../../base/ids.ts'
import type { Accept, Receipt } from '../../ingest/accept.ts'
import { bodyTooLarge, decodeBody } from '../../ingest/decode.ts'
import { sourceInBody } from '../../ingest/formats/bodies.ts'
import type { Delivery } from '../../ingest/formats/format.ts'
import { MAX_WIRE_BYTES } from '../../ingest/limits.ts'
import type { Quotas } from '../../ingest/quotas.ts'
import { PLANS } from '../../model/plan.ts'
import type { Source } from '../../model/source.ts'
import { refusalOf } from '../errors.ts'
import type { Lane, LaneRequest, LaneResponse } from '../lane.ts'
import { type Address, createAddresses } from './addresses.ts'
import { plainBody, readBody } from './body.ts'
import { createBudget, type Share } from './budget.ts'
import { answerCheck } from './checks.ts'
import { type SourceName, sourceOf } from './named-source.ts'
import type { Asked, Outcome } from './protocols/protocol.ts'

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

/** Names by which one body may address its events: each costs a pass over the body. */
const PARTS_MAX = 100

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
  const { access, accept, quotas, buffers, assertOpen, onError } = parts
  const budget = createBudget(HELD_BYTES_MAX)
  const addresses = createAddresses(parts)

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
      if (!wire && !format.takesEmpty) throw new Fault('bad_request', 'The body is empty. Send at least one event.')
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
    const { headers } = request
    const { format, protocol, named } = address
    protocol.verify?.(wire, asked)
    // What is empty was not packed, whatever its label says.
    const decoded = wire.length === 0 ? wire : decodeBody(wire, headers['content-encoding'], share.hold)
    const body = decoded instanceof Promise ? await decoded : decoded
    const addressed = named ?? headerSource(headers) ?? protocol.source?.(asked) ?? null
    if (!addressed && format.split) {
      format.check(headers)
      const outcomes = await storeParts(
        format.split(body),
        { format, body, headers },
        identity,
        response,
        protocol.answersParts,
      )
      protocol.answer(response, outcomes, { format, body, asked })
      return
    }
    const isAddress = protocol.readsSourceInBody && !format.hasOwnSource?.(headers)
    const inBody = addressed || !isAddress ? null : fromBody(body)
    const source = await sourceOf(access, identity, addressed ?? inBody)
    const receipt = await storeFor(source, { format, body, headers, sourceField: inBody?.field }, identity, response)
    protocol.answer(response, [{ part: null, receipt }], { format, body, asked })
  }

  async function storeFor(
    source: Source,
    delivery: Omit<Delivery, 'source'>,
    identity: Identity,
    response: LaneResponse,
  ): Promise<Receipt> {
    access.allow(identity, { to: 'ingest', source })
    const limits = PLANS[identity.account.plan]
    setHeaders(response, quotas.headers(source, limits))
    quotas.check(source, limits)
    const receipt = await accept({ source, ...delivery })
    setHeaders(response, quotas.headers(source, limits))
    return receipt
  }

  /** A body that addresses its events itself. Unless parts are told one by one, all must have a source before any is stored. */
  async function storeParts(
    parts: string[],
    delivery: Omit<Delivery, 'source'>,
    identity: Identity,
    response: LaneResponse,
    answersParts = false,
  ): Promise<Outcome[]> {
    if (parts.length > PARTS_MAX)
      throw new Fault('bad_request', `The body is for over ${PARTS_MAX} sources. Send smaller batches.`)
    const found: { part: string; source: Source | Fault }[] = []
    for (const part of parts) {
      const source = await sourceOf(access, identity, part === '' ? null : { name: part }).catch((error: unknown) => {
        if (answersParts && error instanceof Fault) return error
        throw error
      })
      if (!(source instanceof Fault) && !answersParts) {
        access.allow(identity, { to: 'ingest', source })
        quotas.check(source, PLANS[identity.account.plan])
      }
      found.push({ part, source })
    }
    const outcomes: Outcome[] = []
    for (const { part, source } of found) {
      try {
        if (source instanceof Fault) throw source
        outcomes.push({ part, receipt: await storeFor(source, { ...delivery, part }, identity, response) })
      } catch (error) {
        if (!answersParts || !(error instanceof Fault)) throw error
        if (refusalOf(error).status >= 500) onError(error)
        outcomes.push({ part, fault: error })
      }
    }
    return outcomes
  }

  return (request, response) => {
    if (request.method !== 'POST') return answerCheck(request, response, { addresses, assertOpen })
    const address = addresses.of(request.url ?? '')
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

function headerSource(headers: IncomingHttpHeaders): SourceName | null {
  const given = headers['x-source'] ?? headers['x-collection']
  if (typeof given !== 'string' || given === '') return null
  return isUuid(given) ? { token: given } : { name: given }
}

function fromBody(body: Buffer): (SourceName & { field: 'source' | 'source_name' }) | null {
  const { source, source_name } = sourceInBody(body)
  if (source_name !== undefined) return { name: source_name, field: 'source_name' }
  if (source !== undefined) return { token: source, field: 'source' }
  return null
}

function setHeaders(response: LaneResponse, headers: Record<string, string>): void {
  for (const name in headers) response.setHeader(name, headers[name]!)
}
