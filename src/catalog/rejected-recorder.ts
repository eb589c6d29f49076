/**
 * Writes rejected events to the catalog a moment after they happened and in groups, so that a sender of nothing but
 * broken events costs ingest no more than one of good ones.
 */
import type { RejectedEvent, RejectedEvents } from './rejected-events.ts'
import { REJECTED_KEPT } from './rejected-events.ts'

const WRITE_AFTER_MS = 100

export type RejectedRecorder = {
  record(sourceId: number, events: RejectedEvent[]): void
  /** The source is gone, and with it whatever still waits to be written. */
  forget(sourceId: number): void
  stop(): Promise<void>
}

export function createRejectedRecorder({
  rejected,
  onLost,
}: {
  rejected: RejectedEvents
  /** They are a help for senders, not data: losing some is only reported. */
  onLost(error: unknown): void
}): RejectedRecorder {
  let waiting = new Map<number, RejectedEvent[]>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    timer = null
    const group = waiting
    waiting = new Map()
    for (const [sourceId, events] of group) await rejected.add(sourceId, events).catch(onLost)
  }

  return {
    record(sourceId, events) {
      const kept = [...(waiting.get(sourceId) ?? []), ...events].slice(-REJECTED_KEPT)
      waiting.set(sourceId, kept)
      timer ??= setTimeout(() => {
        writing = writing.then(write)
      }, WRITE_AFTER_MS)
    },
    forget(sourceId) {
      waiting.delete(sourceId)
    },
    async stop() {
      if (timer) clearTimeout(timer)
      await writing
      await write()
    },
  }
}
