/** Backends: the records, which sources they are attached to, how delivery goes, and what receivers refused. */
import { z } from 'zod'
import type { Identity } from '../../access/access.ts'
import { BACKEND_TYPES, backendRecord, backendTypes, settleConfig } from '../../backends/backends.ts'
import type { Delivery } from '../../backends/delivery/delivery.ts'
import { LETTERS_AT_ONCE } from '../../backends/delivery/retry.ts'
import { canBeHome } from '../../backends/homes.ts'
import { Fault, InvalidRecord } from '../../base/faults.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type Backend, BackendChanges, BackendRecord, BackendStatus, NewBackend } from '../../model/backend.ts'
import { BackendType } from '../../model/backend-type.ts'
import type { Source } from '../../model/source.ts'
import { byToken, nothing, type Routes } from '../route.ts'

export type BackendParts = {
  catalog: Catalog
  delivery: Pick<Delivery, 'refresh' | 'status' | 'probe' | 'retry'>
  /** Waited for before the answer, so that whoever reads it finds the change in force. */
  onSourceChanged(source: Source): void | Promise<void>
}

const area = 'backends'
const LETTERS = 100
const LETTERS_MAX = 1_000

const Letter = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  source: z.uuid(),
  reason: z.string(),
  event: z.record(z.string(), z.unknown()),
})
const pair = z.object({ token: z.uuid(), backend_token: z.uuid() })
const METADATA = /^metadata\[(.+)\]$/

