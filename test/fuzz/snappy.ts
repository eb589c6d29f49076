/** Blocks of snappy: text that is not made smaller, and one byte made as many as is asked for. */

export function snappy(text: Buffer): Buffer {
  const pieces: Buffer[] = [lengthOf(text.length)]
  for (let at = 0; at < text.length; at += LITERAL_MAX) {
    const literal = text.subarray(at, at + LITERAL_MAX)
    pieces.push(Buffer.from([(literal.length - 1) << 2]), literal)
  }
  return Buffer.concat(pieces)
}

/** A block of about a twentieth of what it unpacks to. */
export function snappyBomb(bytes: number): Buffer {
  const copies = Math.ceil(bytes / COPY_MAX)
  return Buffer.concat([
    lengthOf(1 + copies * COPY_MAX),
    Buffer.from([0, 0x78]),
    // Of the byte before, two bytes of distance.
    Buffer.alloc(copies * 3, Buffer.from([((COPY_MAX - 1) << 2) | 2, 1, 0])),
  ])
}

const LITERAL_MAX = 60
const COPY_MAX = 64

function lengthOf(length: number): Buffer {
  const bytes: number[] = []
  for (let rest = length; ; rest >>>= 7) {
    bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) return Buffer.from(bytes)
  }
}
