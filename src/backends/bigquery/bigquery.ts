/** BigQuery: keeps the events of each source in a table of its own, and answers queries in warehouse SQL. */
import type { StoredEvent } from '../../model/event-of-row.ts'
import { defineKind, failed, type Origin, type Outcome } from '../kind.ts'
import { createLazyClient } from './client.ts'
import { columnsOf } from './columns.ts'
import { encode } from './encode.ts'
import { failureOf, outcomeOf, probeOf } from './failures.ts'
import { createHome } from './home.ts'
import { insert } from './insert.ts'
import { createJobs } from './jobs.ts'
import { Options } from './options.ts'
import { createStore } from './query.ts'
import { createTables } from './tables.ts'

/** A table that was just made is not known everywhere at once. */
const NEW_TABLE_AFTER_MS = 5_000

export const bigquery = defineKind({
  type: 'bigquery',
  options: Options,
  secrets: ['credentials'],
  batch: { events: 500, bytes: 5_000_000, inFlight: 4 },
  dialect: 'bigquery',
  isHome: true,
  connect(config, { timeoutMs }) {
    const client = createLazyClient(config, timeoutMs)
    const jobs = createJobs({ options: config, client })
    const change = (statement: string): Promise<void> => jobs.change(statement, timeoutMs)
    const tables = createTables({ options: config, client, change })

    async function write(source: Origin, events: StoredEvent[]): Promise<Outcome> {
      const columns = await tables.prepare(source, columnsOf(events, source.fields()))
      return insert(client, config, source.token, encode(events, columns))
    }

    return {
      batch: { events: config.batch_rows, bytes: config.batch_bytes, inFlight: 4 },
      async send({ source, events }) {
        try {
          return await write(source, events).catch((error) => {
            if (failureOf(error).status !== 404) throw error
            tables.forget(source.token)
            return write(source, events)
          })
        } catch (error) {
          const { status, message } = failureOf(error)
          return status === 404 ? failed(message, false, NEW_TABLE_AFTER_MS) : outcomeOf(error)
        }
      },
      async probe() {
        try {
          await jobs.read({ text: 'SELECT 1' })
          const location = await tables.dataset()
          if (location.toLowerCase() === config.location.toLowerCase()) return { ok: true }
          const message = `The dataset ${config.dataset_id} is in ${location}, and not in ${config.location}.`
          return { ok: false, reason: 'wrong_location', message }
        } catch (error) {
          return probeOf(error, config)
        }
      },
      stop() {},
      store: { ...createStore({ options: config, jobs }), home: createHome({ options: config, tables, change }) },
    }
  },
})
