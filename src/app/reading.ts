/** The parts that answer questions: warehouse SQL, the dialects of backends, search, and endpoints with their cache. */
import type { Logger } from 'pino'
import { alertTables } from '../alerts/tables.ts'
import { SURROUNDINGS } from '../backends/kind.ts'
import { createStores } from '../backends/stores.ts'
import type { Clock } from '../base/clock.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { once } from '../catalog/claims.ts'
import type { Answered } from '../endpoints/answered.ts'
import { createCache, type Sharing } from '../endpoints/cache.ts'
import { createCompose } from '../endpoints/compose.ts'
import { createRun } from '../endpoints/run.ts'
import { endpointTables } from '../endpoints/tables.ts'
import { createVersions } from '../endpoints/versions.ts'
import type { Schemas } from '../ingest/schema/schemas.ts'
import { createAnswer } from '../query/answer.ts'
import { createAnswerAtHome } from '../query/answer-home.ts'
import { createEncode } from '../query/formats/formats.ts'
import { createNames } from '../query/names.ts'
import { createAnswerNative } from '../query/native.ts'
import { createPlaces } from '../query/places.ts'
import { createQueryRecorder } from '../query/recorder.ts'
import { createRunning } from '../query/running.ts'
import { createSearch } from '../query/search/search.ts'
import type { Settings } from '../settings.ts'
import { createSql } from '../sql/sql.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { measureQueries } from './measure.ts'

type Parts = {
  settings: Settings
  catalog: Catalog
  schemas: Schemas
  warehouse: Warehouse
  metrics: Metrics
  clock: Clock
  log: Logger
  /** With whom kept answers are shared; null: there is one node. */
  sharing: Sharing<Answered> | null
}

/** Answers of endpoints that are kept, in both forms they leave in. */
const KEPT_ANSWER_BYTES = 64 * 1024 * 1024

/** A store ends a query by itself; its answer takes a moment more. */
const ANSWER_MS = 5_000

export type Reading = ReturnType<typeof createReading>

export function createReading({ settings, catalog, schemas, warehouse, metrics, clock, log, sharing }: Parts) {
  const timeoutMs = settings.queryTimeoutMs
  const names = createNames({
    sources: catalog.sources,
    published: [endpointTables(catalog.endpoints), alertTables(catalog.alerts)],
    changes: catalog.changes,
    clock,
    isShared: catalog.engine === 'postgres',
  })
  const sql = createSql()
  const running = createRunning({ clock })
  const stores = createStores({
    backends: catalog.backends,
    surroundings: { timeoutMs: Math.max(timeoutMs + ANSWER_MS, SURROUNDINGS.timeoutMs) },
  })
  const askStore = createAnswerNative({ stores, names, sql, schemas, clock })
  const atHome = createAnswerAtHome({ sql, stores, native: askStore, schemas, clock })
  const answer = running.watch(createAnswer({ sql, names, schemas, warehouse, atHome, clock }))
  const native = running.watch(askStore)
  const places = createPlaces({ warehouse, stores, schemas, clock })
  const search = createSearch({ schemas, places, savedSearches: catalog.savedSearches, clock, timeoutMs })
  const encode = createEncode({ parquet: warehouse.parquet })
  const recorder = measureQueries(
    metrics,
    createQueryRecorder({
      queryLog: { ...catalog.queryLog, prune: () => once(catalog.claims, 'queries', catalog.queryLog.prune) },
      clock,
      onLost: (error) => log.warn({ err: error }, 'queries were not written to the log'),
    }),
  )
  const cache = createCache<Answered>({ clock, maxBytes: KEPT_ANSWER_BYTES, sharing })
  const { run, kept } = createRun({
    ...{ answer, native, stores, cache, recorder, timeoutMs },
    compose: createCompose({ sql, schemas, clock }),
    versions: createVersions({ endpoints: catalog.endpoints }),
    current: (token) => catalog.endpoints.byToken(token),
  })

  async function stop(): Promise<void> {
    stores.stop()
    cache.stop()
    await recorder.stop()
    names.stop()
  }

  return { names, sql, running, stores, answer, native, places, search, encode, recorder, cache, run, kept, stop }
}
