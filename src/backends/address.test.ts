import { expect, test } from 'vitest'
import { ForbiddenAddress, guardedLookup, isForbidden } from './address.ts'

test.each([
  ['169.254.169.254', true],
  ['169.254.170.2', true],
  ['100.100.100.200', true],
  ['fd00:ec2::254', true],
  ['[fd00:ec2::254]', true],
  ['::ffff:169.254.169.254', true],
  ['::ffff:a9fe:a9fe', true],
  ['64:ff9b::a9fe:a9fe', true],
  ['fe80::1%eth0', true],
  ['127.0.0.1', false],
  ['10.0.0.5', false],
  ['192.168.1.1', false],
  ['::1', false],
  ['fd00::1', false],
  ['metadata.example.com', false],
])('%s is a metadata address: %s', (address, expected) => expect(isForbidden(address)).toBe(expected))

test.each(['http://2852039166/', 'http://0xa9fea9fe/', 'http://0251.0376.0251.0376/'])('%s is no way around', (url) =>
  expect(isForbidden(new URL(url).hostname)).toBe(true),
)

test('a name is checked by what it resolves to', async () => {
  const look = (host: string) =>
    new Promise((resolve) => guardedLookup(host, { all: true }, (error, found) => resolve(error ?? found)))
  expect(await look('169.254.169.254')).toBeInstanceOf(ForbiddenAddress)
  expect(await look('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 })
})
