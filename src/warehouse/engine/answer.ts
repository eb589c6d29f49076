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
      return run(connection, start, 'row', { ...request, bytesScanned }, signal)
    })
  }

  async function recent(token: string, limit: number, signal: AbortSignal): Promise<Answer> {
    return withConnection(async (connection) => {
      const relation = sourceRelation(store.source(token), { fromUs: null, toUs: null }, nowMs())
      const newest = `SELECT * FROM (${relation}) ORDER BY "timestamp" DESC, id DESC LIMIT ${limit}`
      const text = `SELECT * FROM (${newest}) ORDER BY "timestamp", id`
      const limits = { maxRows: limit, timeoutMs: RECENT_TIMEOUT_MS, bytesScanned: 0 }
      return run(connection, () => connection.stream(text), 'event', limits, signal)
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
  ): Promise<Answer> {
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
      return { body: Buffer.from(`[${rows.join(',')}]`), cost }
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
