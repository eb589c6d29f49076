import { randomFillSync } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'

/**
 * UUIDs version 7 written straight into a row. Those of one process grow strictly (a counter in the 12 bits after
 * the time, which runs ahead of the clock when a millisecond needs more than it holds), so events of one batch that
 * share a time still sort in the order they were sent.
 */
export type Uuids = { write(out: Uint8Array, at: number): number; text(): string }

const POOL_BYTES = 8192
const TEXT_BYTES = 36

export function createUuids({ clock }: { clock: Clock }): Uuids {
  const pool = Buffer.alloc(POOL_BYTES)
  const scratch = Buffer.alloc(TEXT_BYTES)
  let poolAt = POOL_BYTES
  let lastMs = 0
  let counter = 0

  function write(out: Uint8Array, at: number): number {
    if (poolAt + 9 > POOL_BYTES) {
      randomFillSync(pool)
      poolAt = 0
    }
    const nowMs = clock.nowMs()
    if (nowMs > lastMs) {
      lastMs = nowMs
      // Starting low leaves room to count before the next millisecond is borrowed.
      counter = pool[poolAt + 8]!
    } else if (++counter > 0xfff) {
      lastMs++
      counter = 0
    }
    const high = Math.floor(lastMs / 0x10000)
    const low = lastMs % 0x10000
    at = hex(out, at, (high >>> 24) & 0xff)
    at = hex(out, at, (high >>> 16) & 0xff)
    at = hex(out, at, (high >>> 8) & 0xff)
    at = hex(out, at, high & 0xff)
    out[at++] = 0x2d
    at = hex(out, at, low >>> 8)
    at = hex(out, at, low & 0xff)
    out[at++] = 0x2d
    at = hex(out, at, 0x70 | (counter >>> 8))
    at = hex(out, at, counter & 0xff)
    out[at++] = 0x2d
    at = hex(out, at, 0x80 | (pool[poolAt]! & 0x3f))
    at = hex(out, at, pool[poolAt + 1]!)
    out[at++] = 0x2d
    for (let i = 2; i < 8; i++) at = hex(out, at, pool[poolAt + i]!)
    poolAt += 9
    return at
  }

  return {
    write,
    text() {
      write(scratch, 0)
      return scratch.toString('latin1')
    },
  }
}

const DIGITS = Buffer.from('0123456789abcdef')

function hex(out: Uint8Array, at: number, byte: number): number {
  out[at] = DIGITS[byte >>> 4]!
  out[at + 1] = DIGITS[byte & 15]!
  return at + 2
}
