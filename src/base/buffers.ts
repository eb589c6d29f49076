/**
 * Large buffers that are used again. Each new one costs page faults and, worse, counts as outside memory for the garbage
 * collector, which then collects the whole heap every few dozen requests: more than half of the CPU of a busy front.
 */
export type Buffers = {
  /** At least this many bytes, with anything in them. */
  take(bytes: number): Buffer
  /** Nobody uses it any more. */
  give(buffer: Buffer): void
}

/** Smaller ones come from Node's own slabs. */
const SMALLEST_BYTES = 64 * 1024

export function createBuffers({ keepBytes }: { keepBytes: number }): Buffers {
  const free = new Map<number, Buffer[]>()
  let kept = 0
  return {
    take(bytes) {
      if (bytes < SMALLEST_BYTES) return Buffer.allocUnsafe(bytes)
      const size = 2 ** Math.ceil(Math.log2(bytes))
      const found = free.get(size)?.pop()
      if (found) kept -= size
      return found ?? Buffer.allocUnsafeSlow(size)
    },
    give(buffer) {
      const size = buffer.length
      if (size < SMALLEST_BYTES || kept + size > keepBytes) return
      kept += size
      const same = free.get(size)
      if (same) same.push(buffer)
      else free.set(size, [buffer])
    },
  }
}
