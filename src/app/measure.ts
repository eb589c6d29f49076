/** Figures about the process, its requests and its queries. */
import { statfsSync } from 'node:fs'
import type { Metrics } from '../base/metrics.ts'
import type { QueryRecorder } from '../query/recorder.ts'

const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 30]
const STATUSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

export function measureProcess(metrics: Metrics, { dataDir, startedMs }: { dataDir: string; startedMs: number }): void {
  metrics.total('process_cpu_seconds_total', 'CPU time of the front process', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.gauge('process_start_time_seconds', 'When the process started, since the epoch', () => startedMs / 1000)
  metrics.gauge('millrace_disk_free_bytes', 'Free space on the disk of the data folder', () => freeBytes(dataDir))
}

function freeBytes(dir: string): number {
  try {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  } catch {
    return Number.NaN
  }
}

/** Small ingest requests are read straight from the socket and are not among them; their events are counted. */
export function measureRequests(metrics: Metrics): (answered: { status: number; seconds: number }) => void {
  const help = 'Requests that were answered, without small ingest requests and streams'
  const answered = STATUSES.map((status) => metrics.counter('millrace_http_requests_total', help, { status }))
  const seconds = metrics.histogram(
    'millrace_http_request_seconds',
    'Time from request to answer, of the same',
    SECONDS,
  )
  return ({ status, seconds: taken }) => {
    const counter = answered[Math.floor(status / 100) - 1]
    if (counter) counter.value++
    seconds.observe(taken)
  }
}

/** Counts what is written to the log of queries on its way there. */
export function measureQueries(metrics: Metrics, recorder: QueryRecorder): QueryRecorder {
  const help = 'Queries that were answered, or failed'
  const counted = (kind: string, outcome: string) => metrics.counter('millrace_queries_total', help, { kind, outcome })
  for (const kind of ['query', 'endpoint', 'requery', 'alert'])
    for (const outcome of ['ok', 'failed']) counted(kind, outcome)
  const kept = counted('endpoint', 'cached')
  const scanned = metrics.counter('millrace_query_scanned_bytes_total', 'Bytes that queries read')
  const seconds = metrics.histogram('millrace_query_seconds', 'Time of queries in the engine', SECONDS)
  return {
    ...recorder,
    note(accountId, query) {
      counted(query.kind, query.error === null ? 'ok' : 'failed').value++
      scanned.value += query.bytes_scanned
      if (query.error === null) seconds.observe(query.ms / 1000)
      recorder.note(accountId, query)
    },
    noteHit(key, describe) {
      kept.value++
      recorder.noteHit(key, describe)
    },
  }
}
