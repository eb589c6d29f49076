/** Endpoints: the records and their versions. Querying them is in `query.ts`. */
import { z } from 'zod'
import { callerName, type Identity } from '../../../access/access.ts'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { CheckQuery } from '../../../catalog/endpoints.ts'
import type { QueryLog } from '../../../catalog/query-log.ts'
import {
  type Endpoint,
  EndpointChanges,
  EndpointRecord,
  EndpointSettings,
  EndpointSnapshot,
  EndpointVersion,
  endpointRecord,
  NewEndpoint,
} from '../../../model/endpoint.ts'
import type { QueryRecorder } from '../../../query/recorder.ts'
import { byToken, nothing, type Routes } from '../../route.ts'

export type EndpointParts = {
  catalog: Pick<Catalog, 'endpoints'>
  check(accountId: number): CheckQuery
  queryLog: Pick<QueryLog, 'endpointUse'>
  recorder: Pick<QueryRecorder, 'flush'>
  /** The endpoint was changed or deleted. */
  onChanged(endpoint: Endpoint): void
}

const area = 'endpoints'
const byVersion = z.object({ token: z.uuid(), version: z.coerce.number().pipe(z.int().min(1)) })

const Use = z.object({
  endpoint: z.uuid(),
  calls: z.int(),
  cached: z.int(),
  failed: z.int(),
  mean_ms: z.int().nullable(),
  max_ms: z.int().nullable(),
  last_at: z.iso.datetime(),
})

export function addEndpointRoutes(routes: Routes, parts: EndpointParts): void {
  const { check, queryLog, recorder, onChanged } = parts
  const { endpoints } = parts.catalog

  async function endpointOf({ account }: Identity, token: string): Promise<Endpoint> {
    const endpoint = await endpoints.byToken(token)
    if (endpoint?.account_id !== account.id) throw noEndpoint()
    return endpoint
  }

  async function change(identity: Identity, token: string, changes: EndpointChanges): Promise<EndpointRecord> {
    const { id } = identity.account
    const changed = await endpoints.update(id, token, callerName(identity), changes, check(id))
    if (!changed) throw noEndpoint()
    onChanged(changed)
    return endpointRecord(changed)
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/endpoints',
    area,
    summary: 'All endpoints by name',
    status: 200,
    answer: z.array(EndpointRecord),
    run: async ({ identity }) => (await endpoints.list(identity.account.id)).map(endpointRecord),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/endpoints',
    area,
    summary: 'Publish a query as an endpoint',
    body: NewEndpoint,
    status: 201,
    answer: EndpointRecord,
    async run({ identity, body }) {
      const { id } = identity.account
      return endpointRecord(await endpoints.create(id, callerName(identity), body, check(id)))
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/endpoints/stats',
    area,
    summary: 'How endpoints were called in the last 7 days, one by one; those that were not called are left out',
    status: 200,
    answer: z.array(Use),
    async run({ identity }) {
      await recorder.flush()
      return queryLog.endpointUse(identity.account.id)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/endpoints/:token',
    area,
    summary: 'One endpoint',
    params: byToken,
    status: 200,
    answer: EndpointRecord,
    run: async ({ identity, params }) => endpointRecord(await endpointOf(identity, params.token)),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/endpoints/:token',
    area,
    summary: 'Change the fields that are sent, as the next version, and answer the record',
    params: byToken,
    body: EndpointChanges,
    status: 200,
    answer: EndpointRecord,
    run: ({ identity, params, body }) => change(identity, params.token, body),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/endpoints/:token',
    area,
    summary: 'Change the fields that are sent, as the next version',
    params: byToken,
    body: EndpointChanges,
    status: 204,
    async run({ identity, params, body }) {
      await change(identity, params.token, body)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/endpoints/:token',
    area,
    summary: 'Delete an endpoint and its versions',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      const endpoint = await endpoints.remove(identity.account.id, params.token)
      if (!endpoint) throw noEndpoint()
      onChanged(endpoint)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/endpoints/:token/versions',
    area,
    summary: 'The versions of an endpoint, newest first',
    params: byToken,
    status: 200,
    answer: z.array(EndpointVersion),
    run: async ({ identity, params }) => endpoints.versions((await endpointOf(identity, params.token)).id),
  })

  async function snapshotOf(identity: Identity, params: z.output<typeof byVersion>): Promise<EndpointSnapshot> {
    const { id } = await endpointOf(identity, params.token)
    const snapshot = await endpoints.version(id, params.version)
    if (!snapshot) throw new Fault('not_found', 'version not found')
    return snapshot
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/endpoints/:token/versions/:version',
    area,
    summary: 'An endpoint as it was in that version',
    params: byVersion,
    status: 200,
    answer: EndpointSnapshot,
    run: ({ identity, params }) => snapshotOf(identity, params),
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/endpoints/:token/versions/:version/restore',
    area,
    summary: 'Make that version the newest one',
    params: byVersion,
    status: 200,
    answer: EndpointRecord,
    async run({ identity, params }) {
      const snapshot: Record<string, unknown> = await snapshotOf(identity, params)
      const names = Object.keys(EndpointSettings.shape)
      const settings = EndpointSettings.parse(Object.fromEntries(names.map((name) => [name, snapshot[name]])))
      return change(identity, params.token, settings)
    },
  })
}

const noEndpoint = (): Fault => new Fault('not_found', 'There is no endpoint with this token.')
