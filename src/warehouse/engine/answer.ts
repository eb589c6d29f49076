/**
 * Runs one query: a time limit by interrupt, a row limit by reading no further. What a user wrote passes two fences (the
 * final text's own parse tree, the instance's sandbox); pages and statements that the front made from LQL run in the
 * same sandbox. The answer is finished JSON text.
 */
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import type { Needles } from '../../model/needles.ts'
import { checkFinal } from '../../sql/fence.ts'
import type { QueryCost, QueryRequest, ReadRequest, SearchRequest } from '../protocol.ts'
import { bindValues } from './bind.ts'
import { quoteName } from './columns.ts'
import type { Readers } from './duck.ts'
import type { Filters } from './filter/filters.ts'
import { soughtMarks, want } from './filter/seek.ts'
import { createHash } from './filter/values.ts'
import { interruptible } from './interrupt.ts'
import { type Answer, readPage } from './page.ts'
import { createPassed } from './passed.ts'
import { bytesOf, type Look, readingOf, relationOf, viewOf } from './relation.ts'
import { createShaper } from './shape.ts'
import { createSlots } from './slots.ts'
import type { SourceStore, Store } from './store.ts'
import { startOfNewest } from './windows.ts'

export type Answerer = {
  query(request: QueryRequest, signal: AbortSignal): Promise<Answer>
  search(request: SearchRequest, signal: AbortSignal): Promise<Answer>
  read(request: ReadRequest, signal: AbortSignal): Promise<Answer>
}

export function createAnswerer({
  readers,
  store,
  filters,
  nowMs,
}: {
  readers: Readers
  store: Store
  /** `null`: every part is read. */
  filters: Filters | null
  nowMs: () => number
}): Answerer {
  const passed = createPassed()
  const slots = createSlots()

  async function query(request: QueryRequest, signal: AbortSignal): Promise<Answer> {
    return withConnection(signal, async (connection) => {
      await passFence(connection, request)
      const relations: string[] = []
      let bytesScanned = 0
      for (const { table, token, needles, ...bounds } of request.tables) {
        const source = store.source(token)
        const reading = readingOf(source, bounds, nowMs(), await lookFor(connection, source, needles))
        relations.push(`${quoteName(table)} AS NOT MATERIALIZED (${relationOf(source, reading)})`)
        bytesScanned += bytesOf(reading)
      }
      const { values, types } = bindValues(request)
      const text = withRelations(request.text, relations)
      const start = (): Promise<DuckDBResult> => connection.stream(text, values, types)
      return run(connection, start, { ...request, bytesScanned }, signal)
    })
  }

  async function search(request: SearchRequest, signal: AbortSignal): Promise<Answer> {
    return withConnection(signal, async (connection) => {
      const source = store.source(request.token)
      const view = viewOf(source, nowMs(), await lookFor(connection, source, request.needles))
      return interruptible(connection, { timeoutMs: request.timeoutMs, signal }, () =>
        readPage(connection, view, request),
      )
    })
  }

  async function read(request: ReadRequest, signal: AbortSignal): Promise<Answer> {
    return withConnection(signal, async (connection) => {
      const source = store.source(request.token)
      const view = viewOf(source, nowMs(), await lookFor(connection, source, request.needles))
      const within = view.within(request)
      const fromUs =
        request.newestRows === null ? within.fromUs : startOfNewest(view.stretches, within, request.newestRows)
      const relation = `events AS NOT MATERIALIZED (${view.relation({ fromUs, toUs: within.toUs })})`
      const text = withRelations(request.text, [relation])
      const answer = await run(connection, () => connection.stream(text), { ...request, bytesScanned: 0 }, signal)
      return { ...answer, extent: { next: null, readFromUs: fromUs > within.fromUs ? fromUs : null } }
    })
  }

  async function lookFor(
    connection: DuckDBConnection,
    source: SourceStore,
    needles: Needles | undefined,
  ): Promise<Look | null> {
    const sought = filters && needles && (await soughtMarks(needles, createHash(connection)))
    if (!filters || !sought) return null
    want(source.wanted, sought)
    return { sought, filters }
  }

  async function withConnection<T>(
    signal: AbortSignal,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> {
    const end = await slots.take(signal)
    try {
      const connection = await readers.connect()
      try {
        return await store.read(() => work(connection))
      } finally {
        connection.closeSync()
      }
    } finally {
      end()
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
    { maxRows, timeoutMs, bytesScanned }: { maxRows: number; timeoutMs: number; bytesScanned: number },
    signal: AbortSignal,
  ): Promise<Answer> {
    const startedAt = performance.now()
    return interruptible(connection, { timeoutMs, signal }, async () => {
      const result = await start()
      const shaper = createShaper(result, 'row')
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
    })
  }

  return { query, search, read }
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
