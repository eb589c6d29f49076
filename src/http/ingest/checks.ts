/**
 * What senders ask before they send: is anybody there, and is it what they were written for. Needs no token. While no
 * events can be taken the answer says so.
 */
import { answerPlain } from '../errors.ts'
import type { LaneRequest, LaneResponse } from '../lane.ts'
import type { Addresses } from './addresses.ts'
import { PRODUCT } from './protocols/elastic.ts'
import { HEALTHY } from './protocols/splunk.ts'

type Check = {
  status: number
  body: object | string
  headers?: Record<string, string>
  /** Only for these senders; the path is also somebody else's. */
  agents?: RegExp
}

/** Senders that ask the root of an address for its version before they send to it. */
const ELASTIC_AGENTS = /elastic|logstash|filebeat|beats?\b/i

/** A version whose bulk requests are the ones we read. */
const BANNER = {
  name: 'millrace',
  cluster_name: 'millrace',
  cluster_uuid: 'millrace',
  version: {
    number: '8.19.0',
    build_flavor: 'default',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0',
  },
  tagline: 'You Know, for Search',
}

const LICENSE = { license: { uid: 'millrace', type: 'basic', status: 'active' } }

/** What was acknowledged can be found already, so there is nothing to refresh; some clients insist on asking. */
const REFRESHED: Check = { status: 200, body: { _shards: { total: 1, successful: 1, failed: 0 } }, headers: PRODUCT }
const REFRESH = /^(?:GET|POST) (?:\/[^/]+)?\/_refresh$/

/** By method and path. */
const CHECKS = new Map<string, Check>([
  ['GET /services/collector/health', { status: 200, body: HEALTHY }],
  ['GET /services/collector/health/1.0', { status: 200, body: HEALTHY }],
  ['GET /loki/api/v1/ready', { status: 200, body: 'ready\n' }],
  ['GET /', { status: 200, body: BANNER, headers: PRODUCT, agents: ELASTIC_AGENTS }],
  ['HEAD /', { status: 200, body: '', headers: PRODUCT, agents: ELASTIC_AGENTS }],
  ['GET /_license', { status: 200, body: LICENSE, headers: PRODUCT }],
  ['GET /_cluster/health', { status: 200, body: { cluster_name: 'millrace', status: 'green' }, headers: PRODUCT }],
])

/** Answers whether the request was one of these. */
export function answerCheck(
  request: LaneRequest,
  response: LaneResponse,
  { addresses, assertOpen }: { addresses: Addresses; assertOpen(): void },
): boolean {
  const { method = '', url = '', headers } = request
  const path = url.split('?', 1)[0]!
  const asked = `${method} ${path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path}`
  const check = CHECKS.get(asked) ?? (REFRESH.test(asked) ? REFRESHED : undefined)
  const isOurs = check
    ? !check.agents || check.agents.test(headers['user-agent'] ?? '')
    : method === 'HEAD' && addresses.of(url) !== null
  if (!isOurs) return false
  try {
    assertOpen()
  } catch (error) {
    answerPlain(error, response)
    return true
  }
  if (check) {
    const text = typeof check.body === 'string' ? check.body : JSON.stringify(check.body)
    send(response, check.status, text, {
      'content-type': typeof check.body === 'string' ? 'text/plain' : 'application/json; charset=utf-8',
      ...check.headers,
    })
  } else send(response, 200, '', {})
  return true
}

function send(response: LaneResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(text), ...headers })
  response.end(text)
}
