/**
 * The read flow: a query in warehouse SQL comes in, finished JSON rows go out.
 *
 * Promises: one read-only statement over the account's own sources; values of parameters are bound, never part of the
 * text; every acknowledged event is seen; at most `maxRows` rows. Refuses with a sentence the caller can act on; nothing
 * of the engine's inside is in it.
 */
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { FlatFields } from '../model/fields.ts'
import { describeError } from '../sql/describe.ts'
import { type Prepared, type Sql, withinStack } from '../sql/sql.ts'
import type { QueryCost } from '../warehouse/protocol.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { bindParameters, type Values } from './bind.ts'
import { commonHome } from './common-home.ts'
import type { Composition } from './compose.ts'
import type { AccountNames, Names } from './names.ts'

export type Question = {
  accountId: number
  query: Composition
  /** By name; what the query does not ask for is ignored, what it asks for and is not here is NULL. */
  values: Values
  /** Recorded where the query runs, if that is elsewhere. */
  labels?: Readonly<Record<string, string>>
  /** A caller's own query stands in it. */
  isSandboxed?: boolean
  requireTimestamp: boolean
  maxRows: number
  timeoutMs: number
  /** The caller went away. */
  signal?: AbortSignal
}

export type Rows = {
  /** A list of objects. */
  json: Buffer
  cost: QueryCost
  /** Tokens of the sources that were read. */
  sources: string[]
}

export type AnswerParts = {
  sql: Sql
  names: Names
  schemas: { journaled(token: string): FlatFields }
  warehouse: Pick<Warehouse, 'query'>
  /** For sources that live in a backend. */
  atHome: AnswerAtHome
  clock: Clock
}

export type Answer = (question: Question) => Promise<Rows>

/** The same, on the backend with this id. */
export type AnswerAtHome = (homeId: number, question: Question, known: AccountNames) => Promise<Rows>

export function createAnswer({ sql, names, schemas, warehouse, atHome, clock }: AnswerParts): Answer {
  return async function answer(question) {
    const { accountId, query, values, requireTimestamp, maxRows, timeoutMs, signal } = question
    const known = await names.of(accountId)
    const prepared = prepare(query, known, { values, requireTimestamp }, { sql, schemas, clock })
    const { text, sources } = prepared
    const home = commonHome(sources, known)
    if (home !== null) return atHome(home, question, known)
    const parameters = bindParameters(prepared.parameters, values)
    const tables = sources.map(({ name: _, ...table }) => table)
    try {
      const { body, cost } = await warehouse.query({ text, tables, parameters, maxRows, timeoutMs }, signal)
      return { json: body, cost, sources: tables.map(({ token }) => token) }
    } catch (error) {
      throw readable(error, sources)
    }
  }
}

/** The query as the engine gets it. */
export function prepare(
  query: Composition,
  known: AccountNames,
  { values, requireTimestamp }: Pick<Question, 'values' | 'requireTimestamp'>,
  { sql, schemas, clock }: Pick<AnswerParts, 'sql' | 'schemas' | 'clock'>,
): Prepared {
  return sql.prepare({
    sql: withinStack(() => query(known)),
    resolve: known.sourceToken,
    fields: schemas.journaled,
    requireTimestamp,
    boundsKept: true,
    parameters: values,
    nowUs: clock.nowMs() * 1000,
  })
}

function readable(error: unknown, sources: { table: string; name: string }[]): unknown {
  if (!(error instanceof Fault) || error.code !== 'query_failed') return error
  return describeError(error.message, { names: Object.fromEntries(sources.map(({ table, name }) => [table, name])) })
}
