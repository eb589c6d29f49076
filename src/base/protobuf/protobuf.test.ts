import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fields, signedText, unsignedText, zigzagText } from './wire.ts'
import { ProtobufWriter } from './writer.ts'

const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 29 - 1 }), long, fc.string(), (field, number, text) => {
      const written = new ProtobufWriter(1)
        .integer(field, number)
        .fixed64(field, number)
        .text(field, text)
        .message(field, (inner) => inner.text(field, text))
        .finish()
      const fields = new Fields(written)
      const next = () => expect([fields.next(), fields.field]).toEqual([true, field])
      next()
      expect(signedText(fields.low, fields.high)).toBe(String(number))
      next()
      expect(unsignedText(fields.low, fields.high)).toBe(String(BigInt.asUintN(64, number)))
      next()
      expect(written.toString('utf8', fields.from, fields.to)).toBe(Buffer.from(text).toString())
      next()
      fields.reset(fields.from, fields.to)
      next()
      expect(written.toString('utf8', fields.from, fields.to)).toBe(Buffer.from(text).toString())
      expect(fields.next()).toBe(false)
    }),
  )
})

test('inner messages of every length stand where the buffer ends', () => {
  for (let size = 0; size < 300; size++) {
    const text = 'x'.repeat(size)
    for (const room of [1, size, size + 3, size + 6, size + 12]) {
      const written = new ProtobufWriter(room).message(1, (inner) => inner.text(2, text)).finish()
      const outer = new Fields(written)
      expect(outer.next() && outer.isDone).toBe(true)
      const inner = new Fields(written, outer.from, outer.to)
      expect(inner.next() && written.toString('utf8', inner.from, inner.to)).toBe(text)
    }
  }
})

test('small negative numbers come zigzag', () => {
  expect([0, 1, 2, 3].map((low) => zigzagText(low, 0))).toEqual(['0', '-1', '1', '-2'])
  expect(zigzagText(0xffff_ffff, 0xffff_ffff)).toBe(String(-(2n ** 63n)))
})

test('no bytes lead outside the range that was given', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(40), (bytes, end) => {
      const to = Math.min(end, bytes.length)
      const fields = new Fields(Buffer.from(bytes), 0, to)
      try {
        while (fields.next()) expect(fields.from <= fields.to && fields.to <= to).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ name: 'BrokenProtobuf', at: expect.any(Number) })
      }
    }),
    { numRuns: 2_000 },
  )
})
