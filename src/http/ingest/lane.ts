/** Ingest: events come in, and the answer says they are stored. One address per format. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access, Identity } from '../../access/access.ts'
import type { Buffers } from '../../base/buffers.ts'
import { Fault } from '../../base/faults.ts'
import { type Accept, type Receipt, refusalText } from '../../ingest/accept.ts'
import { bodyTooLarge, decodeBody } from '../../ingest/decode.ts'
import { sourceInBody } from '../../ingest/formats/bodies.ts'
import type { Format } from '../../ingest/formats/format.ts'
import { MAX_WIRE_BYTES } from '../../ingest/limits.ts'
import type { Quotas } from '../../ingest/quotas.ts'
import { PLANS } from '../../model/plan.ts'
import { answerPlain } from '../errors.ts'
import type { Lane } from '../lane.ts'
import { type Address, createAddresses } from './addresses.ts'
import { readBody } from './body.ts'
import { createBudget, type Share } from './budget.ts'
import { type SourceName, sourceOf } from './named-source.ts'

export type IngestParts = {
  access: Access
  accept: Accept
  quotas: Quotas
  buffers: Buffers
  /** Throws when no events can be taken now: shutting down, or the warehouse too far behind. */
  assertOpen(): void
  /** Told of requests that failed for a reason of our own. */
  onError(error: unknown): void
}

/** Bodies that are held at once, as sent or unpacked; their rows come on top. */
const HELD_BYTES_MAX = 128 * 1024 * 1024

/** What a body of unknown length counts as, until it is here. */
const UNKNOWN_LENGTH_BYTES = 1_000_000

const LOGGED = '{"message":"Logged!"}'

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, retry-after',
}

type Visit = {
  identity: Identity
  share: Share
  request: IncomingMessage
  response: ServerResponse
  address: Address
}

export function createIngestLane(parts: IngestParts): Lane {
  const { access, accept, quotas, buffers, assertOpen, onError } = parts
  const budget = createBudget(HELD_BYTES_MAX)
  const addresses = createAddresses()

  /** Who sends, and is there room: before a byte of the body is read. A known token waits for nothing. */
  async function take(request: IncomingMessage, response: ServerResponse, address: Address): Promise<void> {
    const presented = access.identify(access.present(request.headers, address.query))
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
      const wire = await readBody(announced, request, buffers)
      if (!wire) throw new Fault('bad_request', 'The body is empty. Send at least one event.')
      try {
        await store(wire.bytes, { identity, share, request, response, address })
      } finally {
        wire.release()
      }
    } finally {
      // Here and not when the connection closes: it may have closed before, or long before the memory is free.
      share.release()
    }
  }

  async function store(wire: Buffer, { identity, share, request, response, address }: Visit): Promise<void> {
    const { headers } = request
    const { format, named } = address
    const body = await decodeBody(wire, headers['content-encoding'], share.hold)
    const addressed = named ?? headerSource(headers)
    const inBody = addressed ? null : fromBody(body)
    const source = await sourceOf(access, identity, addressed ?? inBody)
    access.allow(identity, { to: 'ingest', source })
    const limits = PLANS[identity.account.plan]
    setHeaders(response, quotas.headers(source, limits))
    quotas.check(source, limits)

    const receipt = await accept({ source, format, body, headers, sourceField: inBody?.field })
    setHeaders(response, quotas.headers(source, limits))
    answer(response, receipt, format)
  }

  return (request, response) => {
    if (request.method !== 'POST') return false
    const address = addresses.of(request.url ?? '')
    if (!address) return false
    response.setHeader('x-request-id', randomUUID())
    for (const name in HEADERS) response.setHeader(name, HEADERS[name as keyof typeof HEADERS])
    take(request, response, address).catch((error: unknown) => {
      // What is left of the body is read and dropped, so that the connection can be used again.
      request.resume()
      if (answerPlain(error, response) >= 500) onError(error)
    })
    return true
  }
}

function answer(response: ServerResponse, receipt: Receipt, format: Format): void {
  const isGood = receipt.refusedCount === 0 || format.hidesRefused
  const body = isGood ? LOGGED : JSON.stringify({ message: refusalTexts(receipt) })
  response.statusCode = isGood ? 200 : 406
  response.setHeader('content-length', isGood ? LOGGED.length : Buffer.byteLength(body))
  response.end(body, isGood ? 'latin1' : 'utf8')
}

function refusalTexts({ refused, refusedCount }: Receipt): string[] {
  const texts = refused.map(refusalText)
  const more = refusedCount - texts.length
  return more > 0 ? [...texts, `and ${more} more events`] : texts
}

function headerSource(headers: IncomingMessage['headers']): SourceName | null {
  const token = headers['x-source'] ?? headers['x-collection']
  return typeof token === 'string' && token !== '' ? { token } : null
}

function fromBody(body: Buffer): (SourceName & { field: 'source' | 'source_name' }) | null {
  const { source, source_name } = sourceInBody(body)
  if (source_name !== undefined) return { name: source_name, field: 'source_name' }
  if (source !== undefined) return { token: source, field: 'source' }
  return null
}

function setHeaders(response: ServerResponse, headers: Record<string, string>): void {
  for (const name in headers) response.setHeader(name, headers[name]!)
}
