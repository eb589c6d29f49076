/**
 * The smallest pieces of JSON, found in bytes without building anything. Each function takes the position of the
 * piece and returns the position after it, or a negative number when the bytes are not that piece.
 */
export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d
export const OPEN_LIST = 0x5b
export const CLOSE_LIST = 0x5d
export const NEWLINE = 0x0a
const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39

export function skipSpace(bytes: Uint8Array, at: number): number {
  let byte = bytes[at]
  if (byte! > 0x20) return at
  while (byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09) byte = bytes[++at]
  return at
}

/** `at` stands on the opening quote. Surrogate escapes may stand alone: JSON allows them. */
export function stringEnd(bytes: Uint8Array, at: number): number {
  at++
  for (;;) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) {
      at = escapeEnd(bytes, at)
      if (at < 0) return -1
    } else if (byte >= 0x20) at++
    else return -1
  }
}

/** `at` stands on the backslash. */
export function escapeEnd(bytes: Uint8Array, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2
    case 0x75: // u
      return hex4(bytes, at + 2) < 0 ? -1 : at + 6
    default:
      return -1
  }
}

/** The number that four hex digits write, or -1. */
export function hex4(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]!
    if (byte >= 0x30 && byte <= 0x39) value = value * 16 + byte - 0x30
    else if (byte >= 0x61 && byte <= 0x66) value = value * 16 + byte - 0x57
    else if (byte >= 0x41 && byte <= 0x46) value = value * 16 + byte - 0x37
    else return -1
  }
  return value
}

export function numberEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === MINUS) at++
  if (bytes[at] === 0x30) at++
  else {
    const start = at
    while (isDigit(bytes[at])) at++
    if (at === start) return -1
  }
  if (bytes[at] === DOT) {
    const start = ++at
    while (isDigit(bytes[at])) at++
    if (at === start) return -1
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === PLUS || bytes[at] === MINUS) at++
    const start = at
    while (isDigit(bytes[at])) at++
    if (at === start) return -1
  }
  return at
}

/** `true`, `false` or `null`. */
export function wordEnd(bytes: Uint8Array, at: number): number {
  const a = bytes[at]
  const b = bytes[at + 1]
  const c = bytes[at + 2]
  const d = bytes[at + 3]
  if (a === 0x74 && b === 0x72 && c === 0x75 && d === 0x65) return at + 4
  if (a === 0x6e && b === 0x75 && c === 0x6c && d === 0x6c) return at + 4
  if (a === 0x66 && b === 0x61 && c === 0x6c && d === 0x73 && bytes[at + 4] === 0x65) return at + 5
  return -1
}
