/** Builds all parts of the service, starts them in order and stops them in the reverse order. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createAccess } from '../access/access.ts'
import { createKeyValueMemory } from '../access/key-values.ts'
import { createRouteMemory } from '../access/routes.ts'
import { createRun as createAlertRun } from '../alerts/run.ts'
import { backendRecord } from '../backends/backends.ts'
import { startDelivery } from '../backends/delivery/delivery.ts'
import { clearBackups, createBackup } from '../backup/backup.ts'
import { createBuffers } from '../base/buffers.ts'
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import { lockFolder } from '../base/lock.ts'
import { createMetrics } from '../base/metrics.ts'
import { createRejectedRecorder } from '../catalog/rejected-recorder.ts'
import { createCheck } from '../endpoints/check.ts'
import { createIngestLane } from '../http/ingest/lane.ts'
import { VERSION } from '../http/openapi.ts'
import { createKeptLane } from '../http/routes/endpoints/kept.ts'
import { addGuideRoutes } from '../http/routes/guide.ts'
import { createServer } from '../http/server.ts'
import { addWebRoutes } from '../http/web.ts'
import { createAccept } from '../ingest/accept.ts'
import { createPreview } from '../ingest/preview.ts'
import { createQuotas } from '../ingest/quotas.ts'
import { createRates } from '../ingest/rates.ts'
import { createSchemas } from '../ingest/schema/schemas.ts'
import { createFrameReader } from '../journal/frame-reader.ts'
import { problemOf } from '../lql/lql.ts'
import { RETENTION_DAYS_MAX, type Source, type SourceMetrics } from '../model/source.ts'
import { createMonitoring } from '../monitoring/monitoring.ts'
import { createOwnLog } from '../monitoring/own-log.ts'
import type { Settings } from '../settings.ts'
import { createTail } from '../tail/tail.ts'
import { createWarehouse } from '../warehouse/warehouse.ts'
import { createAlertsAtWork } from './alerts.ts'
import { managementAreas, openAreas } from './areas.ts'
import { type FirstStart, openTheCatalog, prepareAccount } from './catalog.ts'
import { createCounts, healthDetails, sourceMetrics, watch, watchNodes } from './counts.ts'
import { makeFolders } from './folders.ts'
import { createHomekeeping, withHomes } from './homes.ts'
import { openTheJournal } from './journal.ts'
import { listen } from './listen.ts'
import { createListeners } from './listeners.ts'
import { createLog } from './log.ts'
import { measureProcess, measureRequests } from './measure.ts'
import { createTheNotices } from './notices.ts'
import { createTheNotifier } from './notifier.ts'
import { createPeopleParts } from './people.ts'
import { createReading } from './reading.ts'
import { watchRequests } from './requests.ts'
import { createSourceList } from './sources.ts'
import { seedEndpoints, seedSources } from './supabase/supabase.ts'
import { createSystem } from './system.ts'

export type App = {
  /** Where it listens, as `http://host:port`. */
  readonly address: string
  /** Made at the first start of this data folder. */
  readonly firstStart: FirstStart | null
  stop(): Promise<void>
}

/** Requests in flight get this long to finish once the service is told to stop. */
const DRAIN_MS = 6_000
/** Then what is still open is cut off, after a last moment for answers that are being written. */
const LAST_WORDS_MS = 500
const RECENT_EVENTS = 100
/** Where the build puts the web interface, beside the compiled code. */
const WEB_DIR = fileURLToPath(new URL('../web', import.meta.url))
const GUIDE_DIR = fileURLToPath(new URL('../docs', import.meta.url))
const KEPT_BUFFER_BYTES = 32 * 1024 * 1024

