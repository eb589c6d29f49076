/** Sources: the records, their schema, their newest and their rejected events. */
import { z } from 'zod'
import type { Identity } from '../../../access/access.ts'
import { Fault, InvalidRecord } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Preview } from '../../../ingest/preview.ts'
import type { TextUse } from '../../../lql/lql.ts'
import type { Backend } from '../../../model/backend.ts'
import type { FlatFields } from '../../../model/fields.ts'
import { isSystemSource, NewSource, type Source, SourceChanges, SourceRecord } from '../../../model/source.ts'
import { byToken, FinishedJson, nothing, type Routes } from '../../route.ts'
import { addPreviewRoute } from './preview.ts'
import { type SourceParts, sourceRecord } from './record.ts'
import { dotSchema, jsonSchema } from './schema.ts'

export type Parts = SourceParts & {
  catalog: Catalog
  /** The fields a source has, flat; those of a fresh source are empty. */
  schemas: { flat(sourceToken: string): FlatFields | Promise<FlatFields> }
  /** At most 100 newest events, oldest first, as finished JSON text. */
  warehouse: { recent(source: Source): Promise<Buffer | string> }
  /** What is wrong with an LQL text; null when nothing is. */
  lql: { problem(text: string, use: TextUse): string | null }
  /** Waited for before the answer, so that whoever reads it finds the change in force. */
  onSourceChanged(source: Source): void | Promise<void>
  onSourceDeleted(source: Source): void | Promise<void>
  /** Deletes the events of a source that are stored now. */
  clearEvents(source: Source): Promise<void>
  preview: Preview
  homes: { at(accountId: number, token: string): Promise<Pick<Backend, 'id'>> }
}

const area = 'sources'

export function addSourceRoutes(routes: Routes, parts: Parts): void {
  const { catalog, schemas, warehouse, onSourceChanged, onSourceDeleted } = parts

  async function sourceOf({ account }: Identity, token: string): Promise<Source> {
    const source = await catalog.sources.byToken(account.id, token)
    if (!source) throw noSource()
    return source
  }

  async function change({ account }: Identity, token: string, changes: SourceChanges): Promise<Source> {
    checkLql(changes)
    if (changes.name !== undefined) await checkName(account.id, token, changes.name)
    const homeId = await homeIdOf(account.id, changes.home)
    const changed = await catalog.sources.update(account, token, changes)
    const isMoved = changed !== null && homeId !== undefined && homeId !== changed.home_id
    const source = isMoved ? await catalog.sources.move(changed, homeId) : changed
    if (!source) throw noSource()
    await onSourceChanged(source)
    return source
  }

  /** Undefined when nothing is said about it. */
  async function homeIdOf(accountId: number, home: string | null | undefined): Promise<number | null | undefined> {
    return typeof home === 'string' ? (await parts.homes.at(accountId, home)).id : home
  }

  /** Sources of the service keep their names, and no other gets them. */
  async function checkName(accountId: number, token: string, name: string): Promise<void> {
    const before = await catalog.sources.byToken(accountId, token)
    if (!before || before.name === name) return
    if (isSystemSource(before))
      throw new InvalidRecord({ name: ['cannot be changed: the service finds it by its name'] })
    if (isSystemSource({ name })) throw nameTaken()
  }

  function checkLql(changes: SourceChanges): void {
    const errors: Record<string, string[]> = {}
    for (const [field, use] of [
      ['drop_lql_string', 'filter'],
      ['default_search_lql', 'search'],
    ] as const) {
      const text = changes[field]
      const problem = text ? parts.lql.problem(text, use) : null
      if (problem !== null) errors[field] = [problem]
    }
    for (const [i, { lql }] of (changes.notifications?.patterns ?? []).entries()) {
      const problem = parts.lql.problem(lql, 'filter')
      if (problem !== null) errors[`notifications.patterns.${i}.lql`] = [problem]
    }
    if (Object.keys(errors).length > 0) throw new InvalidRecord(errors)
  }

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources',
    area,
    summary: 'All sources, favourites first, then by name',
    status: 200,
    answer: z.array(SourceRecord),
    async run({ identity }) {
      const sources = await catalog.sources.list(identity.account.id)
      return Promise.all(sources.map((source) => sourceRecord(source, parts)))
    },
  })

  routes.add({
    ...nothing,
    method: 'POST',
    path: '/api/sources',
    area,
    summary: 'Make a source',
    body: NewSource,
    status: 201,
    answer: SourceRecord,
    async run({ identity, body }) {
      checkLql(body)
      if (isSystemSource(body)) throw nameTaken()
      const { account } = identity
      const source = await catalog.sources.create(account, body, await homeIdOf(account.id, body.home))
      await onSourceChanged(source)
      return sourceRecord(source, parts)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token',
    area,
    summary: 'One source',
    params: byToken,
    status: 200,
    answer: SourceRecord,
    run: async ({ identity, params }) => sourceRecord(await sourceOf(identity, params.token), parts),
  })

  routes.add({
    ...nothing,
    method: 'PUT',
    path: '/api/sources/:token',
    area,
    summary: 'Change the fields that are sent and answer the record',
    params: byToken,
    body: SourceChanges,
    status: 200,
    answer: SourceRecord,
    run: async ({ identity, params, body }) => sourceRecord(await change(identity, params.token, body), parts),
  })

  routes.add({
    ...nothing,
    method: 'PATCH',
    path: '/api/sources/:token',
    area,
    summary: 'Change the fields that are sent',
    params: byToken,
    body: SourceChanges,
    status: 204,
    async run({ identity, params, body }) {
      await change(identity, params.token, body)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/sources/:token',
    area,
    summary: 'Delete a source and its events',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      const source = await catalog.sources.remove(identity.account.id, params.token)
      if (!source) throw noSource()
      await onSourceDeleted(source)
      return undefined
    },
  })

  routes.add({
    ...nothing,
    method: 'DELETE',
    path: '/api/sources/:token/events',
    area,
    summary: 'Delete all events of a source; its settings and fields stay',
    params: byToken,
    status: 204,
    async run({ identity, params }) {
      await parts.clearEvents(await sourceOf(identity, params.token))
      return undefined
    },
  })

  addPreviewRoute(routes, { ...parts, sourceOf, checkLql })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/schema',
    area,
    summary: 'The fields of a source, as JSON Schema or (variant=dot) as path → type',
    params: byToken,
    query: z.object({ variant: z.string().optional() }),
    status: 200,
    answer: z.record(z.string(), z.unknown()),
    async run({ identity, params, query }) {
      const source = await sourceOf(identity, params.token)
      const flat = await schemas.flat(source.token)
      return { ...(query.variant === 'dot' ? dotSchema(flat) : jsonSchema(source, flat)) }
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/recent',
    area,
    summary: 'At most 100 newest events, oldest first',
    params: byToken,
    status: 200,
    answer: z.array(z.record(z.string(), z.unknown())),
    run: async ({ identity, params }) =>
      new FinishedJson(await warehouse.recent(await sourceOf(identity, params.token))),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/rejected',
    area,
    summary: 'At most 100 last rejected events, newest first',
    params: byToken,
    status: 200,
    answer: z.array(z.object({ at: z.iso.datetime(), reason: z.string(), event: z.unknown() })),
    run: async ({ identity, params }) => catalog.rejected.list((await sourceOf(identity, params.token)).id),
  })
}

const noSource = (): Fault => new Fault('not_found', 'There is no source with this token.')

const nameTaken = (): InvalidRecord => new InvalidRecord({ name: ['is kept for what the service tells of itself'] })
