import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { Fault } from '../base/faults.ts'
import { MAX_BODY_BYTES, MAX_WIRE_BYTES } from './limits.ts'
import { BrokenSnappy, SnappyTooLarge, unsnappy } from './snappy.ts'

const unpackers: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: inflateAny,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  snappy: async (body, { maxOutputLength }) => unsnappy(body, maxOutputLength),
}
const unpackZlib = promisify(inflate)
const unpackRaw = promisify(inflateRaw)

/**
 * How much longer an unpacked body may be than the packed one at the first try; each further try allows four times as
 * much. Most logs unpack to ten or twenty times their size, and what nobody needs is not set aside.
 */
const FIRST_RATIO = 20
const NEXT_RATIO = 4

/**
 * The body as it was before it was packed, as valid UTF-8 without a byte order mark. Bytes that are no UTF-8 become
 * replacement characters: one wrong byte must not cost the sender the whole request. A binary body is left as it is.
 * `hold` is told how many bytes this will take before it takes them, and may throw. Nothing is waited for when the body
 * is not packed.
 */
export function decodeBody(
  wire: Buffer,
  contentEncoding: string | undefined,
  hold: (bytes: number) => void = () => {},
  isBinary = false,
): Buffer | Promise<Buffer> {
  if (wire.length > MAX_WIRE_BYTES) throw bodyTooLarge()
  const finish = (body: Buffer): Buffer => (isBinary ? held(body, hold) : asText(held(body, hold)))
  return contentEncoding === undefined ? finish(wire) : unpackAll(wire, contentEncoding, hold).then(finish)
}

async function unpackAll(wire: Buffer, codings: string, hold: (bytes: number) => void): Promise<Buffer> {
  let body = wire
  // Listed in the order they were applied.
  for (const coding of codings.split(',').reverse()) body = await unpack(body, coding.trim().toLowerCase(), hold)
  return body
}

function held(body: Buffer, hold: (bytes: number) => void): Buffer {
  hold(body.length)
  if (body.length > MAX_BODY_BYTES) throw tooLarge()
  return body
}

function asText(body: Buffer): Buffer {
  const text = isUtf8(body) ? body : Buffer.from(body.toString('utf8'))
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text
}

async function unpack(body: Buffer, coding: string, hold: (bytes: number) => void): Promise<Buffer> {
  if (coding === '' || coding === 'identity') return body
  const unpacker = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined
  if (!unpacker) {
    throw new Fault(
      'bad_request',
      `Content encoding ${coding} is not supported. Use gzip, deflate, br, zstd or snappy.`,
    )
  }
  for (let ratio = FIRST_RATIO; ; ratio *= NEXT_RATIO) {
    const maxOutputLength = Math.min(MAX_BODY_BYTES, body.length * ratio)
    hold(body.length + maxOutputLength)
    try {
      return await unpacker(body, { maxOutputLength })
    } catch (error) {
      if (error instanceof BrokenSnappy)
        throw new Fault('bad_request', `The body is not valid snappy: ${error.message}.`)
      if (!isTooLarge(error)) throw new Fault('bad_request', `The body is not valid ${coding}.`, error)
      if (maxOutputLength === MAX_BODY_BYTES) throw tooLarge()
    }
  }
}

/** Some senders leave the zlib header out of what they call deflate. */
async function inflateAny(body: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  try {
    return await unpackZlib(body, options)
  } catch (error) {
    if (isTooLarge(error)) throw error
    return unpackRaw(body, options)
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof SnappyTooLarge ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')

export const bodyTooLarge = (): Fault =>
  new Fault('too_large', `The body is over ${megabytes(MAX_WIRE_BYTES)}. Send smaller batches.`)

const tooLarge = (): Fault =>
  new Fault('too_large', `The unpacked body is over ${megabytes(MAX_BODY_BYTES)}. Send smaller batches.`)

const megabytes = (bytes: number): string => `${bytes / 1_000_000} MB`
