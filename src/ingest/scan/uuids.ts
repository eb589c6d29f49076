import { randomFillSync } from 'node:crypto'

/**
 * UUIDs version 7 written straight into a row. Those of one process grow strictly (a counter in the 12 bits after
 * the time, which runs ahead of the clock when a millisecond needs more than it holds), so events of one batch that
 * share a time still sort in the order they were sent.
 */
export type Uuids = { write(out: Uint8Array, at: number, nowMs: number): number; text(nowMs: number): string }

const POOL_BYTES = 8192
/** 62 random bits: one digit for the variant's two of them, fifteen more. */
const RANDOM_DIGITS = 16
const TEXT_BYTES = 36
const DASH = 0x2d

export function createUuids(): Uuids {
  const random = Buffer.alloc(POOL_BYTES)
  /** The random bytes as hex digits, made 16 kB at a time. */
  let pool = Buffer.alloc(0)
  let poolAt = 0
  /** `tttttttt-tttt-7` of the present millisecond. */
  const prefix = Buffer.alloc(15)
  const scratch = Buffer.alloc(TEXT_BYTES)
  let lastMs = 0
  let counter = 0

  function turn(ms: number, start: number): void {
    lastMs = ms
    counter = start
    const digits = ms.toString(16).padStart(12, '0')
    prefix.write(`${digits.slice(0, 8)}-${digits.slice(8)}-7`, 'latin1')
  }

  function write(out: Uint8Array, at: number, nowMs: number): number {
    if (poolAt === pool.length) {
      randomFillSync(random)
      pool = Buffer.from(random.toString('hex'), 'latin1')
      poolAt = 0
    }
    // Starting low leaves room to count before the next millisecond is borrowed.
    if (nowMs > lastMs) turn(nowMs, pool[poolAt + 1]!)
    else if (++counter > 0xfff) turn(lastMs + 1, 0)

    for (let i = 0; i < 15; i++) out[at + i] = prefix[i]!
    out[at + 15] = DIGITS[counter >>> 8]!
    out[at + 16] = DIGITS[(counter >>> 4) & 15]!
    out[at + 17] = DIGITS[counter & 15]!
    out[at + 18] = DASH
    out[at + 19] = DIGITS[8 + (pool[poolAt]! & 3)]!
    for (let i = 1; i < 4; i++) out[at + 19 + i] = pool[poolAt + i]!
    out[at + 23] = DASH
    for (let i = 4; i < RANDOM_DIGITS; i++) out[at + 20 + i] = pool[poolAt + i]!
    poolAt += RANDOM_DIGITS
    return at + TEXT_BYTES
  }

  return {
    write,
    text(nowMs) {
      write(scratch, 0, nowMs)
      return scratch.toString('latin1')
    },
  }
}

const DIGITS = Buffer.from('0123456789abcdef')
