/** Which routes there are beside those of the server's own nouns, and the parts that each area of them works with. */
import type { Access } from '../access/access.ts'
import { createCheck as createAlertCheck } from '../alerts/check.ts'
import { backendRecord } from '../backends/backends.ts'
import type { Clock } from '../base/clock.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { addIngestArea } from '../http/ingest/describe.ts'
import { type AlertParts, addAlertRoutes } from '../http/routes/alerts.ts'
import { addBackendRoutes, type BackendParts } from '../http/routes/backends.ts'
import { addBackupRoutes, type BackupParts } from '../http/routes/backup.ts'
import { addEndpointRoutes, type EndpointParts } from '../http/routes/endpoints/index.ts'
import { addEndpointQueryRoutes } from '../http/routes/endpoints/query.ts'
import { addMcpRoutes } from '../http/routes/mcp.ts'
import { addPeopleRoutes, type PeopleParts } from '../http/routes/people/index.ts'
import { addQueryRoutes } from '../http/routes/query.ts'
import { addRunningQueryRoutes } from '../http/routes/running-queries.ts'
import { addSearchRoutes } from '../http/routes/search/index.ts'
import { addNotificationRoutes, type NotificationParts } from '../http/routes/sources/notifications.ts'
import { addSystemRoutes, type SystemParts } from '../http/routes/system.ts'
import { addTailRoutes } from '../http/routes/tail.ts'
import type { Area, ManagementArea } from '../http/server.ts'
import type { Schemas } from '../ingest/schema/schemas.ts'
import { createParse } from '../query/parse.ts'
import type { Settings } from '../settings.ts'
import type { Tail } from '../tail/tail.ts'
import type { Reading } from './reading.ts'

type OpenParts = { access: Access; tail: Tail; reading: Reading; isDropIn: boolean }

/** Areas with their own ways of knowing who asks. */
export const openAreas = ({ access, tail, reading, isDropIn }: OpenParts): Area[] => [
  addIngestArea,
  (scope, describe) => addTailRoutes(scope, describe, { access, tail }),
  (scope, describe) => addEndpointQueryRoutes(scope, describe, { access, ...reading, isForDashboard: isDropIn }),
  (scope, describe) => addMcpRoutes(scope, describe, { access }),
]

type ManagementParts = {
  settings: Settings
  catalog: Catalog
  schemas: Schemas
  clock: Clock
  reading: Reading
  delivery: BackendParts['delivery']
  notices: NotificationParts['notices']
  people: PeopleParts
  backup: BackupParts['backup']
  system: SystemParts
  checkEndpoint: EndpointParts['check']
  runAlert: AlertParts['run']
  fireAlert: AlertParts['fire']
  hasBackend(accountId: number, id: number): Promise<boolean>
  onSourceChanged: BackendParts['onSourceChanged']
}

/** Areas for people and for tokens of the management scope. */
export function managementAreas(parts: ManagementParts): ManagementArea[] {
  const { settings, catalog, schemas, clock, reading } = parts
  const { names, sql, stores, running, cache } = reading
  const timeoutMs = settings.queryTimeoutMs
  return [
    (routes) =>
      addQueryRoutes(routes, {
        ...reading,
        parse: createParse({ sql, names, schemas, clock }),
        queryLog: catalog.queryLog,
        timeoutMs,
      }),
    (routes) =>
      addEndpointRoutes(routes, {
        catalog,
        check: parts.checkEndpoint,
        queryLog: catalog.queryLog,
        recorder: reading.recorder,
        onChanged: ({ token }) => cache.forget(token),
      }),
    (routes) =>
      addAlertRoutes(routes, {
        catalog,
        check: createAlertCheck({ names, sql, schemas, clock, stores, hasBackend: parts.hasBackend }),
        run: parts.runAlert,
        fire: parts.fireAlert,
        clock,
        backendsOf: async (accountId, ids) =>
          (await catalog.backends.list(accountId)).filter(({ id }) => ids.includes(id)).map(backendRecord),
      }),
    (routes) => addNotificationRoutes(routes, parts),
    (routes) => addBackendRoutes(routes, parts),
    (routes) => addRunningQueryRoutes(routes, { running }),
    (routes) => addSystemRoutes(routes, parts.system),
    (routes) => addSearchRoutes(routes, { ...reading, catalog, schemas, timeoutMs }),
    (routes) => addPeopleRoutes(routes, parts.people),
    (routes) => addBackupRoutes(routes, parts),
  ]
}
