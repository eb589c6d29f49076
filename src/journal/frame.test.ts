import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bodyHolds,
  HEADER_BYTES,
  headerHolds,
  plausibleBodyBytes,
  readHeader,
  sealBodies,
  stampPosition,
} from './frame.ts'
import { anyFrame } from './testing.ts'

test('a header gives back what it was made of, at the position it was made for and no other', () => {
  fc.assert(
    fc.property(anyFrame(200), fc.maxSafeNat(), (frame, position) => {
      const header = sealBodies([frame])
      stampPosition(header, 0, position)
      const bytes = Buffer.concat([header, frame.body])
      const { body, ...rest } = frame
      expect(plausibleBodyBytes(bytes, 0, position)).toBe(body.length)
      expect(plausibleBodyBytes(bytes, 0, position + 1)).toBe(-1)
      expect(headerHolds(bytes, 0) && bodyHolds(bytes, 0)).toBe(true)
      expect(readHeader(bytes, 0)).toEqual(rest)
    }),
  )
})

test('the bytes are the ones of the format document', () => {
  const frame = {
    kind: 'fields' as const,
    source: '00112233-4455-6677-8899-aabbccddeeff',
    count: 7,
    minUs: -2,
    maxUs: 2 ** 40 + 1,
    body: Buffer.from('{}'),
  }
  const header = sealBodies([frame])
  stampPosition(header, 0, 2 ** 33 + 5)
  expect(header.length).toBe(HEADER_BYTES)
  expect(header.toString('hex', 0, 56)).toBe(
    'ff4d5246' +
      '01' +
      '02' +
      '0000' +
      '0500000002000000' +
      '00112233445566778899aabbccddeeff' +
      '07000000' +
      '02000000' +
      'feffffffffffffff' +
      '0100000000010000',
  )
})

test.each([
  ['a source that is no UUID', { source: 'web' }],
  ['a time that is no whole number', { minUs: 0.5 }],
])('%s is refused', (_, wrong) => {
  const frame = {
    kind: 'events' as const,
    source: '00112233-4455-6677-8899-aabbccddeeff',
    count: 0,
    minUs: 0,
    maxUs: 0,
  }
  expect(() => sealBodies([{ ...frame, ...wrong, body: Buffer.alloc(0) }])).toThrow()
})
