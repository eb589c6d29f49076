/**
 * The read flow: a query in warehouse SQL comes in, finished JSON rows go out.
 *
 * Promises: one read-only statement over the account's own sources; every acknowledged event is seen; at most `maxRows`
 * rows. Refuses with a sentence the caller can act on; nothing of the engine's inside is in it.
 */
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { FlatFields } from '../model/fields.ts'
import type { Source } from '../model/source.ts'
import { describeError } from '../sql/describe.ts'
import type { Sql } from '../sql/sql.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'

export type Question = {
  accountId: number
  sql: string
  maxRows: number
  timeoutMs: number
  /** The caller went away. */
  signal?: AbortSignal
}

export type Rows = { json: Buffer; rows: number; ms: number }

export type AnswerParts = {
  sql: Sql
  sources: { list(accountId: number): Promise<Source[]> }
  schemas: { journaled(token: string): FlatFields }
  warehouse: Pick<Warehouse, 'query'>
  clock: Clock
}

export type Answer = (question: Question) => Promise<Rows>

export function createAnswer({ sql, sources, schemas, warehouse, clock }: AnswerParts): Answer {
  return async function answer({ accountId, sql: text, maxRows, timeoutMs, signal }) {
    const tokens = new Map((await sources.list(accountId)).map((source) => [source.name, source.token]))
    const prepared = sql.prepare({
      sql: text,
      resolve: (name) => tokens.get(name),
      fields: (token) => schemas.journaled(token),
      requireTimestamp: true,
      nowUs: clock.nowMs() * 1000,
    })
    if (prepared.parameters.length > 0)
      throw new Fault(
        'bad_request',
        `This query has parameters (@${prepared.parameters[0]!.name}); give values instead.`,
      )
    const tables = prepared.sources.map(({ table, token, fromUs, toUs }) => ({ table, token, fromUs, toUs }))
    try {
      const { body, cost } = await warehouse.query({ text: prepared.text, tables, maxRows, timeoutMs }, signal)
      return { json: body, rows: cost.rows, ms: cost.ms }
    } catch (error) {
      throw readable(error, prepared.sources)
    }
  }
}

function readable(error: unknown, sources: { table: string; name: string }[]): unknown {
  if (!(error instanceof Fault) || error.code !== 'query_failed') return error
  return describeError(error.message, { names: Object.fromEntries(sources.map(({ table, name }) => [table, name])) })
}
