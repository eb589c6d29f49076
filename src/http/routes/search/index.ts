/** Search in LQL: pages of events, charts, facets, single events, suggestions. */
import { z } from 'zod'
import { Fault } from '../../../base/faults.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { FACET_FIELDS_MAX, FACET_VALUES_MAX } from '../../../query/search/facets.ts'
import type { Search } from '../../../query/search/search.ts'
import { byToken, FinishedJson, nothing, type Routes } from '../../route.ts'
import { addExportRoutes, type ExportParts } from './export.ts'
import { addLqlRoutes, type LqlParts } from './lql.ts'
import { asked, createQuestionOf } from './question.ts'
import { addSavedSearchRoutes } from './saved-searches.ts'
import { sourceOf } from './source.ts'

export type Parts = LqlParts & ExportParts & { catalog: Catalog; search: Search }

export const PAGE_MAX = 1_000
const PAGE_USUAL = 100
const FACET_VALUES_USUAL = 10

const area = 'search'

const Event = z.looseObject({ id: z.string(), timestamp: z.int(), event_message: z.string().nullable() })
const Range = z.tuple([z.int(), z.int()])
const warnings = z.array(z.string()).optional()

export function addSearchRoutes(routes: Routes, parts: Parts): void {
  const { catalog, search } = parts
  addLqlRoutes(routes, parts)
  addSavedSearchRoutes(routes, parts)
  addExportRoutes(routes, parts)

  const questionOf = createQuestionOf(catalog)

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/search',
    area,
    summary: `The events that an LQL query finds, newest first, at most ${PAGE_MAX} a page; \`next\` is the \`before\` (or \`after\`) of the next page`,
    params: byToken,
    query: z.object({
      ...asked,
      limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_USUAL),
      before: z.string().optional(),
      after: z.string().optional(),
    }),
    status: 200,
    answer: z.object({
      events: z.array(Event),
      next: z.string().nullable(),
      lql: z.string(),
      range: Range,
      warnings,
    }),
    async run({ params, query, ...call }) {
      const { before, after, limit } = query
      const question = await questionOf(call, params.token, query)
      const { events, ...rest } = await search.page({ ...question, before, after, limit })
      return finished({ events }, withoutNone(rest))
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/search/chart',
    area,
    summary: 'One value per period of the events that an LQL query finds; c: clauses choose aggregate and period',
    params: byToken,
    query: z.object(asked),
    status: 200,
    answer: z.object({
      period: z.string(),
      buckets: z.array(z.looseObject({ timestamp: z.int(), value: z.union([z.number(), z.string()]) })),
      range: Range.nullable(),
      lql: z.string(),
      breakdown: z.object({ field: z.string(), keys: z.array(z.string()) }).nullable(),
      warnings,
    }),
    run: async ({ params, query, ...call }) =>
      withoutNone(await search.chart(await questionOf(call, params.token, query))),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/search/facets',
    area,
    summary: `The most frequent values of at most ${FACET_FIELDS_MAX} fields among the events that an LQL query finds`,
    params: byToken,
    query: z.object({
      ...asked,
      /** Separated by commas; without any, the first fields of the source. */
      fields: z.string().max(10_000).default(''),
      values: z.coerce.number().int().min(1).max(FACET_VALUES_MAX).default(FACET_VALUES_USUAL),
    }),
    status: 200,
    answer: z.object({
      facets: z.array(
        z.object({
          field: z.string(),
          values: z.array(z.object({ value: z.unknown(), count: z.int() })),
          more: z.boolean(),
        }),
      ),
      total: z.int(),
      approximate: z.boolean(),
      range: Range,
      lql: z.string(),
    }),
    async run({ params, query, ...call }) {
      const fields = query.fields
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '')
      return search.facets({ ...(await questionOf(call, params.token, query)), fields, values: query.values })
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/suggest',
    area,
    summary: 'What can be typed at a place in an LQL query',
    params: byToken,
    query: z.object({ lql: z.string().max(10_000).default(''), position: z.coerce.number().int().min(0).optional() }),
    status: 200,
    answer: z.object({
      from: z.int(),
      to: z.int(),
      items: z.array(z.object({ kind: z.string(), text: z.string(), detail: z.string().nullable() })),
    }),
    async run({ identity, params, query: { lql, position = lql.length }, signal }) {
      const source = await sourceOf(catalog, identity, params.token)
      return search.suggest({ source, lql, position: Math.min(position, lql.length), signal })
    },
  })

  const byId = z.object({ token: z.uuid(), id: z.string().min(1) })
  const near = z.object({ timestamp: z.coerce.number().int().min(0).optional() })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/events/:id',
    area,
    summary: 'One event; with its `timestamp` (microseconds) it is found sooner',
    params: byId,
    query: near,
    status: 200,
    answer: Event,
    async run({ identity, params, query, signal }) {
      const source = await sourceOf(catalog, identity, params.token)
      const event = await search.event({ source, id: params.id, nearUs: query.timestamp, signal })
      if (!event) throw noEvent()
      return new FinishedJson(event)
    },
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/events/:id/context',
    area,
    summary: 'One event with the 50 events before and the 50 after it, oldest first',
    params: byId,
    query: near,
    status: 200,
    answer: z.object({ before: z.array(Event), event: Event, after: z.array(Event) }),
    async run({ identity, params, query, signal }) {
      const source = await sourceOf(catalog, identity, params.token)
      const context = await search.context({ source, id: params.id, nearUs: query.timestamp, signal })
      if (!context) throw noEvent()
      return finished(context, {})
    },
  })
}

const noEvent = (): Fault => new Fault('not_found', 'There is no event with this id in this source.')

const withoutNone = <Answer extends { warnings: string[] }>({ warnings: given, ...rest }: Answer) =>
  given.length > 0 ? { ...rest, warnings: given } : rest

/** Members that are JSON text already, then those that are not. */
function finished(texts: Record<string, Buffer>, rest: object): FinishedJson {
  const members = Object.entries(texts).flatMap(([name, text], i) => [
    Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`),
    text,
  ])
  const others = JSON.stringify(rest).slice(1, -1)
  return new FinishedJson(Buffer.concat([Buffer.from('{'), ...members, Buffer.from(`${others && `,${others}`}}`)]))
}
