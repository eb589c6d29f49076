import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { encode } from '@msgpack/msgpack'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../src/base/collect.ts'
import { Fault } from '../../src/base/faults.ts'
import { decodeBody } from '../../src/ingest/decode.ts'
import { bertToJson } from '../../src/ingest/formats/bert/bert.ts'
import { packedBert } from '../../src/ingest/formats/bert/testing.ts'
import { readForward } from '../../src/ingest/formats/forward/forward.ts'
import { fuzz } from './fuzz.ts'
import { snappyBomb } from './snappy.ts'

const INPUTS = 200_000
const SEED = 20_261_115

const heapBytes = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('200,000 wrong inputs are kept or refused with a reason, and leave nothing behind', async () => {
  let settledBytes = 0
  const goesOn = (number: number): boolean => {
    if (number === INPUTS / 4) settledBytes = heapBytes()
    return number < INPUTS
  }
  const { inputs, findings } = await fuzz({ seed: SEED, goesOn })
  expect(findings.map(({ input, ...finding }) => ({ ...finding, input: input.toString('base64') }))).toEqual([])
  expect(inputs).toBe(INPUTS)
  expect(heapBytes() - settledBytes).toBeLessThan(64 * 1024 * 1024)
}, 900_000)

const zeros = Buffer.alloc(110_000_000)

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['zstd', zstdCompressSync],
  ['snappy', ({ length }: Buffer) => snappyBomb(length)],
])(
  'a bomb of %s stops at the limit',
  async (encoding, compress) => {
    const bomb = compress(zeros)
    await expect(Promise.resolve().then(() => decodeBody(bomb, encoding))).rejects.toThrow(/over 100 MB/)
  },
  60_000,
)

test('a bomb of BERT stops at the limit', () => {
  expect(() => bertToJson(packedBert(zeros.toString('latin1')))).toThrow(Fault)
}, 60_000)

test('a bomb of the forward protocol stops at the limit', async () => {
  const message = Buffer.from(encode(['tag', gzipSync(zeros), { compressed: 'gzip' }]))
  await expect(readForward(message)).rejects.toThrow(/over 100 MB/)
}, 60_000)
