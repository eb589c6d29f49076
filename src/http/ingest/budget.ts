/**
 * How many bytes of request bodies this process holds at once. A request that would go beyond is refused before its body
 * is read (429), so that senders who outrun the disk meet a clear answer and not a process without memory.
 */
import { Fault } from '../../base/faults.ts'

export type Budget = {
  /** Takes the bytes or throws `busy`. */
  take(bytes: number): void
  give(bytes: number): void
  readonly held: number
}

export function createBudget(limitBytes: number): Budget {
  let held = 0
  return {
    take(bytes) {
      // One request is let in however large it is, or it could never be answered.
      if (held > 0 && held + bytes > limitBytes)
        throw new Fault('busy', 'Too many requests are being taken in at once. Send the events again in a few seconds.')
      held += bytes
    },
    give(bytes) {
      held -= bytes
    },
    get held() {
      return held
    },
  }
}
