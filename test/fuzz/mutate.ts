/** Inputs that nobody would send on purpose: noise, and real bodies that were cut, bent or put together wrongly. */
import type { Random } from '../../bench/data/random.ts'
import { bentValue, type Codec, jsonLines } from './values.ts'

const MAX_BYTES = 8_192

/** Bytes and texts at which readers tend to stumble. */
const TRAPS = [
  ...['{', '}', '[', ']', '"', '\\', ',', ':', '\n', '\r\n', '\0', '\u2028', '\ufeff', '\\ud800', '\\u0000'],
  ...['-', '1e999', '-0', '9223372036854775808', '99999999999999999999999', '0.1e-400', 'null', 'true', '[[1]]'],
  ...[
    '"__proto__":{"a":1},',
    '"constructor":1,',
    '"timestamp":"x",',
    '"batch":[',
    '"event_message":{},',
    '<999>',
    '999999999 <',
  ],
  ...['[millrace token="', '2026-13-45T99:99:99Z', '{"a":'.repeat(40), '['.repeat(40)],
].map((text) => Buffer.from(text))

const RAW = [
  [0],
  [255],
  [127],
  [128],
  [131],
  [131, 80],
  [0xc1],
  [0xdd, 255, 255, 255, 255],
  [0xdf, 0, 0, 255, 255],
].map((bytes) => Buffer.from(bytes))

export function mutated(seeds: readonly Buffer[], random: Random, codec: Codec = jsonLines): Buffer {
  if (seeds.length === 0 || random.below(20) === 0) return noise(random)
  const seed = pick(seeds, random)
  // Bent bytes rarely get past the reader of a format; bent values reach what is behind it.
  if (random.below(2) === 0) {
    const value = codec.read(seed)
    if (value !== undefined) return codec.write(bentValue(value, random))
  }
  let bytes: Buffer = Buffer.from(seed)
  for (let i = random.below(2) === 0 ? 0 : random.below(4); i >= 0; i--) bytes = bent(bytes, seeds, random)
  return bytes.subarray(0, MAX_BYTES)
}

function noise(random: Random): Buffer {
  const bytes = Buffer.alloc(random.below(300))
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256)
  return bytes
}

function bent(bytes: Buffer, seeds: readonly Buffer[], random: Random): Buffer {
  const at = random.below(bytes.length + 1)
  const to = Math.min(bytes.length, at + random.below(40))
  switch (random.below(8)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return bytes.subarray(at)
    case 2: {
      if (at < bytes.length) bytes[at] = bytes[at]! ^ (1 << random.below(8))
      return bytes
    }
    case 3: {
      if (at < bytes.length) bytes[at] = random.below(256)
      return bytes
    }
    case 4:
      return Buffer.concat([
        bytes.subarray(0, at),
        pick(random.below(3) === 0 ? RAW : TRAPS, random),
        bytes.subarray(at),
      ])
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
    case 6:
      return Buffer.concat([
        bytes.subarray(0, to),
        ...Array.from({ length: random.below(8) }, () => bytes.subarray(at, to)),
        bytes.subarray(to),
      ])
    default: {
      const other = pick(seeds, random)
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random.below(other.length + 1))])
    }
  }
}

const pick = (from: readonly Buffer[], random: Random): Buffer => from[random.below(from.length)]!
