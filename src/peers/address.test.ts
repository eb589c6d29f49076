import { expect, test } from 'vitest'
import { guessAddress, isLocal } from './address.ts'

const one = (family: 'IPv4' | 'IPv6', address: string, internal: boolean) =>
  family === 'IPv4'
    ? { family, address, internal, netmask: '', mac: '', cidr: null }
    : { family, address, internal, netmask: '', mac: '', cidr: null, scopeid: 0 }
const both = {
  lo: [one('IPv4', '127.0.0.1', true)],
  eth0: [one('IPv6', 'fe80::1', false), one('IPv6', 'fd00::2', false), one('IPv4', '10.0.0.7', false)],
}

test.each([
  ['10.0.0.9', both, 'http://10.0.0.9:4000', false],
  ['127.0.0.1', both, 'http://127.0.0.1:4000', true],
  ['::1', both, 'http://[::1]:4000', true],
  ['0.0.0.0', both, 'http://10.0.0.7:4000', false],
  ['::', { eth0: both.eth0.slice(0, 2) }, 'http://[fd00::2]:4000', false],
  ['0.0.0.0', {}, 'http://127.0.0.1:4000', true],
])('who listens on %s is reached at an address of the machine', (host, interfaces, expected, local) => {
  const address = guessAddress(host, 4000, interfaces)
  expect([address, isLocal(address)]).toEqual([expected, local])
})
