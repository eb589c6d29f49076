import { randomFillSync } from 'node:crypto'

/**
 * UUIDs version 7 written straight into a row. Those of one process grow strictly (a counter in the 12 bits after
 * the time, which runs ahead of the clock when a millisecond needs more than it holds), so events of one batch that
 * share a time still sort in the order they were sent. Ids of one millisecond share most of their random bits: eight
 * random bytes in every id made it the largest column of a part, a sixth of its size.
 */
export type Uuids = { write(out: Uint8Array, at: number, nowMs: number): number; text(nowMs: number): string }

const POOL_BYTES = 8192
/** Of the 62 random bits, those of the first digits (one holds the variant) are drawn once per millisecond, the rest per id. */
const SEED_DIGITS = 12
const RANDOM_DIGITS = 4
const TEXT_BYTES = 36
const DASH = 0x2d

export function createUuids(): Uuids {
  const random = Buffer.alloc(POOL_BYTES)
  /** The random bytes as hex digits, made 16 kB at a time. */
  let pool = Buffer.alloc(0)
  let poolAt = 0
  /** `tttttttt-tttt-7` of the present millisecond. */
  const prefix = Buffer.alloc(15)
  const seed = Buffer.alloc(SEED_DIGITS)
  const scratch = Buffer.alloc(TEXT_BYTES)
  let lastMs = 0
  let counter = 0

  function draw(digits: number): number {
    if (poolAt + digits > pool.length) {
      randomFillSync(random)
      pool = Buffer.from(random.toString('hex'), 'latin1')
      poolAt = 0
    }
    poolAt += digits
    return poolAt - digits
  }

  function counterStart(): number {
    const at = draw(1)
    return pool[at]!
  }

  function turn(ms: number, start: number): void {
    lastMs = ms
    counter = start
    const digits = ms.toString(16).padStart(12, '0')
    prefix.write(`${digits.slice(0, 8)}-${digits.slice(8)}-7`, 'latin1')
    const at = draw(SEED_DIGITS)
    pool.copy(seed, 0, at, at + SEED_DIGITS)
    seed[0] = DIGITS[8 + (seed[0]! & 3)]!
  }

  function write(out: Uint8Array, at: number, nowMs: number): number {
    // Starting low leaves room to count before the next millisecond is borrowed.
    if (nowMs > lastMs) turn(nowMs, counterStart())
    else if (++counter > 0xfff) turn(lastMs + 1, 0)
    const from = draw(RANDOM_DIGITS)

    for (let i = 0; i < 15; i++) out[at + i] = prefix[i]!
    out[at + 15] = DIGITS[counter >>> 8]!
    out[at + 16] = DIGITS[(counter >>> 4) & 15]!
    out[at + 17] = DIGITS[counter & 15]!
    out[at + 18] = DASH
    for (let i = 0; i < 4; i++) out[at + 19 + i] = seed[i]!
    out[at + 23] = DASH
    for (let i = 4; i < SEED_DIGITS; i++) out[at + 20 + i] = seed[i]!
    for (let i = 0; i < RANDOM_DIGITS; i++) out[at + 32 + i] = pool[from + i]!
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
