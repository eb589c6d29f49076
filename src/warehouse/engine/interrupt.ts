import type { DuckDBConnection } from '@duckdb/node-api'
import { Fault } from '../../base/faults.ts'

const REPEAT_MS = 100

/** Runs work on a connection that is interrupted when the time is over or the caller has gone away. */
export async function interruptible<T>(
  connection: DuckDBConnection,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  let stoppedBy: 'time' | 'caller' | null = null
  let again: NodeJS.Timeout | undefined
  const stop = (by: 'time' | 'caller'): void => {
    stoppedBy ??= by
    connection.interrupt()
    // An interrupt between two statements is forgotten by the second: it is said until the work has ended.
    again ??= setInterval(() => connection.interrupt(), REPEAT_MS)
  }
  const timer = setTimeout(() => stop('time'), timeoutMs)
  const cancel = (): void => stop('caller')
  signal.addEventListener('abort', cancel, { once: true })
  const assertWanted = (): void => {
    if (stoppedBy === 'time')
      throw new Fault(
        'query_failed',
        `The query took longer than ${timeoutMs / 1000} s and was stopped. Narrow its time range or select fewer columns.`,
      )
    if (stoppedBy === 'caller') throw new Fault('query_failed', 'The query was cancelled.')
  }
  try {
    if (signal.aborted) cancel()
    assertWanted()
    return await work()
  } catch (error) {
    assertWanted()
    throw error
  } finally {
    clearTimeout(timer)
    clearInterval(again)
    signal.removeEventListener('abort', cancel)
  }
}
