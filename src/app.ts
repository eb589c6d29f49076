/** Builds all parts of the service, starts them in order and stops them in the reverse order. */
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createAccess } from './access/access.ts'
import { createKeyValueMemory } from './access/key-values.ts'
import { createRouteMemory } from './access/routes.ts'
import { createCheck as createAlertCheck } from './alerts/check.ts'
import { createRun as createAlertRun } from './alerts/run.ts'
import { alertTables } from './alerts/tables.ts'
import { backendRecord } from './backends/backends.ts'
import { startDelivery } from './backends/delivery/delivery.ts'
import { createBuffers } from './base/buffers.ts'
import { systemClock } from './base/clock.ts'
import { Fault } from './base/faults.ts'
import { lockFolder } from './base/lock.ts'
import { createMetrics, type Metrics } from './base/metrics.ts'
import { type Catalog, openCatalog } from './catalog/catalog.ts'
import { createRejectedRecorder } from './catalog/rejected-recorder.ts'
import { loadSecretKey, parseSecretKey } from './catalog/secrets.ts'
import type { Answered } from './endpoints/answered.ts'
import { createCache } from './endpoints/cache.ts'
import { createCheck } from './endpoints/check.ts'
import { createCompose } from './endpoints/compose.ts'
import { createRun } from './endpoints/run.ts'
import { createVersions } from './endpoints/versions.ts'
import { addIngestArea } from './http/ingest/describe.ts'
import { createIngestLane } from './http/ingest/lane.ts'
import type { Lane } from './http/lane.ts'
import { addAlertRoutes } from './http/routes/alerts.ts'
import { addBackendRoutes } from './http/routes/backends.ts'
import { addEndpointRoutes } from './http/routes/endpoints/index.ts'
import { createKeptLane } from './http/routes/endpoints/kept.ts'
import { addEndpointQueryRoutes } from './http/routes/endpoints/query.ts'
import { addQueryRoutes } from './http/routes/query.ts'
import { addSearchRoutes } from './http/routes/search/index.ts'
import { addTailRoutes } from './http/routes/tail.ts'
import { createServer } from './http/server.ts'
import { type AcceptParts, createAccept } from './ingest/accept.ts'
import { createQuotas } from './ingest/quotas.ts'
import { createRates, type Rates } from './ingest/rates.ts'
import { createSchemas, type Schemas } from './ingest/schema/schemas.ts'
import { createFrameReader } from './journal/frame-reader.ts'
import { type Journal, openJournal } from './journal/journal.ts'
import { problemOf } from './lql/lql.ts'
import { addFields, type Fields, flatFields } from './model/fields.ts'
import { createAnswer } from './query/answer.ts'
import { createEncode } from './query/formats/formats.ts'
import { createNames } from './query/names.ts'
import { createParse } from './query/parse.ts'
import { createQueryRecorder } from './query/recorder.ts'
import { createSearch } from './query/search/search.ts'
import type { Settings } from './settings.ts'
import { createSql } from './sql/sql.ts'
import { createTail, type Tail } from './tail/tail.ts'
import { createWarehouse, storedFields, type Warehouse } from './warehouse/warehouse.ts'

export type App = {
  /** Where it listens, as `http://host:port`. */
  readonly address: string
  /** Made at the first start of this data folder. */
  readonly firstStart: { managementToken: string; sourceName: string } | null
  stop(): Promise<void>
}

/** Requests in flight get this long to finish once the service is told to stop. */
const DRAIN_MS = 6_000
/** Then what is still open is cut off, after a last moment for answers that are being written. */
const LAST_WORDS_MS = 500
const FIRST_SOURCE = 'getting-started'
const RECENT_EVENTS = 100
const KEPT_BUFFER_BYTES = 32 * 1024 * 1024
/** Answers of endpoints that are kept, in both forms they leave in. */
const KEPT_ANSWER_BYTES = 64 * 1024 * 1024

