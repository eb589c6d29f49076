/**
 * Runs one query of a user: two fences (the final text's own parse tree, the instance's sandbox), a time limit by
 * interrupt, a row limit by reading no further. The answer is finished JSON text.
 */
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import { Fault } from '../../base/faults.ts'
import { checkFinal } from '../../sql/fence.ts'
import type { QueryCost, QueryRequest } from '../protocol.ts'
import { bindValues } from './bind.ts'
import { quoteName } from './columns.ts'
import type { Readers } from './duck.ts'
import { createPassed } from './passed.ts'
import { bytesInRange, sourceRelation } from './relation.ts'
import { createShaper, type Shape } from './shape.ts'
import type { Store } from './store.ts'

export type Answer = { body: Buffer; cost: QueryCost }

/** Rows as finished JSON texts. */
type Result = { rows: string[]; cost: QueryCost }

export type Answerer = {
  query(request: QueryRequest, signal: AbortSignal): Promise<Answer>
  recent(token: string, limit: number, signal: AbortSignal): Promise<Answer>
}

const RECENT_TIMEOUT_MS = 25_000

export function createAnswerer({
  readers,
  store,
  nowMs,
}: {
  readers: Readers
  store: Store
  nowMs: () => number
}): Answerer {
  const passed = createPassed()

  async function query(request: QueryRequest, signal: AbortSignal): Promise<Answer> {
    return withConnection(async (connection) => {
      await passFence(connection, request)
      const relations = request.tables.map(
        ({ table, token, fromUs, toUs }) =>
          `${quoteName(table)} AS NOT MATERIALIZED (${sourceRelation(store.source(token), { fromUs, toUs }, nowMs())})`,
      )
      const bytesScanned = request.tables.reduce(
        (sum, { token, fromUs, toUs }) => sum + bytesInRange(store.source(token), { fromUs, toUs }, nowMs()),
        0,
      )
      const { values, types } = bindValues(request)
      const text = withRelations(request.text, relations)
      const start = (): Promise<DuckDBResult> => connection.stream(text, values, types)
      return finished(await run(connection, start, 'row', { ...request, bytesScanned }, signal))
    })
  }

  /**
   * In two steps: which events are the newest, by two narrow columns; then all columns of just those. Sorting whole
   * events takes memory for every field of the source, and at two thousand of them there is not enough.
   */
  async function recent(token: string, limit: number, signal: AbortSignal): Promise<Answer> {
    return withConnection(async (connection) => {
      const source = store.source(token)
      const limits = { maxRows: limit, timeoutMs: RECENT_TIMEOUT_MS, bytesScanned: 0 }
      const all = sourceRelation(source, { fromUs: null, toUs: null }, nowMs())
      const newest = `SELECT epoch_us("timestamp") AS us, id FROM (${all}) ORDER BY us DESC, id DESC LIMIT ${limit}`
      const keys = await run(connection, () => connection.stream(newest), 'row', limits, signal)
      const last = keys.rows.at(-1)
      if (last === undefined) return finished(keys)
      const oldest: { us: number; id: string } = JSON.parse(last)
      const late = sourceRelation(source, { fromUs: oldest.us, toUs: null }, nowMs())
      // As hex, because an id may hold a NUL, where the text of a statement would end.
      const id = `decode(unhex('${Buffer.from(oldest.id).toString('hex')}'))`
      const from = `(make_timestamp(${oldest.us}), ${id})`
      const text = `SELECT * FROM (${late}) WHERE ("timestamp", id) >= ${from}`
      const { rows, cost } = await run(connection, () => connection.stream(text), 'event', limits, signal)
      return finished({ rows: oldestFirst(rows), cost })
    })
  }

  async function withConnection<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await readers.connect()
    try {
      return await store.read(() => work(connection))
    } finally {
      connection.closeSync()
    }
  }

  async function passFence(connection: DuckDBConnection, { text, tables }: QueryRequest): Promise<void> {
    const key = `${tables.map(({ table }) => table).join(' ')}\n${text}`
    if (passed.has(key)) return
    const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text])
    const tree: unknown = JSON.parse(String(result.getRows()[0]?.[0]))
    checkFinal(
      tree,
      tables.map(({ table }) => table),
    )
    passed.add(key)
  }

  async function run(
    connection: DuckDBConnection,
    start: () => Promise<DuckDBResult>,
    shape: Shape,
    { maxRows, timeoutMs, bytesScanned }: { maxRows: number; timeoutMs: number; bytesScanned: number },
    signal: AbortSignal,
  ): Promise<Result> {
    const startedAt = performance.now()
    let stoppedBy: 'time' | 'caller' | null = null
    const stop = (by: 'time' | 'caller'): void => {
      stoppedBy ??= by
      connection.interrupt()
    }
    const timer = setTimeout(() => stop('time'), timeoutMs)
    const cancel = (): void => stop('caller')
    signal.addEventListener('abort', cancel, { once: true })
    try {
      if (signal.aborted) cancel()
      const result = await start()
      const shaper = createShaper(result, shape)
      const rows: string[] = []
      let truncated = false
      for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
        const room = maxRows - rows.length
        truncated = chunk.rowCount > room
        for (let row = 0; row < Math.min(chunk.rowCount, room); row += 1) rows.push(shaper(chunk, row))
        if (rows.length >= maxRows) break
      }
      const ms = Math.round(performance.now() - startedAt)
      const cost = { rows: rows.length, ms, truncated, bytesScanned, columns: columnsOf(result) }
      return { rows, cost }
    } catch (error) {
      if (stoppedBy === 'time')
        throw new Fault(
          'query_failed',
          `The query took longer than ${timeoutMs / 1000} s and was stopped. Narrow its time range or select fewer columns.`,
        )
      if (stoppedBy === 'caller') throw new Fault('query_failed', 'The query was cancelled.')
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  }

  return { query, recent }
}

function columnsOf(result: DuckDBResult): QueryCost['columns'] {
  const types = result.columnTypes()
  return result.deduplicatedColumnNames().map((name, i) => ({ name, type: types[i]!.toString() }))
}

/** Puts the source relations before the query's own WITH list. */
function withRelations(text: string, relations: string[]): string {
  if (relations.length === 0) return text
  const [, recursive, rest] = /^WITH\s+(RECURSIVE\s+)?([\s\S]*)$/i.exec(text) ?? []
  if (rest !== undefined) return `WITH ${recursive ?? ''}${relations.join(', ')}, ${rest}`
  return `WITH ${relations.join(', ')} ${text}`
}

/** Compares rows by what they say of their time and id; the text itself stays as it is, digit by digit. */
function oldestFirst(rows: string[]): string[] {
  return rows
    .map((text): { text: string; key: { timestamp: number; id: string } } => ({ text, key: JSON.parse(text) }))
    .sort((a, b) => a.key.timestamp - b.key.timestamp || (a.key.id < b.key.id ? -1 : 1))
    .map(({ text }) => text)
}

const finished = ({ rows, cost }: Result): Answer => ({ body: Buffer.from(`[${rows.join(',')}]`), cost })
