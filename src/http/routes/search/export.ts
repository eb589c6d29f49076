/** A search to take away: as SQL to go on with, or as a file. */
import { z } from 'zod'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { Answer } from '../../../query/answer.ts'
import { typed } from '../../../query/compose.ts'
import { type Encode, MEDIA_TYPES } from '../../../query/formats/formats.ts'
import type { Search } from '../../../query/search/search.ts'
import { byToken, FinishedBody, nothing, type Routes } from '../../route.ts'
import { asked, createQuestionOf } from './question.ts'

/** A file is made whole in memory before it is sent. */
export const EXPORT_MAX = 10_000

export type ExportParts = { catalog: Catalog; search: Search; answer: Answer; encode: Encode; timeoutMs: number }

export function addExportRoutes(routes: Routes, { catalog, search, answer, encode, timeoutMs }: ExportParts): void {
  const area = 'search'
  const questionOf = createQuestionOf(catalog)

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/search/sql',
    area,
    summary: 'An LQL query as warehouse SQL: the events it finds, and its chart',
    params: byToken,
    query: z.object(asked),
    status: 200,
    answer: z.object({ events: z.string(), chart: z.string() }),
    run: async ({ params, query, ...call }) => search.asSql(await questionOf(call, params.token, query)),
  })

  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/sources/:token/search/export',
    area,
    summary: `The newest events that an LQL query finds, at most ${EXPORT_MAX}, as a file; the header x-truncated says whether there are more`,
    params: byToken,
    query: z.object({ ...asked, format: z.enum(['csv', 'ndjson', 'parquet']).default('ndjson') }),
    status: 200,
    answer: z.string(),
    contentType: MEDIA_TYPES.ndjson,
    async run({ params, query, setHeader, ...call }) {
      const question = await questionOf(call, params.token, query)
      const { json, cost } = await answer({
        accountId: call.identity.account.id,
        query: typed(search.asSql(question).events),
        values: {},
        requireTimestamp: true,
        maxRows: EXPORT_MAX,
        timeoutMs,
        signal: call.signal,
      })
      setHeader('content-disposition', `attachment; filename="events.${query.format}"`)
      setHeader('x-truncated', String(cost.truncated))
      return new FinishedBody(MEDIA_TYPES[query.format], await encode({ json, columns: cost.columns }, query.format))
    },
  })
}
