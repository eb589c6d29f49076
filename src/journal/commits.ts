import { setImmediate } from 'node:timers/promises'
import { Fault } from '../base/faults.ts'
import type { Frame, Position } from '../model/journal.ts'
import { errorCode, isDiskFull } from './disk.ts'
import { frameBytes, HEADER_BYTES, sealBodies, stampPosition } from './frame.ts'
import type { Tail } from './tail.ts'

/**
 * Group commit: while one commit is on its way to the disk, appends queue up, and the next commit takes them all. So a
 * lone append waits for nobody, and many share one sync.
 */
export type Commits = {
  append(frames: Frame[]): Promise<Position>
  readonly pendingBytes: number
  onCommit(listener: (end: Position) => void): () => void
  onFrame(listener: FrameListener): () => void
  /** Refuses further appends and resolves when those accepted are settled. */
  stop(): Promise<void>
}

export type FrameListener = (frame: Frame, position: Position) => void

type Waiting = {
  frames: Frame[]
  headers: Buffer
  bytes: number
  resolve(end: Position): void
  reject(fault: Fault): void
}

export function createCommits({ tail, maxPendingBytes }: { tail: Tail; maxPendingBytes: number }): Commits {
  const listeners = new Set<(end: Position) => void>()
  const frameListeners = new Set<FrameListener>()
  let queue: Waiting[] = []
  let pendingBytes = 0
  let running: Promise<void> | null = null
  let stopped = false

  async function append(frames: Frame[]): Promise<Position> {
    if (stopped) throw new Fault('unavailable', 'The service is shutting down; send the events again in a moment.')
    if (frames.length === 0) return tail.end
    const bytes = frames.reduce((sum, frame) => sum + frameBytes(frame), 0)
    // One append is let in however large it is: its bytes are in memory already, and "later" would never come for it.
    if (pendingBytes > 0 && pendingBytes + bytes > maxPendingBytes) {
      throw new Fault('busy', 'Events arrive faster than the disk can store them; send them again in a few seconds.')
    }
    const headers = sealBodies(frames)
    pendingBytes += bytes
    return new Promise((resolve, reject) => {
      queue.push({ frames, headers, bytes, resolve, reject })
      running ??= run()
    })
  }

  async function run(): Promise<void> {
    // Requests that arrive in the same turn of the event loop share the first commit; a lone one waits for nothing.
    await setImmediate()
    while (queue.length > 0) {
      const group = queue
      queue = []
      await commit(group)
    }
    running = null
  }

  async function commit(group: Waiting[]): Promise<void> {
    const bytes = group.reduce((sum, waiting) => sum + waiting.bytes, 0)
    const start = tail.end
    try {
      await tail.write(buffersOf(group, start), bytes)
    } catch (error) {
      pendingBytes -= bytes
      const fault = writeFault(error)
      for (const waiting of group) waiting.reject(fault)
      return
    }
    pendingBytes -= bytes
    let end = start
    for (const waiting of group) {
      end += waiting.bytes
      waiting.resolve(end)
    }
    // Whoever waits for an append goes on only after this, so its bodies are still as they were appended.
    if (frameListeners.size > 0) announceFrames(group, start)
    for (const listener of listeners) tell(() => listener(tail.end))
  }

  function announceFrames(group: Waiting[], start: Position): void {
    let position = start
    for (const { frames } of group)
      for (const frame of frames) {
        for (const listener of frameListeners) tell(() => listener(frame, position))
        position += frameBytes(frame)
      }
  }

  return {
    append,
    get pendingBytes() {
      return pendingBytes
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    onFrame(listener) {
      frameListeners.add(listener)
      return () => {
        frameListeners.delete(listener)
      }
    },
    async stop() {
      stopped = true
      await running
    },
  }
}

/** A listener's bug is reported as one, and must not stop the commits of others. */
function tell(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

function buffersOf(group: Waiting[], from: Position): Uint8Array[] {
  const buffers: Uint8Array[] = []
  let position = from
  for (const { frames, headers } of group) {
    frames.forEach((frame, i) => {
      stampPosition(headers, i * HEADER_BYTES, position)
      buffers.push(headers.subarray(i * HEADER_BYTES, (i + 1) * HEADER_BYTES), frame.body)
      position += frameBytes(frame)
    })
  }
  return buffers
}

const REASONS: Record<string, string> = {
  EIO: 'The disk reports an error',
  EROFS: 'The disk is mounted read-only',
}

function writeFault(error: unknown): Fault {
  const reason = isDiskFull(error) ? 'The disk is full' : (REASONS[errorCode(error)] ?? 'The disk refused the write')
  return new Fault('unavailable', `${reason}; the events were not stored. Send them again later.`, error)
}
