/** PostgreSQL as the home of sources. */
import type { Client } from 'pg'
import { Fault } from '../../base/faults.ts'
import type { Home } from '../kind.ts'
import { tableName } from '../table-name.ts'
import type { Connections } from './connections.ts'
import { codeOf } from './insert.ts'
import { faultOf } from './query.ts'
import { qualified, type Tables } from './tables.ts'

const NO_TABLE = '42P01'
const TIMEOUT_MS = 60_000

type Parts = { connections: Connections; tables: Tables; schema: string }

export function createHome({ connections, tables, schema }: Parts): Home {
  async function change(work: (client: Client) => Promise<unknown>): Promise<void> {
    try {
      await connections.use(work)
    } catch (error) {
      if (codeOf(error) !== NO_TABLE) throw faultOf(error, TIMEOUT_MS)
    }
  }
  const nameOf = (token: string): string => qualified(schema, tableName(token))

  return {
    prepare: (source) =>
      change(async (client) => {
        // What is thought to be there is looked at again: the caller found that something is not.
        tables.forget(source.token)
        await tables.prepare(client, source, new Set())
        await tables.sweep(client, source)
      }),
    clear: (token) => change((client) => client.query(`TRUNCATE TABLE ${nameOf(token)}`)),
    remove(token) {
      tables.forget(token)
      return change((client) => client.query(`DROP TABLE IF EXISTS ${nameOf(token)}`))
    },
    isMissing: (error) =>
      error instanceof Fault &&
      typeof error.notes === 'object' &&
      error.notes !== null &&
      'code' in error.notes &&
      error.notes.code === NO_TABLE,
    event({ id, timestamp, event_message, body }) {
      return { id, timestamp, event_message, ...(typeof body === 'object' ? body : {}) }
    },
  }
}