export async function startApp(settings: Settings): Promise<App> {
  const clock = systemClock
  const ownLog = createOwnLog()
  const log = createLog({ level: settings.logLevel, alsoTo: settings.monitorsItself ? ownLog : null })
  const folders = makeFolders(settings.dataDir)
  const lock = await lockFolder(settings.dataDir)
  await clearBackups(settings.dataDir)
  const { catalog, homes } = await withHomes(await openTheCatalog(settings, log), settings)
  const { account, firstStart } = await prepareAccount(catalog, settings)
  const isDropIn = settings.compat === 'supabase'
  const expectedFields = isDropIn ? await seedSources(catalog, account) : new Map()
  if (settings.unusedNames.length > 0)
    log.warn(`these settings have no meaning here: ${settings.unusedNames.join(', ')}`)

  const metrics = createMetrics()
  const rates = createRates({ clock })
  const schemas = createSchemas({ rates })
  const journal = await openTheJournal(folders, schemas, expectedFields)
  const nodes = catalog.shared
    ? await (await import('./nodes.ts')).joinNodes({
        ...{ settings, shared: catalog.shared, changes: catalog.changes, schemas, journal, clock, log },
        scattered: () => sources.all().filter(({ home_id }) => home_id === null).length,
      })
    : null
  await nodes?.follow()
  const access = createAccess({
    catalog,
    clock,
    sessionLife: settings.sessionLife,
    onNoteLost: (error) => log.warn({ err: error }, 'token use not noted'),
  })
  const people = createPeopleParts({ settings, catalog, access, clock, log })
  const keyValues = createKeyValueMemory({ catalog, clock })
  const routes = createRouteMemory({ catalog, clock })
  const rejected = createRejectedRecorder({
    rejected: catalog.rejected,
    onLost: (error) => log.warn({ err: error }, 'rejected events were not written down'),
  })

  const sources = await createSourceList({
    catalog,
    onChanged: settleSource,
    onGone: forgetSource,
    onError: (error) => log.warn({ err: error }, 'sources that other nodes changed were not taken up'),
  })
  await nodes?.shareFields(sources.all())
  const warehouse = createWarehouse({
    dir: folders.warehouse,
    journalDir: folders.journal,
    journal,
    sources: () => sources.all().map(settingsOf),
    queryMemoryMb: settings.queryMemoryMb,
    queryThreads: availableParallelism(),
    useFilters: settings.useFilters,
    onLoaded: (token, position) => schemas.publish(token, position),
    log,
  })

  const counts = createCounts(metrics)
  const buffers = createBuffers({ keepBytes: KEPT_BUFFER_BYTES })
  const enrichment = { lookupFor: (source: { account_id: number }) => keyValues.of(source.account_id) }
  const accept = createAccept({
    buffers,
    schemas,
    rates,
    clock,
    journal,
    routesOf: routes.of,
    assertRoom: (source) => homekeeping.assertRoom(source),
    keyValues: enrichment,
    rejected: {
      record(source, entries) {
        const id = sources.idOf(source.token)
        if (id === undefined) return
        notices.rejected(source.token, { count: 0, reasons: entries.map(({ reason }) => reason) })
        rejected.record(
          id,
          entries.map(({ at, reason, event }) => ({ at: new Date(at).toISOString(), reason, event })),
        )
      },
    },
    counters: {
      count(source, one) {
        counts.count(source, one)
        if (one.refused > 0) notices.rejected(source.token, { count: one.refused, reasons: [] })
      },
    },
  })
  const sharing = nodes?.sharing ?? null
  const reading = createReading({ settings, catalog, schemas, warehouse, metrics, clock, log, sharing })
  const { names, sql, cache } = reading

  const ownTail = createTail({
    journal,
    frameReader: (onHole) => createFrameReader({ dir: folders.journal, onDamage: onHole }),
    fields: (token) => schemas.all(token),
    counters: {
      delivered: metrics.counter('millrace_tail_delivered_total', 'Events sent to live readers'),
      missed: metrics.counter('millrace_tail_missed_total', 'Events that live readers were told they missed'),
    },
    onError: (error) => log.warn({ err: error }, 'live tail failed'),
  })
  const tail = nodes?.tailEverywhere(ownTail) ?? ownTail

  const ownDelivery = await startDelivery({
    catalog,
    journal,
    journalDir: folders.journal,
    fields: (token) => schemas.all(token),
    parquet: warehouse.parquet,
    clock,
    counters: {
      delivered: metrics.counter('millrace_backend_delivered_total', 'Events that receivers of backends took'),
      retried: metrics.counter('millrace_backend_failures_total', 'Tries to reach receivers of backends that failed'),
      refused: metrics.counter('millrace_backend_refused_total', 'Events that receivers refused: dead letters'),
      dropped: metrics.counter('millrace_backend_dropped_total', 'Events given up as receivers were too far behind'),
    },
    maxHeldBytes: settings.backendHeldBytes,
    onMoved: moved,
    onError: (error) => log.warn({ err: error }, 'delivery to a backend failed'),
  })
  const delivery = nodes?.delivering(ownDelivery) ?? ownDelivery
  const homekeeping = createHomekeeping({ stores: reading.stores, delivery, fields: schemas.all, log })
  const hasBackend = async (accountId: number, id: number): Promise<boolean> =>
    (await catalog.backends.byId(accountId, id)) !== null

  const notifier = createTheNotifier({ settings, metrics, log })
  const runAlert = createAlertRun({ ...reading, schemas, clock, timeoutMs: settings.queryTimeoutMs })
  const notices = createTheNotices({
    ...{ catalog, journal, tail, notifier, clock, publicUrl: settings.publicUrl, log },
    statusOf: (backend) => delivery.status(backend),
    isLearned: (body) => nodes?.isLearned(body) ?? false,
  })
  const alerts = createAlertsAtWork({ settings, catalog, run: runAlert, notifier, metrics, clock, log })

  let state: 'starting' | 'ready' | 'draining' = 'starting'
  measureProcess(metrics, { dataDir: settings.dataDir, startedMs: clock.nowMs() })
  watch(metrics, { journal, warehouse, tail, cache, delivery, state: () => state })
  watchNodes(metrics, () => nodes?.counts() ?? { live: 1, unreachable: 0 })

  const quotas = createQuotas({ rates })
  const onIngestError = (error: unknown): void =>
    log.error({ err: error, notes: error instanceof Fault ? error.notes : undefined }, 'an ingest request failed')
  const listeners = createListeners({
    settings,
    access,
    accept,
    quotas,
    assertOpen,
    assertRoom,
    metrics,
    log,
    onError: onIngestError,
  })
  const ingest = createIngestLane({
    access,
    accept,
    vercelSecret: settings.vercelSecret,
    quotas,
    buffers,
    assertOpen,
    onError: onIngestError,
  })
  const backup = createBackup({
    dataDir: settings.dataDir,
    journal,
    clock,
    release: VERSION,
    hasOwnCatalog: catalog.engine === 'sqlite',
  })
  const checkEndpoint = createCheck({ names, sql, schemas, clock, stores: reading.stores })
  const inFlight = watchRequests({ onAnswered: measureRequests(metrics) })
  const server = createServer({
    access,
    catalog,
    metrics,
    schemas,
    sourceMetrics: { of: metricsOf },
    backends: { of: async ({ id }) => (await catalog.backends.ofSource(id)).map(backendRecord) },
    lql: { problem: problemOf },
    hasBackend,
    warehouse: { recent: (source) => reading.search.recent(source, RECENT_EVENTS) },
    homes,
    preview: createPreview({ fields: schemas.all, keyValues: enrichment, clock }),
    async clearEvents(source) {
      await homekeeping.clear(source)
      await warehouse.clear(source.token)
    },
    health: () => ({
      state,
      details: { ...healthDetails({ journal, warehouse, delivery }), ...listeners.health(), ...nodes?.health() },
    }),
    onSourceChanged: sources.adopt,
    onSourceDeleted: sources.drop,
    watch: inFlight.watch,
    lanes: isDropIn ? [ingest] : [ingest, createKeptLane({ access, kept: reading.kept })],
    areas: [
      ...openAreas({ access, tail, reading, isDropIn }),
      ...(nodes ? [nodes.area({ tail: ownTail, delivery: ownDelivery, reading, catalog })] : []),
      (scope) => addWebRoutes(scope, { dir: WEB_DIR }),
      (scope) => addGuideRoutes(scope, { dir: GUIDE_DIR }),
    ],
    managementAreas: managementAreas({
      ...{ settings, catalog, schemas, clock, reading, delivery, notices, people, backup, checkEndpoint, runAlert },
      ...{ fireAlert: alerts.fire, hasBackend, onSourceChanged: sources.adopt },
      system: createSystem({ settings, catalog, journal, warehouse, clock, state: () => state }),
    }),
    logger: log,
  })

  function metricsOf(token: string): SourceMetrics {
    return sourceMetrics(token, { rates, schemas, warehouse, counts })
  }

  const settingsOf = ({ token, retention_days }: Source) => ({
    ...{ token, retentionDays: retention_days, isAway: delivery.isAway(token) },
  })

  async function moved(token: string, isAway: boolean): Promise<void> {
    const source = sources.all().find((one) => one.token === token)
    await warehouse.settle({ token, retentionDays: source?.retention_days ?? RETENTION_DAYS_MAX, isAway })
  }

  async function settleSource(source: Source): Promise<void> {
    notices.adopt(source)
    if (source.home_id !== null || delivery.isAway(source.token)) await delivery.refresh()
    void warehouse.settle(settingsOf(source)).catch((error) => log.warn({ err: error }, 'a source was not settled'))
    homekeeping.settle(source)
  }

  async function forgetSource(source: Source): Promise<void> {
    const { id, token } = source
    rejected.forget(id)
    notices.forget(token)
    tail.endSource(token, 'source_deleted')
    schemas.forget(token)
    rates.forget(token)
    metrics.forget({ source: token })
    cache.forget(token)
    await homekeeping.remove(source)
    await warehouse.remove(token)
  }

  const monitoring = createMonitoring({
    ...{ catalog, accept, assertRoom, metricsOf, ownLog, clock, onSource: sources.adopt },
    printMetrics: () => metrics.print(),
  })

  function assertOpen(): void {
    if (state === 'draining')
      throw new Fault('unavailable', 'The service is shutting down. Send the events again in a moment.')
    assertRoom()
  }

  function assertRoom(): void {
    if (warehouse.health().unloadedBytes > settings.maxUnloadedBytes)
      throw new Fault('busy', 'Events arrive faster than they can be loaded. Send them again in a few seconds.')
  }

  if (isDropIn) await seedEndpoints(catalog, account, checkEndpoint(account.id))
  await warehouse.start()
  await sources.start()
  const address = await listen(server, settings)
  await nodes?.start(address)
  await listeners.start()
  await alerts.start()
  await notices.start()
  if (settings.monitorsItself) monitoring.start()
  state = 'ready'

  let stopping: Promise<void> | null = null
  async function stop(): Promise<void> {
    state = 'draining'
    await notices.stop()
    sources.stop()
    await nodes?.stop()
    // Streams never finish by themselves: they are ended first, and are then no requests to wait for.
    await tail.stop()
    await listeners.stop()
    await inFlight.finished(DRAIN_MS)
    const cutOff = setTimeout(() => server.server.closeAllConnections(), LAST_WORDS_MS)
    await server.close()
    clearTimeout(cutOff)
    await alerts.stop()
    if (settings.monitorsItself) await monitoring.stop()
    await notifier.stop()
    await delivery.stop()
    await journal.stop()
    await warehouse.stop()
    await rejected.stop()
    await reading.stop()
    keyValues.stop()
    routes.stop()
    people.stop()
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
