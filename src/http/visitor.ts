/** Where a request comes from, also when a proxy on this machine passes it on. */
import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Visitor } from '../access/people/people.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

export function visitorOf({ headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): Visitor {
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

function isLoopback(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** The nearest proxy adds its word at the end. */
function lastOf(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  return text
    .slice(text.lastIndexOf(',') + 1)
    .trim()
    .slice(0, 64)
}
