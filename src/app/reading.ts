/** The parts that answer questions: warehouse SQL, the dialects of backends, search, and endpoints with their cache. */
import type { Logger } from 'pino'
import { alertTables } from '../alerts/tables.ts'
import { createStores } from '../backends/stores.ts'
import type { Clock } from '../base/clock.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Answered } from '../endpoints/answered.ts'
import { createCache } from '../endpoints/cache.ts'
import { createCompose } from '../endpoints/compose.ts'
import { createRun } from '../endpoints/run.ts'
import { endpointTables } from '../endpoints/tables.ts'
import { createVersions } from '../endpoints/versions.ts'
import type { Schemas } from '../ingest/schema/schemas.ts'
import { createAnswer } from '../query/answer.ts'
import { createEncode } from '../query/formats/formats.ts'
import { createNames } from '../query/names.ts'
import { createAnswerNative } from '../query/native.ts'
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
}

/** Answers of endpoints that are kept, in both forms they leave in. */
const KEPT_ANSWER_BYTES = 64 * 1024 * 1024

export type Reading = ReturnType<typeof createReading>

export function createReading({ settings, catalog, schemas, warehouse, metrics, clock, log }: Parts) {
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
  const stores = createStores({ backends: catalog.backends })
  const answer = running.watch(createAnswer({ sql, names, schemas, warehouse, clock }))
  const native = running.watch(createAnswerNative({ stores, names, sql, schemas, clock }))
  const search = createSearch({ schemas, warehouse, savedSearches: catalog.savedSearches, clock, timeoutMs })
  const encode = createEncode({ parquet: warehouse.parquet })
  const recorder = measureQueries(
    metrics,
    createQueryRecorder({
      queryLog: catalog.queryLog,
      clock,
      onLost: (error) => log.warn({ err: error }, 'queries were not written to the log'),
    }),
  )
  const cache = createCache<Answered>({ clock, maxBytes: KEPT_ANSWER_BYTES })
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

  return { names, sql, running, stores, answer, native, search, encode, recorder, cache, run, kept, stop }
}
