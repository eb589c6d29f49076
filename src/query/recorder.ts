/**
 * Writes down which queries ran, a moment later and in groups, so that nobody waits for the log. Answers out of a cache
 * come by the ten thousand: those of one second that differ in nothing but their moment are one line with a count.
 */
import type { Clock } from '../base/clock.ts'
import type { LoggedQuery, QueryLog } from '../catalog/query-log.ts'

export type QueryRecorder = {
  /** A query that ran, or failed to. */
  note(accountId: number, query: Omit<LoggedQuery, 'at' | 'count'>): void
  /** An answer out of a cache. `key` says everything but the moment; `describe` is asked once for each line. */
  noteHit(key: string, describe: () => { accountId: number; query: Omit<LoggedQuery, 'at' | 'count'> }): void
  /** Until everything noted so far is written. */
  flush(): Promise<void>
  stop(): Promise<void>
}

const WRITE_AFTER_MS = 1_000
const PRUNE_EVERY_MS = 3_600_000
/** Lines that may wait. A log that cannot keep up loses lines, not the service its memory. */
const WAITING_MAX = 10_000

type Line = { accountId: number; entry: LoggedQuery }

export function createQueryRecorder({
  queryLog,
  clock,
  onLost,
}: {
  queryLog: QueryLog
  clock: Clock
  onLost(error: unknown): void
}): QueryRecorder {
  let waiting: Line[] = []
  let hits = new Map<string, Line>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  const pruner = setInterval(() => void queryLog.prune().catch(onLost), PRUNE_EVERY_MS)
  pruner.unref()

  const now = (): string => new Date(clock.nowMs()).toISOString()

  function wake(): void {
    timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS)
  }

  async function write(): Promise<void> {
    const group = [...waiting, ...hits.values()]
    waiting = []
    hits = new Map()
    if (group.length > 0) await queryLog.add(group).catch(onLost)
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    writing = writing.then(write)
    return writing
  }

  return {
    note(accountId, query) {
      if (waiting.length < WAITING_MAX) waiting.push({ accountId, entry: { ...query, at: now(), count: 1 } })
      wake()
    },
    noteHit(key, describe) {
      const line = hits.get(key)
      if (line) {
        line.entry.count += 1
        return
      }
      if (hits.size >= WAITING_MAX) return
      const { accountId, query } = describe()
      hits.set(key, { accountId, entry: { ...query, at: now(), count: 1 } })
      wake()
    },
    flush,
    async stop() {
      clearInterval(pruner)
      await flush()
    },
  }
}
