import type { Readable } from 'node:stream'
import type { Buffers } from '../../base/buffers.ts'
import { Fault } from '../../base/faults.ts'
import { bodyTooLarge } from '../../ingest/decode.ts'
import { MAX_WIRE_BYTES } from '../../ingest/limits.ts'

/** A body as it came over the wire, in memory that may be used again once it is released. */
export type WireBody = { readonly bytes: Buffer; release(): void }

/** A body that came with its head, in memory of its own. */
export const plainBody = (bytes: Buffer): WireBody | null => (bytes.length > 0 ? { bytes, release() {} } : null)

class PooledBody implements WireBody {
  readonly bytes: Buffer
  readonly #memory: Buffer
  readonly #buffers: Buffers

  constructor(memory: Buffer, length: number, buffers: Buffers) {
    this.bytes = memory.subarray(0, length)
    this.#memory = memory
    this.#buffers = buffers
  }

  release(): void {
    this.#buffers.give(this.#memory)
  }
}

const FIRST_BYTES = 64 * 1024

/** Reads the whole body, straight into one buffer when its length was announced. */
export async function readBody(
  announced: string | undefined,
  stream: Readable,
  buffers: Buffers,
): Promise<WireBody | null> {
  const expected = announced === undefined ? FIRST_BYTES : Number(announced)
  if (stream.destroyed) throw broken()
  let memory = buffers.take(expected)
  let length = 0
  let isSettled = false
  return new Promise((resolve, reject) => {
    // A broken connection says so twice, and memory that is given back twice would be two requests' at once.
    // The fault is only made when there is one: every request closes in the end, and a fault costs its stack.
    const fail = (reason: () => Error): void => {
      if (isSettled) return
      isSettled = true
      stream.off('data', add)
      buffers.give(memory)
      reject(reason())
    }
    function add(chunk: Buffer): void {
      const needed = length + chunk.length
      if (needed > MAX_WIRE_BYTES) {
        stream.resume()
        fail(bodyTooLarge)
        return
      }
      if (needed > memory.length) {
        const larger = buffers.take(Math.max(needed, memory.length * 2))
        memory.copy(larger, 0, 0, length)
        buffers.give(memory)
        memory = larger
      }
      chunk.copy(memory, length)
      length = needed
    }
    stream.on('data', add)
    stream.once('end', () => {
      if (isSettled) return
      isSettled = true
      resolve(length > 0 ? new PooledBody(memory, length, buffers) : null)
    })
    stream.on('error', () => fail(broken))
    stream.once('close', () => fail(broken))
  })
}

const broken = (): Fault => new Fault('bad_request', 'The connection was closed before the whole body arrived.')
