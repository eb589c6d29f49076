import { KEPT_OF_REFUSED_BYTES, MAX_MESSAGE_BYTES, MAX_PASSED_BYTES } from './limits.ts'

type Parts = {
  onMessage(bytes: Buffer, from: number, to: number): void
  /** What is there of a message that is not taken. */
  onRefused(bytes: Buffer, from: number, to: number, reason: string): void
}

export type Frames = {
  /** False: it is not known where the next message begins, and the connection is of no more use. */
  push(bytes: Buffer): boolean
  /** The connection ended: what has no line end yet is a message too. */
  end(): void
}

const NEWLINE = 10
const SPACE = 32
const ZERO = 48
const NINE = 57
const LESS = 60

/** More digits are no length that anybody would wait for. */
const MAX_DIGITS = 9

/**
 * Messages of a stream (RFC 6587): each stands behind its length in bytes, or ends with its line. Which it is can change
 * from one message to the next: a length is followed by a space and `<`, with which every message begins.
 */
export function createFrames({ onMessage, onRefused }: Parts): Frames {
  let rest: Buffer | null = null
  /** Bytes of a refused message that are still to come; -1 while it has no length and ends with its line. */
  let toPass = 0
  let passed = 0

  function push(more: Buffer): boolean {
    const bytes = rest === null ? more : Buffer.concat([rest, more])
    rest = null
    let at = 0
    for (;;) {
      if (toPass !== 0) {
        at = pass(bytes, at)
        if (passed > MAX_PASSED_BYTES) return false
        if (toPass !== 0) return true
      }
      while (at < bytes.length && isBetween(bytes[at]!)) at++
      if (at === bytes.length) return true
      const lengthEnd = lengthAt(bytes, at)
      if (lengthEnd === UNDECIDED) return keep(bytes, at)
      if (lengthEnd === NO_LENGTH) {
        const newline = bytes.indexOf(NEWLINE, at)
        const end = newline < 0 ? bytes.length : newline
        if (end - at > MAX_MESSAGE_BYTES) refuse(bytes, at, end, -1)
        else if (newline < 0) return keep(bytes, at)
        else {
          onMessage(bytes, at, end)
          at = end
        }
        continue
      }
      const length = Number(bytes.toString('latin1', at, lengthEnd))
      const from = lengthEnd + 1
      if (length > MAX_MESSAGE_BYTES) {
        refuse(bytes, from, Math.min(bytes.length, from + length), from - at + length)
        if (length > MAX_PASSED_BYTES) return false
        continue
      }
      if (bytes.length - from < length) return keep(bytes, at)
      onMessage(bytes, from, from + length)
      at = from + length
    }
  }

  /** Tells of it once; its bytes are passed over from where it begins. */
  function refuse(bytes: Buffer, from: number, to: number, lengthToPass: number): void {
    onRefused(bytes, from, Math.min(to, from + KEPT_OF_REFUSED_BYTES), 'is over 64 kB')
    toPass = lengthToPass
    passed = 0
  }

  function pass(bytes: Buffer, at: number): number {
    if (toPass < 0) {
      const newline = bytes.indexOf(NEWLINE, at)
      const end = newline < 0 ? bytes.length : newline + 1
      passed += end - at
      if (newline >= 0) toPass = 0
      return end
    }
    const end = Math.min(bytes.length, at + toPass)
    toPass -= end - at
    return end
  }

  function keep(bytes: Buffer, at: number): true {
    // A copy: the socket's memory is larger than what is left in it.
    rest = Buffer.from(bytes.subarray(at))
    return true
  }

  return {
    push,
    end() {
      if (rest === null) return
      const lengthEnd = lengthAt(rest, 0)
      onMessage(rest, lengthEnd > 0 ? lengthEnd + 1 : 0, rest.length)
      rest = null
    },
  }
}

const NO_LENGTH = -1
const UNDECIDED = -2

/** Where the digits of a length end. */
function lengthAt(bytes: Buffer, at: number): number {
  if (bytes[at] === ZERO) return NO_LENGTH
  let end = at
  while (end < bytes.length && end - at < MAX_DIGITS && bytes[end]! >= ZERO && bytes[end]! <= NINE) end++
  if (end === at) return NO_LENGTH
  if (end === bytes.length) return UNDECIDED
  if (bytes[end] !== SPACE) return NO_LENGTH
  if (end + 1 === bytes.length) return UNDECIDED
  return bytes[end + 1] === LESS ? end : NO_LENGTH
}

/** Line ends, and the zero byte that some senders put behind a message. */
const isBetween = (byte: number): boolean => byte === NEWLINE || byte === 13 || byte === 0