export async function startApp(settings: Settings): Promise<App> {
  const clock = systemClock
  const log = pino({ level: settings.logLevel, base: null }, pino.destination({ dest: 2, sync: true }))
  const folders = makeFolders(settings.dataDir)
  const lock = await lockFolder(settings.dataDir)
  const catalog = await openTheCatalog(settings, log)
  const firstStart = await prepareAccount(catalog, settings)

  const metrics = createMetrics()
  const rates = createRates({ clock })
  const schemas = createSchemas({ rates })
  const journal = await openTheJournal(folders, schemas)
  const access = createAccess({
    catalog,
    clock,
    onNoteLost: (error) => log.warn({ err: error }, 'token use not noted'),
  })
  const keyValues = createKeyValueMemory({ catalog, clock })
  const routes = createRouteMemory({ catalog, clock })
  const rejected = createRejectedRecorder({
    rejected: catalog.rejected,
    onLost: (error) => log.warn({ err: error }, 'rejected events were not written down'),
  })

  let sources = await catalog.sources.all()
  const warehouse = createWarehouse({
    dir: folders.warehouse,
    journalDir: folders.journal,
    journal,
    sources: () => sources.map(({ token, retention_days }) => ({ token, retentionDays: retention_days })),
    queryMemoryMb: settings.queryMemoryMb,
    queryThreads: availableParallelism(),
    useFilters: settings.useFilters,
    onLoaded: (token, position) => schemas.publish(token, position),
    log,
  })

  const sourceIds = new Map(sources.map(({ token, id }) => [token, id]))
  const counts = createCounts(metrics)
  const buffers = createBuffers({ keepBytes: KEPT_BUFFER_BYTES })
  const accept = createAccept({
    buffers,
    schemas,
    rates,
    clock,
    journal,
    routesOf: routes.of,
    keyValues: { lookupFor: (source) => keyValues.of(source.account_id) },
    rejected: {
      record(source, entries) {
        const id = sourceIds.get(source.token)
        if (id === undefined) return
        rejected.record(
          id,
          entries.map(({ at, reason, event }) => ({ at: new Date(at).toISOString(), reason, event })),
        )
      },
    },
    counters: counts,
  })
  const names = createNames({
    sources: catalog.sources,
    published: [catalog.endpoints, alertTables(catalog.alerts)],
    changes: catalog.changes,
    clock,
    isShared: catalog.engine === 'postgres',
  })
  const sql = createSql()
  const answer = createAnswer({ sql, names, schemas, warehouse, clock })
  const search = createSearch({
    schemas,
    warehouse,
    savedSearches: catalog.savedSearches,
    clock,
    timeoutMs: settings.queryTimeoutMs,
  })
  const encode = createEncode({ parquet: warehouse.parquet })
  const recorder = createQueryRecorder({
    queryLog: catalog.queryLog,
    clock,
    onLost: (error) => log.warn({ err: error }, 'queries were not written to the log'),
  })
  const cache = createCache<Answered>({ clock, maxBytes: KEPT_ANSWER_BYTES })
  const { run, kept } = createRun({
    answer,
    compose: createCompose({ sql, schemas, clock }),
    versions: createVersions({ endpoints: catalog.endpoints }),
    cache,
    recorder,
    current: (token) => catalog.endpoints.byToken(token),
    timeoutMs: settings.queryTimeoutMs,
  })

  const tail = createTail({
    journal,
    frameReader: (onHole) => createFrameReader({ dir: folders.journal, onDamage: onHole }),
    fields: (token) => schemas.all(token),
    counters: {
      delivered: metrics.counter('millrace_tail_delivered_total', 'Events sent to live readers'),
      missed: metrics.counter('millrace_tail_missed_total', 'Events that live readers were told they missed'),
    },
    onError: (error) => log.warn({ err: error }, 'live tail failed'),
  })

  const delivery = await startDelivery({
    catalog,
    journal,
    journalDir: folders.journal,
    fields: (token) => schemas.all(token),
    clock,
    counters: {
      delivered: metrics.counter('millrace_backend_delivered_total', 'Events that receivers of backends took'),
      retried: metrics.counter('millrace_backend_failures_total', 'Tries to reach receivers of backends that failed'),
      refused: metrics.counter('millrace_backend_refused_total', 'Events that receivers refused: dead letters'),
      dropped: metrics.counter('millrace_backend_dropped_total', 'Events given up as receivers were too far behind'),
    },
    maxHeldBytes: settings.backendHeldBytes,
    onError: (error) => log.warn({ err: error }, 'delivery to a backend failed'),
  })
  const hasBackend = async (accountId: number, id: number): Promise<boolean> =>
    (await catalog.backends.byId(accountId, id)) !== null

  let state: 'starting' | 'ready' | 'draining' = 'starting'
  watch(metrics, { journal, warehouse, tail, cache, state: () => state })

  const ingest = createIngestLane({
    access,
    accept,
    vercelSecret: settings.vercelSecret,
    quotas: createQuotas({ rates }),
    buffers,
    assertOpen,
    onError: (error) => log.error({ err: error, notes: error instanceof Fault ? error.notes : undefined }),
  })
  const inFlight = watchRequests()
  const server = createServer({
    access,
    catalog,
    metrics,
    schemas,
    sourceMetrics: { of: (token) => sourceMetrics(token, { rates, schemas, warehouse, counts }) },
    backends: { of: async ({ id }) => (await catalog.backends.ofSource(id)).map(backendRecord) },
    lql: { problem: problemOf },
    hasBackend,
    warehouse: { recent: ({ token }) => warehouse.recent(token, RECENT_EVENTS) },
    health: () => ({ state, details: healthDetails({ journal, warehouse }) }),
    onSourceChanged(source) {
      sourceIds.set(source.token, source.id)
      sources = [...sources.filter(({ token }) => token !== source.token), source]
      warehouse.settle({ token: source.token, retentionDays: source.retention_days })
    },
    async onSourceDeleted(source) {
      sourceIds.delete(source.token)
      rejected.forget(source.id)
      sources = sources.filter(({ token }) => token !== source.token)
      tail.endSource(source.token, 'source_deleted')
      schemas.forget(source.token)
      rates.forget(source.token)
      metrics.forget({ source: source.token })
      cache.forget(source.token)
      await warehouse.remove(source.token)
    },
    lanes: [inFlight.lane, ingest, createKeptLane({ access, kept })],
    areas: [
      addIngestArea,
      (scope, describe) => addTailRoutes(scope, describe, { access, tail }),
      (scope, describe) => addEndpointQueryRoutes(scope, describe, { access, run, encode }),
    ],
    managementAreas: [
      (routes) =>
        addQueryRoutes(routes, {
          answer,
          parse: createParse({ sql, names, schemas, clock }),
          encode,
          recorder,
          queryLog: catalog.queryLog,
          hasBackend,
          timeoutMs: settings.queryTimeoutMs,
        }),
      (routes) =>
        addEndpointRoutes(routes, {
          catalog,
          check: createCheck({ names, sql, schemas, clock }),
          onChanged: ({ token }) => cache.forget(token),
        }),
      (routes) =>
        addAlertRoutes(routes, {
          catalog,
          check: createAlertCheck({ names, sql, schemas, clock, hasBackend }),
          run: createAlertRun({ answer, recorder, sql, schemas, clock, timeoutMs: settings.queryTimeoutMs }),
          backendsOf: async (accountId, ids) =>
            (await catalog.backends.list(accountId)).filter(({ id }) => ids.includes(id)).map(backendRecord),
        }),
      (routes) => addBackendRoutes(routes, { catalog, delivery }),
      (routes) => addSearchRoutes(routes, { search, catalog, schemas }),
    ],
    logger: log,
  })

  function assertOpen(): void {
    if (state === 'draining')
      throw new Fault('unavailable', 'The service is shutting down. Send the events again in a moment.')
    if (warehouse.health().unloadedBytes > settings.maxUnloadedBytes)
      throw new Fault('busy', 'Events arrive faster than they can be loaded. Send them again in a few seconds.')
  }

  await warehouse.start()
  const address = await listen(server, settings)
  state = 'ready'

  let stopping: Promise<void> | null = null
  async function stop(): Promise<void> {
    state = 'draining'
    // Streams never finish by themselves: they are ended first, and are then no requests to wait for.
    await tail.stop()
    await inFlight.finished(DRAIN_MS)
    const cutOff = setTimeout(() => server.server.closeAllConnections(), LAST_WORDS_MS)
    await server.close()
    clearTimeout(cutOff)
    await delivery.stop()
    await journal.stop()
    await warehouse.stop()
    await rejected.stop()
    cache.stop()
    await recorder.stop()
    names.stop()
    keyValues.stop()
    routes.stop()
    await access.stop()
    await catalog.stop()
    lock.release()
  }

  return {
    address,
    firstStart,
    stop() {
      stopping ??= stop()
      return stopping
    },
  }
}

