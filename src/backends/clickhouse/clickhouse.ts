/** ClickHouse: keeps the events of each source in a table of its own, and answers queries in its own dialect. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { StoredEvent } from '../../model/event-of-row.ts'
import { defineKind, type Origin } from '../kind.ts'
import { tableName } from '../table-name.ts'
import { createLazyClient } from './client.ts'
import { columnsOf } from './columns.ts'
import { encode } from './encode.ts'
import { codeOf, outcomeOf, probeOf } from './failures.ts'
import { createHome } from './home.ts'
import { Options } from './options.ts'
import { createStore } from './query.ts'
import { createTables, qualified } from './tables.ts'

/** Unknown table, or a column that it does not have (any more). */
const TABLE_CHANGED = new Set(['60', '16', '117'])

const INSERT_SETTINGS = {
  // A text stays the text it is.
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  max_partitions_per_insert_block: '0',
} as const

export const clickhouse = defineKind({
  type: 'clickhouse',
  options: Options,
  secrets: ['password'],
  batch: { events: 20_000, bytes: 16_000_000 },
  dialect: 'clickhouse',
  isHome: true,
  connect(config, { timeoutMs }) {
    const client = createLazyClient(config, timeoutMs)
    const command = async (query: string): Promise<void> => void (await (await client.get()).command({ query }))
    const tables = createTables({
      options: config,
      command,
      async describe(table) {
        const query = 'SELECT name, type FROM system.columns WHERE database = {d:String} AND table = {t:String}'
        const query_params = { d: config.database, t: table }
        const found = await (await client.get()).query({ query, query_params, format: 'JSONEachRow' })
        const rows = await found.json<{ name: string; type: string }>()
        return new Map(rows.map(({ name, type }) => [name, type]))
      },
    })

    async function write(source: Origin, events: StoredEvent[]): Promise<void> {
      await tables.prepare(source, columnsOf(events, source.fields()))
      const answer = await (await client.get()).exec({
        query: `INSERT INTO ${qualified(config.database, tableName(source.token))} FORMAT JSONEachRow`,
        values: Readable.from([Buffer.from(encode(events))], { objectMode: false }),
        clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplication_token: markOf(events) },
      })
      answer.stream.destroy()
    }

    return {
      async send({ source, events }) {
        try {
          await write(source, events).catch((error) => {
            if (!TABLE_CHANGED.has(codeOf(error))) throw error
            tables.forget(source.token)
            return write(source, events)
          })
          return { kind: 'accepted' }
        } catch (error) {
          return outcomeOf(error)
        }
      },
      async probe() {
        try {
          await (await client.get()).query({ query: 'SELECT 1', format: 'JSONEachRow' })
          return { ok: true }
        } catch (error) {
          return probeOf(error)
        }
      },
      stop: () => client.stop(),
      store: {
        ...createStore({ client, database: config.database }),
        home: createHome({ tables, options: config, command }),
      },
    }
  },
})

/** The same batch sent again is known by it, and not written twice. */
const markOf = (events: StoredEvent[]): string =>
  createHash('sha256')
    .update(events.map(({ id, timestamp }) => `${timestamp} ${id}`).join('\n'))
    .digest('hex')
