/** The management query: SQL over the account's sources. */
import { z } from 'zod'
import { Fault } from '../../base/faults.ts'
import type { Answer } from '../../query/answer.ts'
import { FinishedJson, nothing, type Routes } from '../route.ts'

const MAX_ROWS = 1000

export function addQueryRoutes(routes: Routes, { answer, timeoutMs }: { answer: Answer; timeoutMs: number }): void {
  routes.add({
    ...nothing,
    method: 'GET',
    path: '/api/query',
    area: 'query',
    summary: `Run one read-only SQL statement; every source must be filtered on timestamp; at most ${MAX_ROWS} rows`,
    query: z.object({ sql: z.string().optional(), bq_sql: z.string().optional() }),
    status: 200,
    answer: z.object({ result: z.array(z.record(z.string(), z.unknown())) }),
    async run({ identity, query }) {
      const sql = query.bq_sql ?? query.sql
      if (!sql?.trim()) throw new Fault('bad_request', 'Give the query as ?sql=select …')
      const { json, rows, ms } = await answer({ accountId: identity.account.id, sql, maxRows: MAX_ROWS, timeoutMs })
      return new FinishedJson(
        Buffer.concat([Buffer.from('{"result":'), json, Buffer.from(`,"rows":${rows},"ms":${ms}}`)]),
      )
    },
  })
}
