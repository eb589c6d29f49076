/** The real server over a catalog in memory, with stand-ins for the parts that keep events. No port is opened. */
import type { FastifyInstance, InjectOptions } from 'fastify'
import { createAccess } from '../../src/access/access.ts'
import { backendRecord } from '../../src/backends/backends.ts'
import type { Delivery } from '../../src/backends/delivery/delivery.ts'
import { createHomes } from '../../src/backends/homes.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createMetrics } from '../../src/base/metrics.ts'
import { type Catalog, openCatalog } from '../../src/catalog/catalog.ts'
import { addBackendRoutes } from '../../src/http/routes/backends.ts'
import type { Health } from '../../src/http/routes/health.ts'
import { type Area, createServer, type ManagementArea } from '../../src/http/server.ts'
import { createPreview } from '../../src/ingest/preview.ts'
import { problemOf } from '../../src/lql/lql.ts'
import type { FlatFields } from '../../src/model/fields.ts'
import type { Source } from '../../src/model/source.ts'

export type ManagementServer = {
  app: FastifyInstance
  catalog: Catalog
  /** A management token of the first account. */
  token: string
  /** What the stand-ins answer and heard. */
  world: { state: Health['state']; fields: FlatFields; changed: Source[]; deleted: Source[]; cleared: Source[] }
  /** Sends a request, with the management token unless told otherwise. */
  call(
    method: Method,
    url: string,
    body?: Body,
    token?: string,
  ): Promise<{ status: number; json: Json; headers: Headers }>
  newSource(fields?: object): Promise<Json>
  stop(): Promise<void>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Body = NonNullable<InjectOptions['payload']>
/** Answers of every shape; looking into them is what the tests are for. */
type Json = ReturnType<typeof JSON.parse>
type Headers = Record<string, unknown>

export async function startManagement(
  areas: Area[] = [],
  managementAreas: (catalog: Catalog) => ManagementArea[] = () => [],
): Promise<ManagementServer> {
  const world: ManagementServer['world'] = { state: 'ready', fields: {}, changed: [], deleted: [], cleared: [] }
  const catalog = await openCatalog({ file: ':memory:', secretKey: Buffer.alloc(32, 1), clock: systemClock })
  const access = createAccess({ catalog, clock: systemClock })
  const { account } = await catalog.accounts.ensureOwner()
  const { value: token } = await catalog.tokens.create(account.id, { scopes: 'management' })
  const metrics = createMetrics()
  metrics.counter('events_total', 'Events').value = 4
  const app = createServer({
    access,
    catalog,
    metrics,
    sourceMetrics: { of: () => ({ rate: 0, avg: 0, max: 0, total: 0, rejected: 0, fields: 0, bytes: 0 }) },
    backends: { of: async ({ id }) => (await catalog.backends.ofSource(id)).map(backendRecord) },
    homes: createHomes({ backends: catalog.backends, chosen: null }),
    schemas: { flat: () => world.fields },
    warehouse: { recent: async () => '[{"id":"1"}]' },
    lql: { problem: problemOf },
    preview: createPreview({
      fields: () => world.fields,
      keyValues: { lookupFor: () => () => undefined },
      clock: systemClock,
    }),
    clearEvents: async (source) => void world.cleared.push(source),
    hasBackend: async (accountId, id) => (await catalog.backends.byId(accountId, id)) !== null,
    health: () => ({ state: world.state, details: { version: '0' } }),
    onSourceChanged: (source) => void world.changed.push(source),
    onSourceDeleted: (source) => void world.deleted.push(source),
    areas,
    managementAreas: [
      (routes) =>
        addBackendRoutes(routes, {
          catalog,
          delivery: noDelivery,
          onSourceChanged: (source) => void world.changed.push(source),
        }),
      ...managementAreas(catalog),
    ],
  })
  await app.ready()

  const call: ManagementServer['call'] = async (method, url, body, as = token) => {
    const headers = as === '' ? {} : { 'x-api-key': as }
    const response = await app.inject({ method, url, headers, ...(body === undefined ? {} : { payload: body }) })
    return { status: response.statusCode, json: response.body ? response.json() : null, headers: response.headers }
  }
  let made = 0
  return {
    app,
    catalog,
    token,
    world,
    call,
    newSource: async (fields = {}) =>
      (await call('POST', '/api/sources', { name: `source ${++made}`, ...fields })).json,
    async stop() {
      await app.close()
      await access.stop()
      await catalog.stop()
    },
  }
}

const noDelivery: Pick<Delivery, 'refresh' | 'status' | 'probe' | 'retry'> = {
  refresh: async () => {},
  probe: async () => ({ ok: true }),
  retry: async () => ({ tried: 0, delivered: 0, remaining: 0, error: null }),
  status: async () => ({
    ...{ state: 'ok', lag_events: 0, lag_seconds: 0, delivered: 0, retried: 0, dropped: 0, dead_letters: 0 },
    last_error: null,
  }),
}
