import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redactJson, redactText } from './redaction.ts'

test.each([
  // IPv4
  ['from 198.51.100.4 to 10.0.0.255:5432', 'from REDACTED to REDACTED:5432'],
  ['10.2.3.0/24', 'REDACTED/24'],
  ['http://203.0.113.9/x?a=10.1.1.1&b=2', 'http://REDACTED/x?a=REDACTED&b=2'],
  ['1.2.3.4.5', 'REDACTED.5'],
  ['999.10.0.0.1', '999.REDACTED'],
  ['host-10.2.3.4-x, ip_10.2.3.4, (10.2.3.4).', 'host-REDACTED-x, ip_REDACTED, (REDACTED).'],
  ['0.0.0.0 255.255.255.255 010.001.002.003', 'REDACTED REDACTED REDACTED'],
  ['8.8.8.300 256.1.1.1 1.2.3 1.2.3.', '8.8.8.300 256.1.1.1 1.2.3 1.2.3.'],
  ['12345.1.1.1 1.1.1.12345', '12345.1.1.1 1.1.1.12345'],
  // IPv6 in full, compressed, upper case
  ['peer 2001:DB8:0:0:0:0:0:1F up', 'peer REDACTED up'],
  ['2001:db8:1::ab9:c0a8:102', 'REDACTED'],
  ['fe80::a1', 'REDACTED'],
  ['::1', 'REDACTED'],
  ['2001:db8::', 'REDACTED'],
  ['1:2:3:4:5:6:7:8', 'REDACTED'],
  // brackets, ports, zones, prefixes, mapped
  ['[2001:db8::17]:443 refused, ip=2001:db8::18, (2001:db8::19)', '[REDACTED]:443 refused, ip=REDACTED, (REDACTED)'],
  ['http://[2001:db8::1]:8080/x', 'http://[REDACTED]:8080/x'],
  ['fe80::1%eth0', 'REDACTED'],
  ['fe80::1%25en0/64 up', 'REDACTED/64 up'],
  ['2001:db8:aa::/48', 'REDACTED/48'],
  ['::ffff:198.51.100.4', 'REDACTED'],
  ['::ffff:198.51.100.4:8080', 'REDACTED:8080'],
  ['64:ff9b::192.0.2.33', 'REDACTED'],
  ['::ffff:192.0.2.033', 'REDACTED'],
  ['client:2001:db8::1', 'client:REDACTED'],
  ['2001:db8::1: timed out', 'REDACTED: timed out'],
  ['It was 2001:db8::1.', 'It was REDACTED.'],
  ['2001:db8:0:0:0:0:0:1:443', 'REDACTED:443'],
  ['a 2001:db8::1, b 2001:db8::2; c 10.0.0.1', 'a REDACTED, b REDACTED; c REDACTED'],
  ['x2001:db8::1y', 'xREDACTEDy'],
  // what is none
  ['no address at 12:34:56', 'no address at 12:34:56'],
  ['2025-03-02T00:00:01.123Z', '2025-03-02T00:00:01.123Z'],
  ['00:1b:44:11:3a:b7', '00:1b:44:11:3a:b7'],
  ['std::deque Foo::Bar a :: b ::', 'std::deque Foo::Bar a :: b ::'],
  ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7'],
  ['sha256:deadbeef', 'sha256:deadbeef'],
  ['', ''],
])('%j leaves as %j', (text, expected) => expect(redactText(text)).toBe(expected))

test('every IPv4 and IPv6 address is found, whatever stands around it', () => {
  const around = fc.constantFrom('', ' ', '(', ')', '=', '"', ',', ' at ', '/', '[', ']', ';', '<', '\n', 'é', '日')
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), around, around, (address, before, after) => {
      fc.pre(address !== '::')
      expect(redactText(before + address + after)).toBe(`${before}REDACTED${after}`)
    }),
  )
})

test('values are redacted at any depth; keys, numbers and everything else keep every character', () => {
  const json =
    '[{"10.1.1.1":"10.1.1.1","n":10.1,"big":"9007199254740993","list":["::1","plain",null,{"fe80::1" : "fe80::1"}],"quote":"say \\"10.0.0.1\\" \\u0031\\u0030.0.0.1","emoji":"\\ud83d\\ude00"}]'
  expect(redactJson(json)).toBe(
    '[{"10.1.1.1":"REDACTED","n":10.1,"big":"9007199254740993","list":["REDACTED","plain",null,{"fe80::1" : "REDACTED"}],"quote":"say \\"REDACTED\\" REDACTED","emoji":"\\ud83d\\ude00"}]',
  )
})

test('any JSON stays the same JSON when it holds no address', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const redacted = redactJson(json)
      if (!redacted.includes('REDACTED')) expect(redacted).toBe(json)
      expect(() => JSON.parse(redacted)).not.toThrow()
    }),
  )
})

test('a long text of nothing but digits and colons takes no long time', () => {
  const startedAt = performance.now()
  for (const text of ['1:'.repeat(200_000), ':'.repeat(400_000), 'a'.repeat(400_000), '1.'.repeat(200_000)])
    redactText(text)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
