/**
 * Writes down which queries ran, a moment later and in groups, so that nobody waits for the log. Answers out of a cache
 * come by the ten thousand: those of one second that differ in nothing but their moment are one line with a count. So are
 * queries beyond the first 200 of a second, in which case the line tells the cost of one of them.
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
/** Lines of their own in one second. More of a kind are counted, so that a storm of queries makes no storm of lines. */
const LINES_MAX = 200
/** Lines that may wait. A log that cannot keep up loses lines, not the service its memory. */
const WAITING_MAX = 2_000

type Line = { accountId: number; entry: LoggedQuery }

export function createQueryRecorder({
  queryLog,
  clock,
  onLost,
}: {
  queryLog: Pick<QueryLog, 'add' | 'prune'>
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

  let isPruned = false
  async function write(): Promise<void> {
    if (!isPruned) await queryLog.prune().catch(onLost)
    isPruned = true
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
      if (waiting.length < LINES_MAX) waiting.push({ accountId, entry: { ...query, at: now(), count: 1 } })
      else {
        const { rows, ms, bytes_scanned, ...kind } = query
        noteHit(JSON.stringify([accountId, kind]), () => ({ accountId, query }))
      }
      wake()
    },
    noteHit,
    flush,
    async stop() {
      clearInterval(pruner)
      await flush()
    },
  }

  function noteHit(key: string, describe: Parameters<QueryRecorder['noteHit']>[1]): void {
    const line = hits.get(key)
    if (line) {
      line.entry.count += 1
      return
    }
    if (hits.size >= WAITING_MAX) return
    const { accountId, query } = describe()
    hits.set(key, { accountId, entry: { ...query, at: now(), count: 1 } })
    wake()
  }
}
