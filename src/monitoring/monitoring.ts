/**
 * The service as a source of its own: figures in `system.metrics` once a minute, its log lines in `system.logs`.
 *
 * Each account gets figures of its own sources that took events lately. The first account, whose deployment it is, gets those of the
 * process and the log as well.
 * Promises: there are no figures and no lines about these two sources themselves, so that keeping events makes no further events; at most
 * `SOURCES_MAX` figures of an account a minute and `LINES_MAX` log lines in ten seconds, whatever happens.
 * Refuses nothing: what cannot be stored is left out, silently, as telling of it would be the next thing to store.
 */
import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Accept } from '../ingest/accept.ts'
import { formats } from '../ingest/formats/formats.ts'
import type { Account } from '../model/account.ts'
import { isSystemSource, type Source, type SourceMetrics, SYSTEM_LOGS, SYSTEM_METRICS } from '../model/source.ts'
import { figuresOf } from './figures.ts'
import type { OwnLog } from './own-log.ts'

export const SOURCES_MAX = 1_000

export type Monitoring = {
  start(): void
  /** Keeps the figures of now. */
  measure(): Promise<void>
  /** Keeps the log lines since the last time. */
  keepLog(): Promise<void>
  stop(): Promise<void>
}

type Parts = {
  catalog: Pick<Catalog, 'accounts' | 'sources'>
  accept: Accept
  /** Throws while events cannot be taken. */
  assertRoom(): void
  /** In the text form of Prometheus. */
  printMetrics(): string
  metricsOf(sourceToken: string): SourceMetrics
  ownLog: OwnLog
  /** A source was made. */
  onSource(source: Source): void
  clock: Clock
}

const MEASURE_EVERY_MS = 60_000
const LOG_EVERY_MS = 10_000
const HEADERS = { 'content-type': 'application/json' }

export function createMonitoring(parts: Parts): Monitoring {
  const { catalog, accept, assertRoom, printMetrics, metricsOf, ownLog, onSource, clock } = parts
  /** Of each source, the events and rejects that were counted when it was last told of. */
  const before = new Map<string, number>()
  let timers: NodeJS.Timeout[] = []
  let working: Promise<void> = Promise.resolve()

  async function measure(): Promise<void> {
    const accounts = await catalog.accounts.list()
    const owner = await catalog.accounts.owner()
    for (const account of accounts) {
      const events = await sourceEvents(account)
      if (account.id === owner?.id)
        events.push({ message: 'process', kind: 'process', metrics: figuresOf(printMetrics()) })
      await keep(account, SYSTEM_METRICS, events)
    }
  }

  async function sourceEvents(account: Account): Promise<object[]> {
    const events: object[] = []
    for (const source of await catalog.sources.list(account.id)) {
      if (isSystemSource(source) || events.length === SOURCES_MAX) continue
      const { token, name } = source
      const metrics = metricsOf(token)
      const count = metrics.total + metrics.rejected
      const isQuiet = metrics.rate === 0 && count === (before.get(token) ?? 0)
      before.set(token, count)
      if (!isQuiet) events.push({ message: `source ${name}`, kind: 'source', source: { token, name }, metrics })
    }
    return events
  }

  async function keepLog(): Promise<void> {
    const lines = ownLog.take()
    const owner = lines.length > 0 ? await catalog.accounts.owner() : null
    if (owner) await keep(owner, SYSTEM_LOGS, lines)
  }

  async function keep(account: Account, name: string, events: object[]): Promise<void> {
    if (events.length === 0) return
    assertRoom()
    const source = (await catalog.sources.byName(account.id, name)) ?? (await make(account, name))
    const timestamp = new Date(clock.nowMs()).toISOString()
    const body = Buffer.from(JSON.stringify(events.map((event) => ({ timestamp, ...event }))))
    await accept({ source, format: formats.logs, body, headers: HEADERS })
  }

  async function make(account: Account, name: string): Promise<Source> {
    const description = 'Made by the service: what it tells of itself'
    const source = await catalog.sources.create(account, { name, description })
    onSource(source)
    return source
  }

  /** One after the other; what fails is left out. */
  function soon(work: () => Promise<void>): void {
    working = working.then(() => ownLog.aside(work)).catch(() => {})
  }

  return {
    measure,
    keepLog,
    start() {
      timers = [setInterval(() => soon(measure), MEASURE_EVERY_MS), setInterval(() => soon(keepLog), LOG_EVERY_MS)]
      for (const timer of timers) timer.unref()
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      soon(keepLog)
      await working
    },
  }
}
