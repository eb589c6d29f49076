/** ClickHouse as the home of sources. */
import { Fault } from '../../base/faults.ts'
import type { Home } from '../kind.ts'
import { tableName } from '../table-name.ts'
import { columnsOf } from './columns.ts'
import type { ClickhouseOptions } from './options.ts'
import { faultOf } from './query.ts'
import { qualified, quoteName, type Tables } from './tables.ts'

/** Unknown table, and the three ways in which the engine says that it has no such column. */
const MISSING = new Set(['60', '47', '16', '10'])
const TIMEOUT_MS = 60_000

type Parts = {
  tables: Tables
  options: Pick<ClickhouseOptions, 'database' | 'cluster'>
  command(text: string): Promise<void>
}

export function createHome({ tables, options, command }: Parts): Home {
  const onCluster = options.cluster === undefined ? '' : ` ON CLUSTER ${quoteName(options.cluster)}`
  const nameOf = (token: string): string => qualified(options.database, tableName(token)) + onCluster
  const change = (work: Promise<void>): Promise<void> =>
    work.catch((error) => {
      throw faultOf(error, TIMEOUT_MS)
    })

  return {
    prepare(source) {
      // What is thought to be there is looked at again: the caller found that something is not.
      tables.forget(source.token)
      return change(tables.prepare(source, columnsOf([], source.fields())))
    },
    clear: (token) => change(command(`TRUNCATE TABLE IF EXISTS ${nameOf(token)}`)),
    remove(token) {
      tables.forget(token)
      return change(command(`DROP TABLE IF EXISTS ${nameOf(token)}`))
    },
    isMissing: (error) =>
      error instanceof Fault &&
      typeof error.notes === 'object' &&
      error.notes !== null &&
      'code' in error.notes &&
      MISSING.has(String(error.notes.code)),
    event: ({ id, timestamp, event_message, ...rest }) => ({
      ...{ id, timestamp, event_message },
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => isSomething(value))),
    }),
  }
}

/** Columns that an event does not have are null or empty; what carries no value was not stored. */
function isSomething(value: unknown): boolean {
  if (value === null || value === undefined) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
