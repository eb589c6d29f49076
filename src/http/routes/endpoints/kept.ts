/**
 * The lane of kept answers: a GET by UUID whose answer is in memory leaves before the router sees it. Whatever is not so
 * plain (another form of the answer, a body, somebody unknown, nothing kept) is left to the route, which says the same
 * and explains refusals.
 */
import { randomUUID } from 'node:crypto'
import { parse } from 'node:querystring'
import type { Access } from '../../../access/access.ts'
import { isUuid } from '../../../base/ids.ts'
import type { Kept } from '../../../endpoints/run.ts'
import { chooseFormat } from '../../../query/formats/formats.ts'
import type { Lane, LaneRequest, LaneResponse } from '../../lane.ts'
import { type Allowed, createAllowed } from './allowed.ts'
import { type Asked, separate } from './asked.ts'
import { callOf, wantsRedaction } from './call.ts'

const PREFIX = '/api/endpoints/query/'
const UUID_LENGTH = 36
/** Readers use the same address again and again, so it is read once. */
const ADDRESSES_KEPT = 1_000

type Address = { name: string; query: Record<string, unknown>; asked: Asked }

export function createKeptLane({ access, kept }: { access: Access; kept: Kept }): Lane {
  const allowed = createAllowed(access)
  const addresses = new Map<string, Address>()

  function addressOf(url: string): Address | null {
    const known = addresses.get(url)
    if (known) return known
    const name = url.slice(PREFIX.length, PREFIX.length + UUID_LENGTH)
    const rest = url.slice(PREFIX.length + UUID_LENGTH)
    if (!isUuid(name) || (rest !== '' && rest[0] !== '?')) return null
    const query: Record<string, unknown> = parse(rest.slice(1))
    if ('format' in query) return null
    const address = { name, query, asked: separate(query) }
    if (addresses.size >= ADDRESSES_KEPT) addresses.clear()
    addresses.set(url, address)
    return address
  }

  function mayAsk({ headers }: LaneRequest, { name, query }: Address): Allowed | null {
    try {
      const found = allowed({ name, method: 'GET', headers, query })
      if (!(found instanceof Promise)) return found
      found.catch(() => {})
    } catch {
      // The route refuses with the reason.
    }
    return null
  }

  function take(request: LaneRequest, response: LaneResponse): boolean {
    const { url = '', headers } = request
    if (request.method !== 'GET' || !url.startsWith(PREFIX) || hasBody(request)) return false
    const address = addressOf(url)
    if (!address || chooseFormat(undefined, headers.accept) !== 'json') return false
    const may = mayAsk(request, address)
    const found = may && kept(callOf(may, address.asked, headers, NO_SIGNAL))
    if (!found) return false
    const { data, bytes, encoding } = found.body(wantsRedaction(headers, may.endpoint))
    response.writeHead(200, {
      'x-request-id': randomUUID(),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'x-request-id, retry-after',
      'content-type': 'application/json; charset=utf-8',
      'x-cache': 'hit',
      'content-length': bytes,
    })
    response.end(data, encoding)
    return true
  }

  return (request, response) => {
    try {
      return take(request, response)
    } catch {
      return false
    }
  }
}

/** A kept answer asks for no query that could be stopped. */
const NO_SIGNAL = (): AbortSignal => AbortSignal.abort()

const hasBody = ({ headers }: LaneRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
