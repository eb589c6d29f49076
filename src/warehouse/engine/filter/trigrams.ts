/**
 * A text is known by its trigrams: every three bytes that follow each other in its UTF-8 set one of 32,768 marks. A text
 * can hold another only if it has all of that one's marks.
 */
export const MARKS = 32_768

/** Fibonacci hashing: the upper 15 bits of the product are well mixed. */
const FACTOR = 0x9e3779b1
const SHIFT = 17

const markOf = (three: number): number => Math.imul(three, FACTOR) >>> SHIFT

/** Sets `marks[i] = 1` for every trigram of the text. */
export function markTrigrams(text: Uint8Array, marks: Uint8Array): void {
  if (text.length < 3) return
  let three = (text[0]! << 8) | text[1]!
  for (let i = 2; i < text.length; i += 1) {
    three = ((three << 8) | text[i]!) & 0xffffff
    marks[markOf(three)] = 1
  }
}

/** The marks that a text holding this piece has; none when the piece is too short to tell. */
export function marksOfPiece(piece: string): number[] {
  // Half a surrogate pair has no UTF-8 of its own.
  if (!piece.isWellFormed()) return []
  const bytes = Buffer.from(piece)
  const marks = new Set<number>()
  for (let i = 2; i < bytes.length; i += 1) marks.add(markOf((bytes[i - 2]! << 16) | (bytes[i - 1]! << 8) | bytes[i]!))
  return [...marks]
}
