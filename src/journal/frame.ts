import { crc32 } from 'node:zlib'
import { Fault } from '../base/faults.ts'
import { isUuid, uuidText } from '../base/ids.ts'
import type { Frame, FrameKind, Position } from '../model/journal.ts'

/** The bytes of a frame; the table is in docs/formats/journal.md. */
export const HEADER_BYTES = 64
export const MAX_BODY_BYTES = 256 * 1024 * 1024
export const MAGIC = Buffer.from([0xff, 0x4d, 0x52, 0x46])

const AT = {
  magic: 0,
  version: 4,
  kind: 5,
  reserved: 6,
  position: 8,
  source: 16,
  count: 32,
  bodyBytes: 36,
  minUs: 40,
  maxUs: 48,
  bodyCrc: 56,
  headerCrc: 60,
}
const VERSION = 1
const KINDS: readonly (FrameKind | undefined)[] = [undefined, 'events', 'fields']
const MAGIC_WORD = MAGIC.readUInt32LE(0)
const TWO_32 = 0x1_0000_0000

export type FrameHeader = Omit<Frame, 'body'>

export type StoredFrame = { position: Position; next: Position; header: FrameHeader; body: Buffer }

export const frameBytes = (frame: Frame): number => HEADER_BYTES + frame.body.length

/** The headers of frames, one after the other, complete but for what depends on the position. */
export function sealBodies(frames: Frame[]): Buffer {
  const headers = Buffer.allocUnsafe(HEADER_BYTES * frames.length)
  frames.forEach((frame, i) => {
    sealBody(frame, headers, i * HEADER_BYTES)
  })
  return headers
}

function sealBody(frame: Frame, into: Buffer, at: number): void {
  if (!isUuid(frame.source)) throw new Error(`a frame's source is a UUID, not ${JSON.stringify(frame.source)}`)
  if (frame.body.length > MAX_BODY_BYTES) {
    throw new Fault('too_large', `One batch of a source may have at most ${MAX_BODY_BYTES} bytes; send smaller ones.`)
  }
  into.writeUInt32LE(MAGIC_WORD, at + AT.magic)
  into[at + AT.version] = VERSION
  into[at + AT.kind] = KINDS.indexOf(frame.kind)
  into.writeUInt16LE(0, at + AT.reserved)
  into.write(frame.source.replaceAll('-', ''), at + AT.source, 'hex')
  into.writeUInt32LE(frame.count, at + AT.count)
  into.writeUInt32LE(frame.body.length, at + AT.bodyBytes)
  writeInt64(into, frame.minUs, at + AT.minUs)
  writeInt64(into, frame.maxUs, at + AT.maxUs)
  into.writeUInt32LE(crc32(frame.body), at + AT.bodyCrc)
}

/** Completes a sealed header once it is known where the frame will stand. */
export function stampPosition(headers: Buffer, at: number, position: Position): void {
  writeInt64(headers, position, at + AT.position)
  headers.writeUInt32LE(crc32(headers.subarray(at, at + AT.headerCrc)), at + AT.headerCrc)
}

/**
 * The body length of the frame whose header is at `at`, or -1 if none can be there. It leaves the checksums out:
 * magic, version, kind and the frame's own position together are as good as one against wrong borders.
 */
export function plausibleBodyBytes(bytes: Buffer, at: number, position: Position): number {
  if (bytes.readUInt32LE(at) !== MAGIC_WORD || bytes[at + AT.version] !== VERSION) return -1
  if (KINDS[bytes[at + AT.kind]!] === undefined || readInt64(bytes, at + AT.position) !== position) return -1
  const bodyBytes = bytes.readUInt32LE(at + AT.bodyBytes)
  return bodyBytes > MAX_BODY_BYTES ? -1 : bodyBytes
}

export const headerHolds = (bytes: Buffer, at: number): boolean =>
  crc32(bytes.subarray(at, at + AT.headerCrc)) === bytes.readUInt32LE(at + AT.headerCrc)

export function bodyHolds(bytes: Buffer, at: number): boolean {
  const body = at + HEADER_BYTES
  const bodyBytes = bytes.readUInt32LE(at + AT.bodyBytes)
  return crc32(bytes.subarray(body, body + bodyBytes)) === bytes.readUInt32LE(at + AT.bodyCrc)
}

/** Reads a plausible header. */
export function readHeader(bytes: Buffer, at: number): FrameHeader {
  return {
    kind: KINDS[bytes[at + AT.kind]!]!,
    source: uuidText(bytes, at + AT.source),
    count: bytes.readUInt32LE(at + AT.count),
    minUs: readInt64(bytes, at + AT.minUs),
    maxUs: readInt64(bytes, at + AT.maxUs),
  }
}

/** Two's complement in two halves: safe integers need no BigInt, which would cost an allocation each. */
function writeInt64(bytes: Buffer, value: number, at: number): void {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} does not fit a frame`)
  const high = Math.floor(value / TWO_32)
  bytes.writeUInt32LE(value - high * TWO_32, at)
  bytes.writeInt32LE(high, at + 4)
}

const readInt64 = (bytes: Buffer, at: number): number => bytes.readInt32LE(at + 4) * TWO_32 + bytes.readUInt32LE(at)
