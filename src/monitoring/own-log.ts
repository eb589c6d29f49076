/**
 * Holds the log lines of the service until they are kept as events. Lines that are written while events of the service
 * itself are being stored are not held: one about a failure to store them would be the next to fail.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export const LINES_MAX = 200

export type OwnLog = {
  write(line: string): void
  /** The lines since the last time, as events; of a flood the first ones, and a count of the others. */
  take(): object[]
  /** Lines that this work writes are not held. */
  aside(work: () => Promise<void>): Promise<void>
}

export function createOwnLog(): OwnLog {
  let lines: string[] = []
  let leftOut = 0
  const isAside = new AsyncLocalStorage<true>()

  return {
    write(line) {
      if (isAside.getStore()) return
      if (lines.length < LINES_MAX) lines.push(line)
      else leftOut++
    },
    take() {
      const events = lines.flatMap(eventOf)
      if (leftOut > 0) events.push({ message: `${leftOut} more log lines were left out`, level: 'warn' })
      lines = []
      leftOut = 0
      return events
    },
    aside: (work) => isAside.run(true, work),
  }
}

function eventOf(line: string): object[] {
  try {
    const { level, time, msg, ...metadata } = JSON.parse(line)
    const message = msg ?? metadata.err?.message ?? 'a log line without text'
    return [{ message, level, timestamp: time, metadata }]
  } catch {
    return []
  }
}
