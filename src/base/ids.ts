import { randomFillSync, randomUUID } from 'node:crypto'

export const uuid4 = (): string => randomUUID()

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

/** The 16 bytes of a UUID's text. */
export const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** The text of 16 UUID bytes, starting at `offset`. */
export function uuidText(bytes: Buffer, offset = 0): string {
  const hex = bytes.toString('hex', offset, offset + 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const POOL_BYTES = 8192
const pool = Buffer.alloc(POOL_BYTES)
let poolAt = POOL_BYTES

/** A UUID version 7 for the given time; random bytes come from a pool, as asking for ten at a time costs more than the rest. */
export function uuid7(nowMs: number): string {
  if (poolAt + 10 > POOL_BYTES) {
    randomFillSync(pool)
    poolAt = 0
  }
  const high = Math.floor(nowMs / 0x10000)
  const low = nowMs % 0x10000
  const at = poolAt
  poolAt += 10
  const byte = (i: number): string => HEX[pool[at + i]!]!
  return (
    `${HEX[(high >>> 24) & 0xff]}${HEX[(high >>> 16) & 0xff]}${HEX[(high >>> 8) & 0xff]}${HEX[high & 0xff]}-` +
    `${HEX[(low >>> 8) & 0xff]}${HEX[low & 0xff]}-${HEX[0x70 | (pool[at]! & 0x0f)]}${byte(1)}-` +
    `${HEX[0x80 | (pool[at + 2]! & 0x3f)]}${byte(3)}-${byte(4)}${byte(5)}${byte(6)}${byte(7)}${byte(8)}${byte(9)}`
  )
}
