/** What all scenarios share: the sizes of a run, a service of their own to measure, and the two ways to talk to it. */
import { type Service, startService } from '../../test/support/service.ts'
import { eventFile, removeEventFile } from '../data/files.ts'
import { endMs, START_MS } from '../data/generate.ts'
import { sendLoad } from '../load/client.ts'
import type { LoadJob } from '../load/job.ts'
import type { Line } from '../table.ts'

export type Sizes = {
  ingestEvents: number
  singleRequests: number
  queryEvents: number
  durableEvents: number
  cachedRequests: number
  datagrams: number
  /** History lengths at which the newest page is timed, growing. */
  pageEvents: number[]
}

export type Scenario = {
  name: string
  run(sizes: Sizes): Promise<Line[]>
}

export const SOURCE = 'bench'
export const TOKEN = 'bench-management-token-0123456789'
const RETENTION_DAYS = 3650
/** A file is sent as a whole from memory; longer histories are sent in several. */
const EVENTS_PER_FILE = 500_000

export async function startMeasured({
  env = {},
  dataDir,
}: {
  env?: Record<string, string>
  dataDir?: string
} = {}): Promise<Service> {
  const all = { MILLRACE_MANAGEMENT_TOKEN: TOKEN, ...env }
  return startService({ env: all, readyWithinMs: 120_000, ...(dataDir === undefined ? {} : { dataDir }) })
}

/** Answers its token. */
export async function createSource(service: Service, name = SOURCE): Promise<string> {
  const answer = await service.fetch('/api/sources', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // The events carry fixed dates; the source must be willing to keep them in any year the benchmark runs.
    body: JSON.stringify({ name, retention_days: RETENTION_DAYS }),
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`the source was not created: ${answer.status} ${text}`)
  return JSON.parse(text).token
}

export function loadJob(service: Service, file: string, how: Partial<LoadJob> = {}): LoadJob {
  const { hostname, port } = new URL(service.url)
  const target = { host: hostname, port: Number(port), path: `/api/logs?source_name=${SOURCE}`, token: TOKEN }
  return { ...target, file, connections: 8, eventsPerRequest: 1000, ...how }
}

/** Sends the events from number `first` up to `upTo` and throws when any was refused. */
export async function fill(service: Service, first: number, upTo: number): Promise<void> {
  for (let at = first; at < upTo; ) {
    const count = Math.min(EVENTS_PER_FILE - (at % EVENTS_PER_FILE), upTo - at)
    const file = await eventFile(at, count)
    const result = await sendLoad(loadJob(service, file))
    if (result.refused > 0) throw new Error(`${result.refused} requests were refused: ${result.refusal}`)
    at += count
    // Only the first files are worth keeping; a long history is tens of gigabytes.
    if (at > 4 * EVENTS_PER_FILE) removeEventFile(file)
  }
}

export type Row = Record<string, unknown>

export async function query(service: Service, sql: string): Promise<Row[]> {
  const answer = await service.fetch(`/api/query?sql=${encodeURIComponent(sql)}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the query failed: ${answer.status} ${text}\n${sql}`)
  return JSON.parse(text).result
}

/** A WHERE condition that holds for the first `count` events; every query must have one on `timestamp`. */
export function whole(count: number): string {
  const literal = (ms: number): string =>
    `timestamp '${new Date(ms).toISOString().replace('T', ' ').replace('Z', '')}+00'`
  return `timestamp >= ${literal(START_MS)} and timestamp < ${literal(endMs(count))}`
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
