import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  numberEnd,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  stringEnd,
  wordEnd,
} from './bytes.ts'

/** Bytes that are not JSON, and where. */
export class BrokenJson extends Error {
  readonly at: number

  constructor(bytes: Uint8Array, at: number) {
    super(at >= bytes.length ? `the JSON ends too early, at byte ${at}` : `the JSON is broken at byte ${at}`)
    this.name = 'BrokenJson'
    this.at = at
  }
}

/** Checks one JSON value of any depth and returns the position after it. */
export function skipValue(bytes: Uint8Array, at: number): number {
  const skip = new Skip(bytes, at)
  skip.run(bytes.length + 1)
  return skip.at
}

/**
 * Checks a value in pieces. It keeps the open brackets in a list of its own instead of calling itself: 10,000 levels
 * must be a clean refusal, not a stack overflow, and a large body must not hold up everyone else.
 */
export class Skip {
  at: number
  readonly #bytes: Uint8Array
  readonly #open: number[] = []

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.at = at
  }

  /** Goes on until the value ends, which it answers with true, or until about `limit`. */
  run(limit: number): boolean {
    const bytes = this.#bytes
    const open = this.#open
    let at = this.at
    while (at < limit) {
      at = skipSpace(bytes, at)
      const byte = bytes[at]
      if (byte === OPEN_OBJECT) {
        const inside = skipSpace(bytes, at + 1)
        if (bytes[inside] !== CLOSE_OBJECT) {
          open.push(OPEN_OBJECT)
          at = skipName(bytes, inside)
          continue
        }
        at = inside + 1
      } else if (byte === OPEN_LIST) {
        const inside = skipSpace(bytes, at + 1)
        if (bytes[inside] !== CLOSE_LIST) {
          open.push(OPEN_LIST)
          at = inside
          continue
        }
        at = inside + 1
      } else at = skipScalar(bytes, at)

      at = closeAll(bytes, at, open)
      if (open.length === 0) {
        this.at = at
        return true
      }
    }
    this.at = at
    return false
  }
}

/** A value ended here: closes what ends with it, until a comma asks for the next value. */
function closeAll(bytes: Uint8Array, at: number, open: number[]): number {
  for (;;) {
    const container = open.at(-1)
    if (container === undefined) return at
    at = skipSpace(bytes, at)
    if (bytes[at] === COMMA) return container === OPEN_OBJECT ? skipName(bytes, skipSpace(bytes, at + 1)) : at + 1
    if (bytes[at] !== (container === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_LIST)) throw new BrokenJson(bytes, at)
    open.pop()
    at++
  }
}

function skipScalar(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!
  const end =
    byte === QUOTE
      ? stringEnd(bytes, at)
      : byte === 0x2d || (byte >= 0x30 && byte <= 0x39)
        ? numberEnd(bytes, at)
        : wordEnd(bytes, at)
  if (end < 0) throw new BrokenJson(bytes, at)
  return end
}

/** A name and its colon. */
export function skipName(bytes: Uint8Array, at: number): number {
  const end = bytes[at] === QUOTE ? stringEnd(bytes, at) : -1
  if (end < 0) throw new BrokenJson(bytes, at)
  at = skipSpace(bytes, end)
  if (bytes[at] !== COLON) throw new BrokenJson(bytes, at)
  return at + 1
}
