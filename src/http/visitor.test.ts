import { expect, test } from 'vitest'
import { visitorOf } from './visitor.ts'

const visit = (remoteAddress: string, headers: Record<string, string>) =>
  visitorOf({ headers: { host: 'localhost:4000', ...headers }, socket: { remoteAddress } })

test.each([
  ['this machine', '127.0.0.1', {}, '127.0.0.1', true],
  ['this machine over IPv6', '::1', { host: '[::1]:4000' }, '::1', true],
  ['this machine, an IPv4 address as IPv6', '::ffff:127.0.0.1', {}, '127.0.0.1', true],
  ['another machine', '192.0.2.7', {}, '192.0.2.7', false],
  ['another machine that claims to be this one', '192.0.2.7', { 'x-forwarded-for': '127.0.0.1' }, '192.0.2.7', false],
  [
    'a proxy here: its own word is the last',
    '127.0.0.1',
    { 'x-forwarded-for': '127.0.0.1, 192.0.2.7' },
    '192.0.2.7',
    false,
  ],
  ['a proxy here for somebody here', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1', false],
  ['a proxy here that says little', '127.0.0.1', { 'x-real-ip': '192.0.2.7' }, '127.0.0.1', false],
  ['a name that was pointed at this machine', '127.0.0.1', { host: 'evil.example' }, '127.0.0.1', false],
  ['a name that only begins like this machine', '127.0.0.1', { host: 'localhost.evil.example' }, '127.0.0.1', false],
])('%s', (_, peer, headers, address, isLocal) => {
  expect(visit(peer, headers)).toMatchObject({ address, isLocal })
})

test('https is what the proxy says', () => {
  expect(visit('127.0.0.1', { 'x-forwarded-proto': 'https' }).isHttps).toBe(true)
  expect(visit('127.0.0.1', { 'x-forwarded-proto': 'https, http' }).isHttps).toBe(false)
  expect(visit('127.0.0.1', {}).isHttps).toBe(false)
})
