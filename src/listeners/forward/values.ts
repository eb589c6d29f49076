import { Fault } from '../../base/faults.ts'
import { EndFinder } from '../../ingest/formats/forward/msgpack.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'

export type Values = {
  /** The values that are whole now, in order. Throws when the stream cannot be read any further. */
  push(bytes: Buffer): Buffer[]
}

/** Values of MessagePack, still packed, out of a stream that may be cut anywhere. `hold` is told how many bytes wait; it may throw. */
export function createValues({ hold }: { hold(bytes: number): void }): Values {
  let waiting: Buffer = Buffer.alloc(0)
  let length = 0
  let finder = new EndFinder()

  function add(bytes: Buffer): void {
    if (length + bytes.length > waiting.length) {
      hold(2 * (length + bytes.length))
      const larger = Buffer.allocUnsafeSlow(2 * (length + bytes.length))
      waiting.copy(larger, 0, 0, length)
      waiting = larger
    }
    bytes.copy(waiting, length)
    length += bytes.length
  }

  return {
    push(bytes) {
      add(bytes)
      const values: Buffer[] = []
      let from = 0
      for (;;) {
        const whole = waiting.subarray(from, length)
        const end = finder.find(whole)
        if (end < 0) break
        // A copy, as the memory is used again while the value is being stored.
        values.push(Buffer.from(whole.subarray(0, end)))
        from += end
        finder = new EndFinder()
      }
      const rest = length - from
      if (rest > MAX_MESSAGE_BYTES)
        throw new Fault('too_large', `A message is over ${MAX_MESSAGE_BYTES / 1_000_000} MB. Send smaller chunks.`)
      if (rest === 0) {
        waiting = Buffer.alloc(0)
        hold(0)
      } else if (from > 0) {
        waiting = Buffer.from(waiting.subarray(from, length))
        hold(rest)
      }
      length = rest
      return values
    },
  }
}
