/**
 * Snappy's block format, as Loki's senders pack their pushes: the unpacked length, then pieces that are either literal or
 * a copy of what was already unpacked. The framing format (of files) is another one and is not read.
 *
 * Promises: never writes more than the length that the block announces, and that is checked before anything is set aside.
 */
export class BrokenSnappy extends Error {
  constructor(at: number, problem: string) {
    super(`${problem} at byte ${at}`)
    this.name = 'BrokenSnappy'
  }
}

/** The block announces more than is allowed. */
export class SnappyTooLarge extends Error {}

/** No piece of a block becomes more than this many times its bytes, so a longer announcement is a lie. */
const MOST_TIMES = 32

export function unsnappy(block: Buffer, maxBytes: number): Buffer {
  let at = 0
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = block[at++]
    if (byte === undefined || shift > 28) throw new BrokenSnappy(0, 'the length is broken')
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  if (length > (block.length - at) * MOST_TIMES) throw new BrokenSnappy(0, 'the length is more than the block can hold')
  if (length > maxBytes) throw new SnappyTooLarge()

  const out = Buffer.allocUnsafe(length)
  let to = 0
  while (at < block.length) {
    const start = at
    const tag = block[at++]!
    if ((tag & 3) === 0) {
      let size = tag >>> 2
      if (size >= 60) {
        const bytes = size - 59
        if (at + bytes > block.length) throw new BrokenSnappy(start, 'the block ends inside a piece')
        size = block.readUIntLE(at, bytes)
        at += bytes
      }
      size++
      if (size > block.length - at) throw new BrokenSnappy(start, 'a piece reaches beyond the block')
      if (size > length - to) throw new BrokenSnappy(start, 'the block is longer than it says')
      block.copy(out, to, at, at + size)
      at += size
      to += size
      continue
    }
    const more = OFFSET_BYTES[tag & 3]!
    if (at + more > block.length) throw new BrokenSnappy(start, 'the block ends inside a piece')
    const isShort = more === 1
    const size = isShort ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const offset = isShort ? ((tag >>> 5) << 8) | block[at]! : block.readUIntLE(at, more)
    at += more
    if (offset === 0 || offset > to) throw new BrokenSnappy(start, 'a copy begins before the text')
    if (size > length - to) throw new BrokenSnappy(start, 'the block is longer than it says')
    // Byte by byte: a copy may run into what it writes.
    for (const end = to + size; to < end; to++) out[to] = out[to - offset]!
  }
  if (to !== length) throw new BrokenSnappy(block.length, `the block ends after ${to} of ${length} bytes`)
  return out
}

/** By the kind of copy. */
const OFFSET_BYTES = [0, 1, 2, 4]
