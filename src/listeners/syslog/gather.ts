import type { Messages } from '../../ingest/formats/syslog/messages.ts'
import { GATHER_MS, MAX_GATHERED, MAX_GATHERED_BYTES, MAX_HELD_BYTES } from './limits.ts'

export type Gather = {
  /** Copies a message in; with a reason it is recorded as refused instead of stored. */
  add(bytes: Uint8Array, from: number, to: number, refused?: string): void
  /** More bytes wait than may. Whoever adds all the same is held to a few messages more. */
  readonly isFull: boolean
  /** Hands on what is there now and resolves when everything handed on was taken. */
  settle(): Promise<void>
}

type Parts = {
  /** Resolves when the messages need no more room. Must not reject. */
  take(messages: Messages): Promise<void>
  /** There is room again, after `isFull`. */
  onRoom?: () => void
}

/** What a message takes beside its bytes while it waits: many are short. */
const MESSAGE_BYTES = 64

/** Puts messages that arrive within a moment together, so that they share the cost of being stored. */
export function createGather({ take, onRoom = () => {} }: Parts): Gather {
  const bytes = Buffer.allocUnsafeSlow(MAX_GATHERED_BYTES)
  const ends = new Uint32Array(MAX_GATHERED)
  let refused = new Map<number, string>()
  let count = 0
  let length = 0
  let heldBytes = 0
  let timer: NodeJS.Timeout | null = null
  const taking = new Set<Promise<void>>()

  function handOn(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (count === 0) return
    const messages: Messages = { bytes: copyOf(bytes, length), ends: ends.slice(0, count), refused }
    const size = length + count * MESSAGE_BYTES
    refused = new Map()
    count = 0
    length = 0
    heldBytes += size
    const taken = take(messages).then(() => {
      taking.delete(taken)
      const wasFull = heldBytes > MAX_HELD_BYTES
      heldBytes -= size
      if (wasFull && heldBytes <= MAX_HELD_BYTES) onRoom()
    })
    taking.add(taken)
  }

  return {
    add(from, start, end, reason) {
      if (length + end - start > MAX_GATHERED_BYTES) handOn()
      bytes.set(start === 0 && end === from.length ? from : from.subarray(start, end), length)
      length += end - start
      if (reason !== undefined) refused.set(count, reason)
      ends[count++] = length
      if (count === MAX_GATHERED) handOn()
      else timer ??= setTimeout(handOn, GATHER_MS)
    },
    get isFull() {
      return heldBytes > MAX_HELD_BYTES
    },
    async settle() {
      handOn()
      await Promise.all(taking)
    },
  }
}

/** Memory of its own, which can be handed to another thread. */
function copyOf(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length)
  bytes.copy(copy, 0, 0, length)
  return copy
}
