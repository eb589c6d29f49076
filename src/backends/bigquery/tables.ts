/**
 * Tables of sources: made when the first event comes, widened when a new field comes. A partition is a UTC day and goes
 * away by itself when the source no longer keeps it.
 */
import { z } from 'zod'
import type { Origin } from '../kind.ts'
import { tableName } from '../table-name.ts'
import type { LazyClient } from './client.ts'
import { type Column, ColumnList, floated, printType, STANDARD, widened } from './columns.ts'
import { failureOf } from './failures.ts'
import type { BigqueryOptions } from './options.ts'

const DAY_MS = 86_400_000

export const qualified = ({ project_id, dataset_id }: BigqueryOptions, token: string): string =>
  `\`${project_id}.${dataset_id}.${tableName(token)}\``

export type Tables = {
  /** Makes the dataset if it is not there, and tells where it is. */
  dataset(): Promise<string>
  /** The columns that the table has once it has these. */
  prepare(source: Origin, columns: Column[]): Promise<Column[]>
  /** Something was not as it was thought to be. */
  forget(token: string): void
}

const Dataset = z.object({ location: z.string() })
const Table = z.object({
  schema: z.object({ fields: ColumnList }),
  timePartitioning: z.object({ expirationMs: z.string().optional() }).optional(),
})

/** `fixed`: columns of integers of which BigQuery makes no floats. */
type State = { columns: Column[]; retentionDays: number | null; fixed: Set<string> }

/** A table that somebody else made may lack them. */
const OPTIONAL = STANDARD.filter(({ mode }) => mode === 'NULLABLE')

type Parts = {
  options: BigqueryOptions
  client: LazyClient
  /** Runs one statement that changes a table. */
  change(statement: string): Promise<void>
}

export function createTables({ options, client, change }: Parts): Tables {
  const known = new Map<string, State>()
  const turns = new Map<string, Promise<void>>()
  const { project_id: projectId, dataset_id: datasetId, location } = options
  const tables = `/datasets/${datasetId}/tables`

  async function read(token: string): Promise<State | null> {
    const found = await unless(404, client.get(`${tables}/${tableName(token)}`))
    if (found === null) return null
    const { schema, timePartitioning } = Table.parse(found)
    const keptMs = timePartitioning?.expirationMs
    const retentionDays = keptMs === undefined ? null : Number(keptMs) / DAY_MS
    return { columns: schema.fields, retentionDays, fixed: new Set() }
  }

  async function dataset(): Promise<string> {
    const found = await unless(404, client.get(`/datasets/${datasetId}`))
    if (found !== null) return Dataset.parse(found).location
    const body = { datasetReference: { projectId, datasetId }, location, labels: { managed_by: 'millrace' } }
    const made = await unless(409, client.post('/datasets', body))
    return made === null ? location : Dataset.parse(made).location
  }

  async function make(source: Origin, columns: Column[]): Promise<State> {
    const { retentionDays } = source
    const all = widened(STANDARD, columns) ?? [...STANDARD]
    const body = {
      tableReference: { projectId, datasetId, tableId: tableName(source.token) },
      friendlyName: source.name,
      schema: { fields: all },
      timePartitioning: partitions(retentionDays),
      clustering: { fields: ['timestamp', 'id'] },
      labels: { managed_by: 'millrace' },
    }
    await dataset()
    const made: State = { columns: all, retentionDays, fixed: new Set() }
    if ((await unless(409, client.post(tables, body))) !== null) return made
    return (await read(source.token)) ?? made
  }

  async function prepare(source: Origin, columns: Column[]): Promise<Column[]> {
    const { token, retentionDays } = source
    const at = `${tables}/${tableName(token)}`
    const state = known.get(token) ?? (await read(token)) ?? (await make(source, columns))
    known.set(token, state)
    if (state.retentionDays !== retentionDays) {
      await client.patch(at, { timePartitioning: partitions(retentionDays) })
      state.retentionDays = retentionDays
    }
    for (const column of floated(state.columns, columns)) {
      if (state.fixed.has(column.name)) continue
      const alter = `ALTER TABLE ${qualified(options, token)} ALTER COLUMN`
      const isDone = await unless(400, change(`${alter} \`${column.name}\` SET DATA TYPE ${printType(column)}`))
      // What does not fit the column is kept beside it then, and keeps no event back.
      if (isDone === null) state.fixed.add(column.name)
      else state.columns = state.columns.map((each) => (each.name === column.name ? column : each))
    }
    const wider = widened(state.columns, [...OPTIONAL, ...columns])
    if (wider) {
      await client.patch(at, { schema: { fields: wider } })
      state.columns = wider
    }
    return state.columns
  }

  async function prepareAnew(source: Origin, columns: Column[]): Promise<Column[]> {
    try {
      return await prepare(source, columns)
    } catch (error) {
      // Another node may have widened the table meanwhile, and what leaves its columns out is refused.
      if (!known.delete(source.token) || ![400, 404, 412].includes(failureOf(error).status)) throw error
      return prepare(source, columns)
    }
  }

  return {
    dataset,
    /** Batches of one source wait for each other here: two changes of a table at once would not know of each other. */
    prepare(source, columns) {
      const mine = (turns.get(source.token) ?? Promise.resolve()).then(() => prepareAnew(source, columns))
      const settled = mine.then(
        () => {},
        () => {},
      )
      turns.set(source.token, settled)
      return mine
    },
    forget: (token) => void known.delete(token),
  }
}

const partitions = (days: number) => ({ type: 'DAY', field: 'timestamp', expirationMs: String(days * DAY_MS) })

/** Null when it fails with this status. */
async function unless(status: number, asked: Promise<unknown>): Promise<unknown> {
  try {
    return (await asked) ?? {}
  } catch (error) {
    if (failureOf(error).status === status) return null
    throw error
  }
}
