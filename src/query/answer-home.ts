/**
 * The read flow where sources live in a backend: warehouse SQL is translated for its engine, which gets one statement that
 * may only read, with a condition on the retention of every source in it.
 */
import type { Home, Store } from '../backends/kind.ts'
import { originOf } from '../backends/kind.ts'
import type { Stores } from '../backends/stores.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { FlatFields } from '../model/fields.ts'
import { DIALECTS } from '../sql/dialects/dialects.ts'
import { type Engine, type Prepared, type PreparedSource, type Sql, withinStack, withTables } from '../sql/sql.ts'
import type { AnswerAtHome } from './answer.ts'
import { bindParameters } from './bind.ts'
import type { AccountNames } from './names.ts'
import { type AnswerNative, readableFault } from './native.ts'

type Parts = {
  sql: Sql
  stores: Pick<Stores, 'ask'>
  native: AnswerNative
  schemas: { journaled(token: string): FlatFields; all(token: string): FlatFields }
  clock: Clock
}

const DAY_US = 86_400_000_000

export function createAnswerAtHome({ sql, stores, native, schemas, clock }: Parts): AnswerAtHome {
  return async (homeId, question, known) => {
    const { accountId, values, labels = {}, maxRows, timeoutMs, signal } = question
    const store = await stores.ask(accountId, homeId)
    const { home } = store
    if (!home) throw new Fault('unavailable', 'The backend in which these sources live cannot be asked.')
    // It speaks warehouse SQL itself.
    if (store.dialect === 'bigquery') return native({ ...question, labels, sql: '', backendId: homeId })
    if (question.isSandboxed && store.dialect === 'postgres')
      throw new Fault('bad_request', 'An endpoint on PostgreSQL takes no query of the caller: use parameters instead.')
    const prepared = sql.prepare({
      sql: withinStack(() => question.query(known)),
      dialect: engineOf(store),
      resolve: known.sourceToken,
      fields: schemas.journaled,
      requireTimestamp: question.requireTimestamp,
      parameters: values,
      nowUs: clock.nowMs() * 1000,
    })
    const text = withTables(prepared, (source) => tableOf(source, store, known))
    const bound = bindParameters(prepared.parameters, values)
    const statement = {
      ...{ text, labels, maxRows, timeoutMs },
      values: prepared.parameters.map(({ placeholder }) => bound[placeholder]?.value ?? null),
    }
    try {
      const { json, cost } = await store.query(statement, signal).catch(async (error) => {
        if (!home.isMissing(error)) throw error
        await prepareAll(prepared, home, known)
        return store.query(statement, signal)
      })
      return { json, cost, sources: prepared.sources.map(({ token }) => token) }
    } catch (error) {
      throw readableFault(error, known.sourceName)
    }
  }

  function tableOf({ token, fromUs }: PreparedSource, store: Store, known: AccountNames): string {
    const kept = clock.nowMs() * 1000 - known.retentionDays(token) * DAY_US
    return store.table(token, Math.max(kept, fromUs ?? kept), true)
  }

  /** No event has come yet, or none with a field that is known already. */
  async function prepareAll({ sources }: Prepared, home: Home, known: AccountNames): Promise<void> {
    for (const { token, name } of sources)
      await home.prepare(
        originOf({ token, name, service_name: null, retention_days: known.retentionDays(token) }, schemas.all),
      )
  }
}

const isEngine = (name: string): name is Engine => Object.hasOwn(DIALECTS, name)

/** An engine for which warehouse SQL can be written. */
function engineOf({ dialect }: Store): Engine {
  if (isEngine(dialect)) return dialect
  throw new Fault('bad_request', `Warehouse SQL cannot be run on ${dialect}.`)
}
