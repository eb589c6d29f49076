/**
 * Random numbers that are the same in every run: xoshiro128**, seeded by splitmix32. Its period is 2^128 − 1, so no
 * column of the data repeats in step with another, which would flatter the compression.
 */
export type Random = {
  /** 0 ≤ n < 2^32 */
  next32(): number
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let mixed = seed >>> 0
  const splitmix = (): number => {
    mixed = (mixed + 0x9e3779b9) >>> 0
    let z = mixed
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return (z ^ (z >>> 16)) >>> 0
  }
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()]

  function next32(): number {
    const product = Math.imul(b, 5)
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result
  }

  return {
    next32,
    below: (limit) => Math.floor((next32() / 0x1_0000_0000) * limit),
    pick: (choices) => choices[Math.floor((next32() / 0x1_0000_0000) * choices.length)]!,
  }
}
