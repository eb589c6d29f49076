import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  numberEnd,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  stringEnd,
} from './bytes.ts'
import { JsonObject, type JsonValue, NumberText } from './value.ts'

/** Thrown by `readJson`; the caller turns it into the refusal of one event. */
export class TooDeep extends Error {}

/**
 * Builds the value that starts at `from`. The bytes must already have passed `skipValue`: nothing is checked here but
 * the depth, which bounds the recursion.
 */
export function readJson(bytes: Buffer, from: number, maxDepth: number): JsonValue {
  let at = from

  function value(depth: number): JsonValue {
    at = skipSpace(bytes, at)
    switch (bytes[at]) {
      case QUOTE:
        return text()
      case OPEN_OBJECT:
        return object(depth + 1)
      case OPEN_LIST:
        return list(depth + 1)
      case 0x74:
        at += 4
        return true
      case 0x66:
        at += 5
        return false
      case 0x6e:
        at += 4
        return null
      default: {
        const start = at
        at = numberEnd(bytes, start)
        return new NumberText(bytes.toString('latin1', start, at))
      }
    }
  }

  function object(depth: number): JsonObject {
    if (depth > maxDepth) throw new TooDeep()
    const result = new JsonObject()
    at = skipSpace(bytes, at + 1)
    while (bytes[at] !== CLOSE_OBJECT) {
      const name = text()
      at = skipSpace(bytes, at) + 1
      result.add(name, value(depth))
      at = skipSpace(bytes, at)
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
    }
    at++
    return result
  }

  function list(depth: number): JsonValue[] {
    if (depth > maxDepth) throw new TooDeep()
    const result: JsonValue[] = []
    at = skipSpace(bytes, at + 1)
    while (bytes[at] !== CLOSE_LIST) {
      result.push(value(depth))
      at = skipSpace(bytes, at)
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
    }
    at++
    return result
  }

  function text(): string {
    const start = at
    at = stringEnd(bytes, start)
    return readString(bytes, start, at)
  }

  return value(0)
}

/** The text between two quotes, `start` and `end - 1`. */
export function readString(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1)
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
}
