/** Tables of sources: made when the first event comes, widened when a new field comes, emptied by their TTL. */
import type { Origin } from '../kind.ts'
import { tableName } from '../table-name.ts'
import type { ClickhouseOptions } from './options.ts'

export const quoteName = (name: string): string => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``

export const qualified = (database: string, table: string): string => `${quoteName(database)}.${quoteName(table)}`

export type Tables = {
  prepare(source: Origin, columns: ReadonlyMap<string, string>): Promise<void>
  forget(token: string): void
}

/** Where more days are kept, a partition is a month: engines do not like thousands of partitions. */
const DAILY_PARTITIONS_MAX = 90

type Parts = {
  options: Pick<ClickhouseOptions, 'database' | 'cluster' | 'replicated'>
  command(text: string): Promise<void>
  /** Names and types of the columns that the table has. */
  describe(table: string): Promise<Map<string, string>>
}

export function createTables({ options, command, describe }: Parts): Tables {
  const known = new Map<string, { columns: Map<string, string>; retentionDays: number }>()
  const onCluster = options.cluster === undefined ? '' : ` ON CLUSTER ${quoteName(options.cluster)}`

  async function make({ token, retentionDays }: Origin): Promise<void> {
    const engine = options.replicated ? 'ReplicatedReplacingMergeTree' : 'ReplacingMergeTree'
    await command(
      `CREATE TABLE IF NOT EXISTS ${qualified(options.database, tableName(token))}${onCluster} (
        id String,
        timestamp DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
        event_message Nullable(String) CODEC(ZSTD(1))
      ) ENGINE = ${engine}
      PARTITION BY ${retentionDays <= DAILY_PARTITIONS_MAX ? 'toDate(timestamp)' : 'toYYYYMM(timestamp)'}
      ORDER BY (timestamp, id)
      TTL ${ttl(retentionDays)}
      SETTINGS ttl_only_drop_parts = 1${options.replicated ? '' : ', non_replicated_deduplication_window = 1000'}`,
    )
  }

  return {
    async prepare(source, columns) {
      const table = qualified(options.database, tableName(source.token))
      let state = known.get(source.token)
      if (!state) {
        await make(source)
        await command(`ALTER TABLE ${table}${onCluster} MODIFY TTL ${ttl(source.retentionDays)}`)
        state = { columns: await describe(tableName(source.token)), retentionDays: source.retentionDays }
        known.set(source.token, state)
      }
      if (state.retentionDays !== source.retentionDays) {
        await command(`ALTER TABLE ${table}${onCluster} MODIFY TTL ${ttl(source.retentionDays)}`)
        state.retentionDays = source.retentionDays
      }
      const { columns: has } = state
      const changes = [...columns].flatMap(([name, type]) => change(name, has.get(name), type))
      if (changes.length === 0) return
      await command(`ALTER TABLE ${table}${onCluster} ${changes.join(', ')}`)
      for (const [name, type] of columns) if (!has.has(name) || widens(has.get(name), type)) has.set(name, type)
    },
    forget: (token) => void known.delete(token),
  }
}

const ttl = (days: number): string => `toDateTime(timestamp) + INTERVAL ${days} DAY`

function change(name: string, has: string | undefined, wants: string): string[] {
  if (has === undefined) return [`ADD COLUMN IF NOT EXISTS ${quoteName(name)} ${wants}`]
  return widens(has, wants) ? [`MODIFY COLUMN ${quoteName(name)} ${wants}`] : []
}

const widens = (has: string | undefined, wants: string): boolean =>
  has?.includes('Int64') === true && wants === has.replace('Int64', 'Float64')
