import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decodeBody } from './decode.ts'
import { MAX_BODY_BYTES, MAX_WIRE_BYTES } from './limits.ts'

const text = Buffer.from('{"message":"packed"}')

test.each([
  ['gzip', gzipSync(text)],
  ['GZIP ', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['zstd', zstdCompressSync(text)],
  ['identity', text],
  ['gzip, br', brotliCompressSync(gzipSync(text))],
])('%s is unpacked', async (encoding, body) => {
  expect(await decodeBody(body, encoding)).toEqual(text)
})

test.each([
  ['an unknown encoding', text, 'lzma', 'bad_request'],
  ['a body that is not what it says', text, 'gzip', 'bad_request'],
  ['a body over the wire limit', Buffer.alloc(MAX_WIRE_BYTES + 1), undefined, 'too_large'],
  ['a small body that unpacks to a huge one', gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1)), 'gzip', 'too_large'],
])('%s is refused', async (_, body, encoding, code) => {
  await expect((async () => decodeBody(body, encoding))()).rejects.toMatchObject({ code })
})

test('wrong bytes become replacement characters and a byte order mark is skipped', async () => {
  expect((await decodeBody(Buffer.from([0x22, 0xff, 0x22]), undefined)).toString()).toBe('"\ufffd"')
  expect((await decodeBody(Buffer.from('\ufeff{}'), undefined)).toString()).toBe('{}')
})

const long = JSON.stringify({ message: 'hello '.repeat(50_000) })

test.each([
  ['gzip', gzipSync(long)],
  ['deflate', deflateSync(long)],
  ['deflate', deflateRawSync(long)],
  ['br', brotliCompressSync(long)],
  ['zstd', zstdCompressSync(long)],
  ['gzip, br', brotliCompressSync(gzipSync(long))],
])('%s is unpacked, and room is asked for before it is taken, however well it was packed', async (coding, wire) => {
  const asked: number[] = []
  const body = await decodeBody(wire, coding, (bytes) => asked.push(bytes))
  expect(body.toString()).toBe(long)
  expect(Math.max(...asked)).toBeGreaterThanOrEqual(long.length)
  expect(asked.at(-1)).toBe(long.length)
})

test('what asks for too much room is not unpacked', async () => {
  const full = (bytes: number): void => {
    if (bytes > 100_000) throw new Error('no room')
  }
  await expect(decodeBody(gzipSync(long), 'gzip', full)).rejects.toThrow('no room')
})

test('more than 100 MB unpacked is refused as too large, by however little it was packed', async () => {
  await expect(decodeBody(gzipSync(Buffer.alloc(100_000_001)), 'gzip')).rejects.toMatchObject({ code: 'too_large' })
})
