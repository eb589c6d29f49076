/**
 * How many bytes of request bodies this process holds at once. A request that would go beyond is refused before its body
 * is read or unpacked (429), so that senders who outrun the disk meet a clear answer and not a process without memory.
 */
import { Fault } from '../../base/faults.ts'

/** The share of one request. */
export type Share = {
  /** Holds this many bytes in place of what was held before, or throws `busy`. */
  hold(bytes: number): void
  /** Ends it for good, once or more often. */
  release(): void
}

export type Budget = {
  open(): Share
  readonly held: number
}

export function createBudget(limitBytes: number): Budget {
  let held = 0
  return {
    open() {
      let mine = 0
      let isReleased = false
      return {
        hold(bytes) {
          if (isReleased) return
          const others = held - mine
          // One request is let in however large it is, or it could never be answered.
          if (others > 0 && others + bytes > limitBytes)
            throw new Fault(
              'busy',
              'Too many requests are being taken in at once. Send the events again in a few seconds.',
            )
          held = others + bytes
          mine = bytes
        },
        release() {
          isReleased = true
          held -= mine
          mine = 0
        },
      }
    },
    get held() {
      return held
    },
  }
}
