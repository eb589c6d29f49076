/** PostgreSQL: keeps the events of each source in a table of its own, and answers queries in its own dialect. */
import { defineKind, type Origin } from '../kind.ts'
import { tableName } from '../table-name.ts'
import { createConnections } from './connections.ts'
import { encode } from './encode.ts'
import { outcomeOf, probeOf } from './failures.ts'
import { createHome } from './home.ts'
import { codeOf, insert } from './insert.ts'
import { Options } from './options.ts'
import { createStore } from './query.ts'
import { createTables, dayOf, qualified } from './tables.ts'

const SWEEP_EVERY_MS = 3_600_000
/** No partition for the row, or no table: somebody dropped it. */
const TABLE_IS_GONE = ['23514', '42P01']

export const postgres = defineKind({
  type: 'postgres',
  options: Options,
  secrets: ['password'],
  batch: { events: 5_000, bytes: 8_000_000 },
  dialect: 'postgres',
  isHome: true,
  connect(config, { timeoutMs }) {
    const connections = createConnections(config, timeoutMs)
    const tables = createTables({ schema: config.schema, nowMs: Date.now })
    const swept = new Map<string, number>()
    const seen = new Map<string, Origin>()
    const sweeper = setInterval(() => {
      for (const source of seen.values()) void sweep(source).catch(() => {})
    }, SWEEP_EVERY_MS)
    sweeper.unref()

    async function sweep(source: Origin): Promise<void> {
      if (Date.now() - (swept.get(source.token) ?? 0) < SWEEP_EVERY_MS / 2) return
      swept.set(source.token, Date.now())
      await connections.use((client) => tables.sweep(client, source))
    }

    async function write(source: Origin, rows: string, days: ReadonlySet<number>): Promise<void> {
      await connections.use(async (client) => {
        await tables.prepare(client, source, days)
        await insert(client, qualified(config.schema, tableName(source.token)), rows)
      })
    }

    return {
      async send({ source, events }) {
        const days = new Set(events.map(({ timestamp }) => dayOf(timestamp)))
        const rows = encode(events)
        seen.set(source.token, source)
        try {
          await write(source, rows, days).catch((error) => {
            if (!TABLE_IS_GONE.includes(codeOf(error) ?? '')) throw error
            tables.forget(source.token)
            return write(source, rows, days)
          })
          await sweep(source)
          return { kind: 'accepted' }
        } catch (error) {
          return outcomeOf(error)
        }
      },
      async probe() {
        try {
          const may = await connections.use(async (client) => {
            const { rows } = await client.query<{ may: boolean | null }>(
              `SELECT CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
               ELSE has_schema_privilege($1, 'CREATE') END AS may`,
              [config.schema],
            )
            return rows[0]?.may === true
          })
          return may ? { ok: true } : { ok: false, reason: 'permission_denied' }
        } catch (error) {
          return probeOf(error)
        }
      },
      stop() {
        clearInterval(sweeper)
        connections.stop()
      },
      store: {
        ...createStore({ connections, schema: config.schema }),
        home: createHome({ connections, tables, schema: config.schema }),
      },
    }
  },
})
