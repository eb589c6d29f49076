import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeBody } from './decode.ts'

const text = JSON.stringify({ message: 'hello '.repeat(50_000) })

test.each([
  ['gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['zstd', zstdCompressSync(text)],
  ['gzip, br', brotliCompressSync(gzipSync(text))],
])('%s is unpacked, and room is asked for before it is taken, however well it was packed', async (coding, wire) => {
  const asked: number[] = []
  const body = await decodeBody(wire, coding, (bytes) => asked.push(bytes))
  expect(body.toString()).toBe(text)
  expect(Math.max(...asked)).toBeGreaterThanOrEqual(text.length)
  expect(asked.at(-1)).toBe(text.length)
})

test('what asks for too much room is not unpacked', async () => {
  const full = (bytes: number): void => {
    if (bytes > 100_000) throw new Error('no room')
  }
  await expect(decodeBody(gzipSync(text), 'gzip', full)).rejects.toThrow('no room')
})

test('more than 100 MB unpacked is refused as too large, by however little it was packed', async () => {
  await expect(decodeBody(gzipSync(Buffer.alloc(100_000_001)), 'gzip')).rejects.toMatchObject({ code: 'too_large' })
})
