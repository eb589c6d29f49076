/** Values that are well written and still wrong: a field of another kind, missing, twice, or far too much. */
import type { Random } from '../../bench/data/random.ts'

/** How values of a body are read and written. */
export type Codec = { read(bytes: Buffer): unknown; write(value: unknown): Buffer }

/** One value, or one on each line; undefined for what is neither. */
export const jsonLines: Codec = {
  read(bytes) {
    try {
      return bytes
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line))
    } catch {
      return undefined
    }
  },
  write: (values) =>
    Buffer.from(
      Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join('\n') : JSON.stringify(values),
    ),
}

const deep = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 === 0 ? [deep(levels - 1)] : { a: deep(levels - 1) }

const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 2 ** 53, 1.5, '', ' ', 'x', '\ud800', '\0', '𝒳', 'x'.repeat(2000), '1e999', '-', 'NaN'],
  ...[
    [],
    {},
    [[]],
    [[1]],
    [1, 'a', null],
    [{}, 1],
    { a: [] },
    { '': 1 },
    { 'a.b': 1, 'a-b': 2, a_b: 3 },
    { ['__proto__']: 1 },
  ],
  ...['2026-11-15', '2026-02-31T25:61:61Z', '1763200000', 1_763_200_000_000_000_000, -62_135_596_800, 9e15],
  ...[deep(10), deep(33), deep(40), Array.from({ length: 300 }, (_, i) => i)],
]

const NAMES = [
  'id',
  'timestamp',
  'message',
  'event_message',
  'metadata',
  'batch',
  'source',
  '_unfit',
  '__proto__',
  'a'.repeat(200),
  '日',
  '7x',
  '',
]

/** A copy with one to three odd places. */
export function bentValue(value: unknown, random: Random): unknown {
  let bent = value
  for (let i = random.below(3); i >= 0; i--) bent = bentOnce(bent, random)
  return bent
}

function bentOnce(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1)
    const copy: unknown[] = [...value]
    if (at < value.length && random.below(4) > 0) copy[at] = bentOnce(copy[at], random)
    else if (random.below(2) === 0) copy.splice(at, 1)
    else copy.splice(at, 0, copy[at] ?? random.pick(ODD))
    return copy
  }
  if (isPlain(value)) {
    const fields = Object.entries(value)
    const at = random.below(fields.length + 1)
    const field = fields[at]
    if (field && random.below(4) > 0) field[1] = bentOnce(field[1], random)
    else if (field && random.below(3) > 0) {
      if (random.below(2) === 0) field[0] = random.pick(NAMES)
      else fields.splice(at, 1)
    } else fields.push([random.pick(NAMES), random.pick(ODD)])
    return Object.fromEntries(fields)
  }
  return random.pick(ODD)
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
