import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenSnappy, SnappyTooLarge, unsnappy } from './snappy.ts'

const MAX = 1_000_000

/** Packs as the format allows: literals of every length form, and copies of what went before. */
function pack(pieces: (string | { back: number; size: number })[]): { block: Buffer; text: Buffer } {
  const out: Buffer[] = []
  let text: Buffer = Buffer.alloc(0)
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const bytes = Buffer.from(piece)
      if (bytes.length === 0) continue
      const size = bytes.length - 1
      const head = size < 60 ? [size << 2] : size < 256 ? [60 << 2, size] : [61 << 2, size & 255, size >> 8]
      out.push(Buffer.from(head), bytes)
      text = Buffer.concat([text, bytes])
    } else if (text.length > 0) {
      const offset = 1 + (piece.back % Math.min(text.length, 65_535))
      const isShort = offset < 2048 && piece.size >= 4 && piece.size <= 11
      if (isShort) out.push(Buffer.from([((offset >> 8) << 5) | ((piece.size - 4) << 2) | 1, offset & 255]))
      else out.push(Buffer.from([((piece.size - 1) << 2) | 2, offset & 255, offset >> 8]))
      for (let i = 0; i < piece.size; i++)
        text = Buffer.concat([text, text.subarray(text.length - offset, text.length - offset + 1)])
    }
  }
  const length: number[] = []
  for (let rest = text.length; ; rest >>>= 7) {
    length.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) break
  }
  return { block: Buffer.concat([Buffer.from(length), ...out]), text }
}

const pieces = fc.array(
  fc.oneof(fc.string({ maxLength: 400 }), fc.record({ back: fc.nat(3_000), size: fc.integer({ min: 1, max: 64 }) })),
  { maxLength: 12 },
)

test('a block unpacks to what was packed', () => {
  fc.assert(
    fc.property(pieces, (given) => {
      const { block, text } = pack(given)
      expect(unsnappy(block, MAX)).toEqual(text)
    }),
  )
  // The example of the format's description: a literal and a copy that runs into what it writes.
  expect(unsnappy(Buffer.from('090461620d02', 'hex'), MAX).toString()).toBe('ababababa')
})

test('a cut at any byte is refused', () => {
  const { block } = pack([
    'hello hello, this is a text that is longer than sixty bytes, so that it has a long head',
    { back: 5, size: 9 },
  ])
  for (let length = 0; length < block.length; length++)
    expect(() => unsnappy(block.subarray(0, length), MAX)).toThrow(BrokenSnappy)
})

test('any bytes unpack or are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        unsnappy(Buffer.from(bytes), 10_000)
      } catch (error) {
        expect(error instanceof BrokenSnappy || error instanceof SnappyTooLarge).toBe(true)
      }
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['a length that the block cannot hold', 'ffffffff0f0061'],
  ['a copy from before the text', '0400610902'],
  ['more than it says', '01046161'],
  ['less than it says', '050061'],
])('%s is refused', (_, hex) => expect(() => unsnappy(Buffer.from(hex, 'hex'), MAX)).toThrow(BrokenSnappy))

test('what would be too large is not unpacked', () => {
  const { block } = pack(['x'.repeat(300)])
  expect(() => unsnappy(block, 299)).toThrow(SnappyTooLarge)
})