export function addBackendRoutes(routes: Routes, { catalog, delivery, onSourceChanged }: BackendParts): void {
  const { backends, deadLetters } = catalog

  async function backendOf({ account }: Identity, token: string): Promise<Backend> {
    const backend = await backends.byToken(account.id, token)
    if (!backend) throw new Fault('not_found', 'There is no backend with this token.')
    return backend
  }

  async function pairOf(
    identity: Identity,
    { token, backend_token }: z.infer<typeof pair>,
  ): Promise<[Source, Backend]> {
    const source = await catalog.sources.byToken(identity.account.id, token)
    if (!source) throw new Fault('not_found', 'There is no source with this token.')
    return [source, await backendOf(identity, backend_token)]
  }

  async function change(identity: Identity, token: string, sent: BackendChanges): Promise<Backend> {
    const stored = await backendOf(identity, token)
    assertOwn(stored)
    if (sent.type !== undefined && sent.type !== stored.type) throw new InvalidRecord({ type: ['cannot be changed'] })
    const settler = await settlerOf(identity, stored, sent)
    const changed = await backends.update(stored, {
      ...(sent['default_ingest?'] === undefined ? {} : { 'default_ingest?': sent['default_ingest?'] }),
      name: sent.name ?? stored.name,
      description: sent.description === undefined ? stored.description : sent.description,
      config: settleConfig(stored.type, sent.config ?? {}, stored.config),
      metadata: sent.metadata === undefined ? stored.metadata : (sent.metadata ?? {}),
    })
    if (!changed) throw new Fault('not_found', 'There is no backend with this token.')
    if (settler) await settle(settler, sent['default_ingest?'] ? changed.id : null)
    await delivery.refresh()
    return changed
  }

  /** The source that the change makes live here, or no longer. */
  async function settlerOf({ account }: Identity, { id, type, ...stored }: Backend, sent: BackendChanges) {
    const { source_id: sourceId, 'default_ingest?': isDefault } = sent
    if (isDefault) assertDefault(type)
    if (isDefault === undefined || sourceId === undefined || sourceId === null) {
      // A record that was read may be sent back.
      if (!isDefault || stored['default_ingest?']) return null
      throw refused('Please select a source when enabling default ingest')
    }
    const source = (await catalog.sources.list(account.id)).find((one) => one.id === sourceId)
    if (!source) throw refused('Source not found')
    if (isDefault && !source['default_ingest_backend_enabled?'])
      throw refused('Source must have default ingest backend support enabled')
    return isDefault || source.home_id === id ? source : null
  }

  async function settle(source: Source, homeId: number | null): Promise<void> {
    const moved = await catalog.sources.move(source, homeId)
    if (moved) await onSourceChanged(moved)
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/backends',
    area,
    summary: 'All backends, oldest first; with ?metadata[key]=value only those whose metadata is exactly that',
    query: z.looseObject({}),
    status: 200,
    answer: z.array(BackendRecord),
    async run({ identity, query }) {
      const asked = askedMetadata(query)
      const listed = await backends.list(identity.account.id)
      return listed.filter(({ metadata }) => asked === null || isSame(metadata, asked)).map(backendRecord)
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/backends',
    area,
    summary: `Make a backend of one of the types ${BACKEND_TYPES.join(', ')}`,
    body: NewBackend,
    status: 201,
    answer: BackendRecord,
    async run({ identity, body: { name, type, description = null, config, metadata, ...more } }) {
      const isDefault = more['default_ingest?'] ?? false
      if (isDefault) assertDefault(type)
      const settings = {
        'default_ingest?': isDefault,
        name,
        description,
        config: settleConfig(type, config),
        metadata: metadata ?? {},
      }
      const backend = await backends.create(identity.account.id, { type, ...settings })
      await delivery.refresh()
      return backendRecord(backend)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/backends/types',
    area,
    summary: 'The types of backends and the fields of their config, as a form needs them',
    status: 200,
    answer: z.array(BackendType),
    run: async () => backendTypes(),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/backends/:token',
    area,
    summary: 'One backend; secrets read as REDACTED',
    params: byToken,
    status: 200,
    answer: BackendRecord,
    run: async ({ identity, params }) => backendRecord(await backendOf(identity, params.token)),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/backends/:token',
    area,
    summary: 'Change the fields that are sent and answer the record; config is merged, REDACTED keeps what is stored',
    params: byToken,
    body: BackendChanges,
    status: 200,
    answer: BackendRecord,
    run: async ({ identity, params, body }) => backendRecord(await change(identity, params.token, body)),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/backends/:token',
    area,
    summary: 'Change the fields that are sent; config is merged, REDACTED keeps what is stored',
    params: byToken,
    body: BackendChanges,
    status: 204,
    async run({ identity, params, body }) {
      await change(identity, params.token, body)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/backends/:token',
    area,
    summary:
      'Delete a backend and its dead letters; refused while sources, rules or alerts send to it; the rules of a log drain go with it',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      const backend = await backendOf(identity, params.token)
      assertOwn(backend)
      await backends.remove(backend)
      await delivery.refresh()
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/backends/:token/test',
    area,
    summary: 'Whether the receiver can be reached; sends no events',
    params: byToken,
    body: z.unknown(),
    status: 200,
    answer: z.object({
      'connected?': z.boolean(),
      /** For programs; `message` says the same for people. */
      reason: z.string().optional(),
      message: z.string().optional(),
    }),
    async run({ identity, params }) {
      const probe = await delivery.probe(await backendOf(identity, params.token))
      if (probe.ok) return { 'connected?': true }
      const { reason, message } = probe
      return { 'connected?': false, reason, ...(message === undefined ? {} : { message }) }
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/backends/:token/status',
    area,
    summary: 'How delivery goes: state, what waits, what was counted since the service started, the last error',
    params: byToken,
    status: 200,
    answer: BackendStatus,
    run: async ({ identity, params }) => delivery.status(await backendOf(identity, params.token)),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/backends/:token/dead-letters',
    area,
    summary: 'Events that the receiver refused, oldest first, with the reason',
    params: byToken,
    query: z.object({
      limit: z.coerce.number().pipe(z.int().min(1).max(LETTERS_MAX)).optional(),
      after: z.coerce.number().pipe(z.int().min(0)).optional(),
    }),
    status: 200,
    answer: z.array(Letter),
    async run({ identity, params, query: { limit = LETTERS, after = 0 } }) {
      const { id } = await backendOf(identity, params.token)
      const letters = await deadLetters.list(id, { limit, afterId: after })
      return letters.map((letter) => ({ ...letter, event: JSON.parse(letter.event) }))
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/backends/:token/dead-letters/retry',
    area,
    summary: `Send the oldest ${LETTERS_AT_ONCE} dead letters again; those that are taken are dead letters no more`,
    params: byToken,
    body: z.unknown(),
    status: 200,
    answer: z.object({
      /** How many were sent again, whatever became of them. */
      tried: z.int(),
      delivered: z.int(),
      remaining: z.int(),
      /** Why some are dead letters still, or why nothing more was tried. */
      error: z.string().nullable(),
    }),
    run: async ({ identity, params }) => delivery.retry(await backendOf(identity, params.token)),
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/backends/:token/dead-letters',
    area,
    summary: 'Forget all dead letters',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      await deadLetters.clear((await backendOf(identity, params.token)).id)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/sources/:token/backends/:backend_token',
    area,
    summary: 'Attach a backend: it gets every event of the source from now on',
    params: pair,
    body: z.unknown(),
    status: 200,
    answer: BackendRecord,
    async run({ identity, params }) {
      const [source, backend] = await pairOf(identity, params)
      await backends.attach(source.id, backend.id)
      await delivery.refresh()
      return backendRecord(backend)
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/sources/:token/backends/:backend_token',
    area,
    summary: 'Detach a backend; events that still wait for it are not sent',
    params: pair,
    status: 204,
    async run({ identity, params }) {
      const [source, backend] = await pairOf(identity, params)
      if (!(await backends.detach(source.id, backend.id)))
        throw new Fault('not_found', 'This backend is not attached to this source.')
      await delivery.refresh()
      return undefined
    },
  })
}

const refused = (reason: string): InvalidRecord => new InvalidRecord({ 'default_ingest?': [reason] })

function assertDefault(type: string): void {
  if (!canBeHome(type)) throw refused(`Backend type ${type} does not support default ingest`)
}

function assertOwn({ managed }: Backend): void {
  if (managed) throw new Fault('conflict', 'This backend is the one that the settings of the deployment name.')
}

/** Null when nothing is asked. */
function askedMetadata(query: Record<string, unknown>): Record<string, unknown> | null {
  const asked = Object.entries(query).flatMap(([name, value]) => {
    const key = METADATA.exec(name)?.[1]
    return key === undefined ? [] : [[key, value === 'true' ? true : value === 'false' ? false : value]]
  })
  return asked.length === 0 ? null : Object.fromEntries(asked)
}

function isSame(stored: Record<string, unknown>, asked: Record<string, unknown>): boolean {
  const names = Object.keys(stored)
  return names.length === Object.keys(asked).length && names.every((name) => stored[name] === asked[name])
}
