/** Where a request comes from, also when a proxy on this machine passes it on. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Visitor } from '../access/people/people.ts'

const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

type Request = { headers: IncomingHttpHeaders; socket: { remoteAddress?: string | undefined } }

export function visitorOf({ headers, socket }: Request): Visitor {
  const peer = plain(socket.remoteAddress ?? '')
  const isPassedOn = PROXY_HEADERS.some((name) => headers[name] !== undefined)
  return {
    // Only a proxy on this machine is believed; others could claim to be anybody.
    address: (isLoopback(peer) && lastOf(headers['x-forwarded-for'])) || peer,
    // A page whose name was pointed at this machine still says its own name in `host`.
    isLocal: isLoopback(peer) && !isPassedOn && LOCAL_HOST.test(headers.host ?? ''),
    isHttps: lastOf(headers['x-forwarded-proto']) === 'https',
    userAgent: headers['user-agent'] ?? null,
  }
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

/** The nearest proxy adds its word at the end. */
function lastOf(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  return text
    .slice(text.lastIndexOf(',') + 1)
    .trim()
    .slice(0, 64)
}
