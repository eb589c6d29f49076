/** Writes rows by `tabledata.insertAll`, in requests that BigQuery takes, and tells what became of them. */
import { z } from 'zod'
import { failed, type Outcome } from '../kind.ts'
import { tableName } from '../table-name.ts'
import type { LazyClient } from './client.ts'
import type { Row } from './encode.ts'
import { Problem } from './failures.ts'
import type { BigqueryOptions } from './options.ts'

const Answer = z.object({
  insertErrors: z.array(z.object({ index: z.int().default(0), errors: z.array(Problem).default([]) })).default([]),
})

/** Columns that a table has just got are not known everywhere at once. */
const NOT_YET = /no such field|missing in schema/i
const NOT_YET_AFTER_MS = 5_000

/** Rows of which BigQuery could not say yes or no. */
const PASSING = new Set(['stopped', 'timeout', 'backendError', 'internalError', 'rateLimitExceeded', 'quotaExceeded'])

type Refused = { index: number; reason: string }

export async function insert(
  client: LazyClient,
  { dataset_id }: Pick<BigqueryOptions, 'dataset_id'>,
  token: string,
  rows: Row[],
): Promise<Outcome> {
  const path = `/datasets/${dataset_id}/tables/${tableName(token)}/insertAll`
  const { insertErrors } = Answer.parse(await client.post(path, { skipInvalidRows: true, rows }))
  const refused: Refused[] = []
  for (const { index, errors } of insertErrors) {
    const [{ reason, message } = { reason: '', message: '' }] = errors
    if (NOT_YET.test(message)) return failed(`the table is being widened: ${message}`, false, NOT_YET_AFTER_MS)
    if (PASSING.has(reason)) return failed(message || reason)
    refused.push({ index, reason: message || reason || 'BigQuery refused the row' })
  }
  if (refused.length === 0) return { kind: 'accepted' }
  return { kind: 'accepted', refused: refused.sort((a, b) => a.index - b.index) }
}
