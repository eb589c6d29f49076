/**
 * Addresses that no backend may reach: those under which clouds hand out credentials to whoever asks. Private networks
 * are allowed, as the receivers of a self-hosted service often stand there.
 *
 * A name is checked when it is resolved for a connection, so that one that changes its mind between check and use
 * is caught as well.
 */
import { type LookupAddress, type LookupAllOptions, lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const forbidden = new BlockList()
// Link-local addresses: AWS, Azure, GCP, Oracle, DigitalOcean and most others answer on 169.254.169.254 or near it.
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addSubnet('fe80::', 10, 'ipv6')
/** Alibaba Cloud, Oracle Cloud (older), Azure's host agent. */
for (const address of ['100.100.100.200', '192.0.0.192', '168.63.129.16']) forbidden.addAddress(address, 'ipv4')
/** AWS, AWS container credentials, GCP. */
for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254']) forbidden.addAddress(address, 'ipv6')

/** Addresses that carry an IPv4 address in their last 32 bits: mapped, compatible, NAT64. */
const CARRIERS = /^(?:::ffff:|::|64:ff9b::)(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/

export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`${host} is or leads to a metadata address, to which nothing is sent`)
    this.name = 'ForbiddenAddress'
  }
}

export function isForbidden(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const version = isIP(bare)
  if (version === 0) return false
  if (version === 4) return forbidden.check(bare, 'ipv4')
  return forbidden.check(bare, 'ipv6') || isForbidden(carried(new URL(`http://[${bare}]`).hostname) ?? '')
}

function carried(host: string): string | null {
  const match = CARRIERS.exec(host.slice(1, -1))
  if (!match) return null
  if (match[1]) return match[1]
  const [high, low] = [Number.parseInt(match[2]!, 16), Number.parseInt(match[3]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Throws for a host that is a forbidden address as it stands; names are for `guardedLookup`. */
export function assertAllowed(host: string): void {
  if (isForbidden(host)) throw new ForbiddenAddress(host)
}

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void
export type Look = (host: string, options: LookupAllOptions, done: Found) => void

/** Like the given one, and fails when any answer is forbidden. */
export function guard(look: Look): LookupFunction {
  return (host, options, done) => {
    look(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      if (addresses.some(({ address }) => isForbidden(address))) return done(new ForbiddenAddress(host), [])
      if (options.all) return done(null, addresses)
      const [first] = addresses
      if (!first) return done(new Error(`${host} has no address`), [])
      return done(null, first.address, first.family)
    })
  }
}

/** That of the system. */
export const guardedLookup: LookupFunction = guard(resolve)
