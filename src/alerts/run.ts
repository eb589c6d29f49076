/**
 * Alerts: queries that run on a schedule (`scheduler.ts`), and tell somebody when what they find meets their condition
 * (`fire.ts`). Here is the part that belongs to queries. They are tables of other queries as well.
 *
 * Promises of a run: rows of the alert's account only, at most 1000; a line in the log of queries, also when it fails.
 * Refuses what the read flow refuses, and a query that leads back to itself.
 */
import type { Stores } from '../backends/stores.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import { lqlAsSql } from '../endpoints/lql.ts'
import { backendOf } from '../endpoints/place.ts'
import { ALERT_ROWS_MAX, type Alert } from '../model/alert.ts'
import type { FlatFields } from '../model/fields.ts'
import { type Answer, prepare, type Rows } from '../query/answer.ts'
import { type Composition, expanded, written } from '../query/compose.ts'
import type { AccountNames } from '../query/names.ts'
import type { AnswerNative } from '../query/native.ts'
import type { QueryRecorder } from '../query/recorder.ts'
import type { Composed, Sql } from '../sql/sql.ts'
import { ownName } from './tables.ts'

/** `token` is the description of the token that asked, for the log. */
export type RunAlert = (alert: Alert, asked: { token: string | null; signal: AbortSignal }) => Promise<Rows>

type Parts = {
  answer: Answer
  /** For alerts that run on a backend. */
  native: AnswerNative
  stores: Pick<Stores, 'first'>
  recorder: QueryRecorder
  sql: Sql
  schemas: { journaled(token: string): FlatFields }
  clock: Clock
  timeoutMs: number
}

export function createRun({ answer, native, stores, recorder, timeoutMs, ...parts }: Parts): RunAlert {
  return async function run(alert, { token, signal }) {
    const labels = { alert: alert.token }
    const note = ({ rows = 0, bytesScanned = 0, ms = 0 }: Partial<Rows['cost']>, error: string | null): void =>
      recorder.note(alert.account_id, {
        ...{ kind: 'alert', endpoint: null, version: null, labels, cached: false },
        ...{ rows, bytes_scanned: bytesScanned, ms, error, token },
      })
    try {
      const { account_id: accountId, query: sql, source_mapping: mapping } = alert
      const asked = { accountId, values: {}, requireTimestamp: false, maxRows: ALERT_ROWS_MAX, timeoutMs, signal }
      const backendId = await backendOf(alert, accountId, stores)
      const query = compose(alert)
      const rows =
        backendId === null
          ? await answer({ ...asked, query })
          : await native({ ...asked, backendId, sql, query, mapping, labels })
      note(rows.cost, null)
      return rows
    } catch (error) {
      note({}, error instanceof Fault ? error.message : 'internal error')
      throw error
    }
  }

  function compose(alert: Alert): Composition {
    return written(alert.query, (names) => {
      if (alert.language !== 'lql') return composed(alert.query, alert, names)
      const columnsOf = (query: string) =>
        prepare(() => composed(query, alert, names), names, { values: {}, requireTimestamp: false }, parts).columns
      return composed(lqlAsSql(alert.query, { columnsOf, nowMs: parts.clock.nowMs() }), alert, names)
    })
  }
}

function composed(query: string, alert: Alert, names: AccountNames): Composed {
  const { source_mapping } = alert
  const self = ownName(alert, names)
  return {
    key: `${names.mark} alert ${JSON.stringify([self, query, source_mapping])}`,
    tree: () => expanded(names.tree({ query, source_mapping }), names, self),
  }
}