function makeFolders(dataDir: string): { journal: string; warehouse: string } {
  const folders = { journal: join(dataDir, 'journal'), warehouse: join(dataDir, 'warehouse') }
  try {
    // Asked first, because making folders on a read-only disk fails with a misleading reason.
    accessSync(nearestExisting(dataDir), constants.W_OK)
    for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
    for (const folder of [dataDir, ...Object.values(folders)]) accessSync(folder, constants.R_OK | constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Fault(
      'setup',
      `The data folder ${dataDir} cannot be written (${reason}). Make it writable, or set MILLRACE_DATA to another one.`,
      error,
    )
  }
  return folders
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}

async function openTheCatalog(settings: Settings, log: Logger): Promise<Catalog> {
  const secretKey = settings.secretKey
    ? parseSecretKey(settings.secretKey)
    : await loadSecretKey(join(settings.dataDir, 'secret.key'))
  const place = settings.databaseUrl
    ? { url: settings.databaseUrl }
    : { file: join(settings.dataDir, 'catalog.sqlite') }
  return openCatalog({
    ...place,
    secretKey,
    clock: systemClock,
    onIdleError: (error) => log.warn({ err: error }, 'the connection to the catalog was lost and will be made again'),
  })
}

/** One owner account with a token; a newcomer also gets a source to send the first event to. */
async function prepareAccount(catalog: Catalog, settings: Settings): Promise<App['firstStart']> {
  const { account, isNew } = await catalog.accounts.ensureOwner()
  const fixed: [string, string, string | null][] = [
    ['MILLRACE_MANAGEMENT_TOKEN', 'management', settings.managementToken],
    ['MILLRACE_INGEST_TOKEN', 'ingest', settings.ingestToken],
  ]
  for (const [description, scopes, value] of fixed)
    if (value) await catalog.tokens.ensureFixed(account.id, { description, scopes, value })
  if (!isNew || settings.managementToken) return null
  const { value } = await catalog.tokens.create(account.id, { description: 'first start', scopes: 'management' })
  await catalog.sources.create(account, { name: FIRST_SOURCE })
  return { managementToken: value, sourceName: FIRST_SOURCE }
}

/** Opens the journal and teaches the schemas every field that parts and journal know. */
async function openTheJournal(folders: { journal: string; warehouse: string }, schemas: Schemas): Promise<Journal> {
  const stored = storedFields(folders.warehouse)
  const notBefore = Math.max(0, ...[...stored.values()].map(({ position }) => position))
  const journal = await openJournal({ dir: folders.journal, notBefore })
  const trees = new Map<string, Fields>()
  for (const [token, { fields }] of stored) addFields(treeOf(trees, token), fields)
  for await (const { header, body } of journal.frames(journal.reader('warehouse').position))
    if (header.kind === 'fields') addFields(treeOf(trees, header.source), JSON.parse(body.toString('utf8')))
  for (const [token, tree] of trees) schemas.of(token, flatFields(tree))
  return journal
}

function treeOf(trees: Map<string, Fields>, token: string): Fields {
  const tree = trees.get(token) ?? new Map()
  trees.set(token, tree)
  return tree
}

type Counts = AcceptParts['counters'] & { rejected(token: string): number }

function createCounts(metrics: Metrics): Counts {
  const rejected = new Map<string, number>()
  const accepted = metrics.counter('millrace_events_accepted_total', 'Events that were sent and stored')
  const copied = metrics.counter('millrace_events_copied_total', 'Copies of events that rules made')
  const dropped = metrics.counter(
    'millrace_events_dropped_total',
    'Events and copies that a drop filter, or the retention of a target, kept out',
  )
  const refused = metrics.counter('millrace_events_rejected_total', 'Events that were refused')
  const unfit = metrics.counter(
    'millrace_values_unfit_total',
    'Values that did not fit their field and were kept in _unfit',
  )
  const bytes = metrics.counter('millrace_journal_row_bytes_total', 'Bytes of rows written to the journal')
  return {
    count(source, counts) {
      accepted.value += counts.accepted
      copied.value += counts.copied
      dropped.value += counts.dropped
      refused.value += counts.refused
      unfit.value += counts.unfit
      bytes.value += counts.bytes
      if (counts.refused > 0) rejected.set(source.token, (rejected.get(source.token) ?? 0) + counts.refused)
    },
    rejected: (token) => rejected.get(token) ?? 0,
  }
}

function sourceMetrics(
  token: string,
  parts: { rates: Rates; schemas: Schemas; warehouse: Warehouse; counts: Counts },
): { rate: number; avg: number; max: number; total: number; rejected: number; fields: number; bytes: number } {
  const rate = parts.rates.of(token)
  const stats = parts.warehouse.stats(token)
  return {
    rate: rate.current(),
    avg: Math.round(rate.average() * 100) / 100,
    max: rate.max(),
    total: stats.rows + stats.freshRows,
    rejected: parts.counts.rejected(token),
    fields: parts.schemas.of(token).count,
    bytes: stats.bytes,
  }
}

function watch(
  metrics: Metrics,
  {
    journal,
    warehouse,
    tail,
    cache,
    state,
  }: { journal: Journal; warehouse: Warehouse; tail: Tail; cache: { readonly bytes: number }; state(): string },
): void {
  metrics.gauge('millrace_endpoint_cache_bytes', 'Kept answers of endpoints', () => cache.bytes)
  metrics.gauge('millrace_ready', 'Whether requests are welcome', () => (state() === 'ready' ? 1 : 0))
  metrics.gauge('millrace_journal_end_bytes', 'Everything before this journal position is durable', () => journal.end)
  metrics.gauge('millrace_journal_pending_bytes', 'Bytes accepted and not yet durable', () => journal.pendingBytes)
  metrics.gauge(
    'millrace_warehouse_unloaded_bytes',
    'Journal bytes not yet in parts',
    () => warehouse.health().unloadedBytes,
  )
  metrics.gauge(
    'millrace_engine_restarts',
    'Times the query engine had to be started again',
    () => warehouse.health().restarts,
  )
  metrics.gauge(
    'millrace_damaged_parts',
    'Parts that could not be read and were set aside',
    () => warehouse.health().damaged.length,
  )
  metrics.gauge('millrace_tail_readers', 'Open streams of live tail', () => tail.readers)
  metrics.gauge('millrace_resident_memory_bytes', 'Memory of the front process', () => process.memoryUsage.rss())
}

function healthDetails({ journal, warehouse }: { journal: Journal; warehouse: Warehouse }): Record<string, unknown> {
  const { isReady, restarts, unloadedBytes, damaged, lastError } = warehouse.health()
  return {
    journal: { end: journal.end, pending_bytes: journal.pendingBytes, ...journal.recovery },
    warehouse: { ready: isReady, restarts, unloaded_bytes: unloadedBytes, damaged, last_error: lastError },
  }
}

/** Knows the requests that were begun and not answered, so that stopping can wait for them. It takes none for itself. */
function watchRequests(): { lane: Lane; finished(withinMs: number): Promise<void> } {
  const open = new Set<ServerResponse>()
  function close(this: ServerResponse): void {
    open.delete(this)
  }
  return {
    lane(_request, response) {
      open.add(response)
      response.once('close', close)
      return false
    },
    /** Those that are open now; senders who go on sending while they are refused do not count. */
    async finished(withinMs) {
      const answered = [...open].map((response) => once(response, 'close'))
      await Promise.race([Promise.all(answered), wait(withinMs, undefined, { ref: false })])
    },
  }
}

async function listen(server: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EADDRINUSE')
      throw new Fault(
        'setup',
        `Port ${port} on ${host} is already in use. Stop the other program, or set MILLRACE_PORT.`,
      )
    if (code === 'EACCES')
      throw new Fault('setup', `This user may not listen on port ${port}. Set MILLRACE_PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Fault('setup', `MILLRACE_HOST ${host} is not an address of this machine.`)
    throw error
  }
}
