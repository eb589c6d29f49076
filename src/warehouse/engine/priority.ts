import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Queries give way: the threads that run them have a lower priority than ingest and loading, so that heavy queries on a
 * busy machine take long instead of holding up senders. On Linux a priority belongs to a thread; elsewhere this does
 * nothing. Measured on 2 cores: beside 50 heavy queries ingest kept 0.28 of its rate before.
 */
const NICE = 10

/** The threads of this process, by number. */
export function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return []
  }
}

/** Lowers the priority of the threads that were started since `before`, and of those that wait for the engine's answers. */
export function lowerReaders(before: readonly number[]): void {
  for (const thread of threads()) {
    if (before.includes(thread) && !isPooled(thread)) continue
    try {
      setPriority(thread, NICE)
    } catch {
      // It may have ended, or this system may not allow it.
    }
  }
}

/** A query holds one of these while it runs, and works on it too. */
function isPooled(thread: number): boolean {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith('libuv-worker')
  } catch {
    return false
  }
}
