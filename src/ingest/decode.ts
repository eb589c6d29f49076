import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { Fault } from '../base/faults.ts'
import { MAX_BODY_BYTES, MAX_WIRE_BYTES } from './limits.ts'

const unpackers: Record<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
}
const unpackRaw = promisify(inflateRaw)

/**
 * The body as it was before it was packed, as valid UTF-8 without a byte order mark. Bytes that are no UTF-8 become
 * replacement characters: one wrong byte must not cost the sender the whole request.
 */
export async function decodeBody(wire: Buffer, contentEncoding: string | undefined): Promise<Buffer> {
  if (wire.length > MAX_WIRE_BYTES)
    throw new Fault('too_large', `The body is over ${megabytes(MAX_WIRE_BYTES)}. Send smaller batches.`)
  let body = wire
  // Listed in the order they were applied.
  for (const coding of (contentEncoding ?? '').split(',').reverse())
    body = await unpack(body, coding.trim().toLowerCase())
  if (body.length > MAX_BODY_BYTES) throw tooLarge()
  const text = isUtf8(body) ? body : Buffer.from(body.toString('utf8'))
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? text.subarray(3) : text
}

async function unpack(body: Buffer, coding: string): Promise<Buffer> {
  if (coding === '' || coding === 'identity') return body
  const unpacker = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined
  if (!unpacker) {
    throw new Fault('bad_request', `Content encoding ${coding} is not supported. Use gzip, deflate, br or zstd.`)
  }
  const options = { maxOutputLength: MAX_BODY_BYTES }
  try {
    return await unpacker(body, options)
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge()
    // Some senders leave the zlib header out of what they call deflate.
    if (coding === 'deflate') {
      try {
        return await unpackRaw(body, options)
      } catch (second) {
        if (isTooLarge(second)) throw tooLarge()
      }
    }
    throw new Fault('bad_request', `The body is not valid ${coding}.`, error)
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

const tooLarge = (): Fault =>
  new Fault('too_large', `The unpacked body is over ${megabytes(MAX_BODY_BYTES)}. Send smaller batches.`)

const megabytes = (bytes: number): string => `${bytes / 1_000_000} MB`
