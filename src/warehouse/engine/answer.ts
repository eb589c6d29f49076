/**
 * Runs one query: a time limit by interrupt, a row limit by reading no further. What a user wrote passes two fences (the
 * final text's own parse tree, the instance's sandbox); pages and statements that the front made from LQL run in the
 * same sandbox. The answer is finished JSON text.
 */
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api'
import type { Needles } from '../../model/needles.ts'
import type { QueryCost, QueryRequest, ReadRequest, SearchRequest, TableOfQuery } from '../protocol.ts'
import { bindValues } from './bind.ts'
import { quoteName } from './columns.ts'
import type { Readers } from './duck.ts'
import type { Filters } from './filter/filters.ts'
import { soughtMarks, want } from './filter/seek.ts'
import { createHash } from './filter/values.ts'
import { interruptible } from './interrupt.ts'
import { type Answer, readPage } from './page.ts'
import type { Partials } from './partial/partials.ts'
import type { Walk } from './partial/walk.ts'
import { createPlanner, type Exact, type Plan } from './plan.ts'
import { bytesOf, type Look, readingOf, relationOf, rowsOf, viewOf } from './relation.ts'
import { createShaper } from './shape.ts'
import { createSlots } from './slots.ts'
import type { SourceStore, Store } from './store.ts'
import { startOfNewest, windows } from './windows.ts'

export type Answerer = {
  query(request: QueryRequest, signal: AbortSignal): Promise<Answer>
  search(request: SearchRequest, signal: AbortSignal): Promise<Answer>
  read(request: ReadRequest, signal: AbortSignal): Promise<Answer>
}

/** What a statement of our own making calls the source. */
const EVENTS = 'events'

/** Mostly within one row group, which is the least that is read. */
const FIRST_WALK_ROWS = 8_192

/** The engine holds values for exact quantiles outside its memory limit: these take some 64 MB, while they grow twice that. */
const MOST_EXACT_VALUES = 8_000_000

type Statement = {
  text: string
  parameters?: QueryRequest['parameters'] | undefined
  maxRows: number
  bytesScanned: number
}

export function createAnswerer({
  readers,
  store,
  filters,
  partials,
  nowMs,
  firstWalkRows = FIRST_WALK_ROWS,
}: {
  readers: Readers
  store: Store
  /** `null`: every part is read. */
  filters: Filters | null
  partials: Partials
  nowMs: () => number
  firstWalkRows?: number
}): Answerer {
  const plans = createPlanner()
  const slots = createSlots()

  async function query(request: QueryRequest, signal: AbortSignal): Promise<Answer> {
    return withConnection(signal, async (connection) => {
      const { steps, walk, exact } = await plans.of(connection, request)
      return interruptible(connection, { ...request, signal }, async () => {
        const [table] = request.tables
        const isOne = request.tables.length === 1 && table !== undefined
        const kept = isOne ? await fromPartials(connection, request, table, steps) : null
        if (kept) return kept
        if (walk && table) return walked(connection, request, table, walk)
        return plain(connection, request, request.tables, exact)
      })
    })
  }

  /** `exact`: what to run instead for few rows. */
  async function plain(
    connection: DuckDBConnection,
    request: QueryRequest,
    tables: TableOfQuery[],
    exact: Exact | null = null,
  ): Promise<Answer> {
    const relations: string[] = []
    let bytesScanned = 0
    let rows = 0
    for (const { table, token, needles, ...bounds } of tables) {
      const source = store.source(token)
      const reading = readingOf(source, bounds, nowMs(), await lookFor(connection, source, needles))
      relations.push(`${quoteName(table)} AS NOT MATERIALIZED (${relationOf(source, reading)})`)
      bytesScanned += bytesOf(reading)
      rows += rowsOf(reading)
    }
    const text = exact && rows * exact.quantiles <= MOST_EXACT_VALUES ? exact.text : request.text
    return run(connection, { ...request, text: withRelations(text, relations), bytesScanned })
  }

  async function fromPartials(
    connection: DuckDBConnection,
    request: Pick<QueryRequest, 'text' | 'parameters' | 'maxRows'>,
    { token, needles, fromUs, toUs }: Pick<TableOfQuery, 'token' | 'needles' | 'fromUs' | 'toUs'>,
    steps: Plan['steps'],
  ): Promise<Answer | null> {
    const source = store.source(token)
    const asked = {
      source,
      text: request.text,
      steps: () => steps(connection),
      bounds: { fromUs, toUs },
      parameters: request.parameters,
      look: () => lookFor(connection, source, needles),
      nowMs: nowMs(),
    }
    return partials.use(connection, asked, (reduce, { relations, bytesScanned }) =>
      run(connection, { ...request, text: withRelations(reduce, relations), bytesScanned }),
    )
  }

  /** Asks of a short time first, and of ever longer ones until there are enough rows. */
  async function walked(
    connection: DuckDBConnection,
    request: QueryRequest,
    table: TableOfQuery,
    { from, limit }: Walk,
  ): Promise<Answer> {
    const startedAt = performance.now()
    const view = viewOf(store.source(table.token), nowMs())
    const within = view.within(table)
    let answer: Answer | null = null
    for (const { fromUs, toUs } of windows(view.stretches, within, from, firstWalkRows)) {
      answer = await plain(connection, request, [
        { ...table, ...within, ...(from === 'newest' ? { fromUs } : { toUs }) },
      ])
      answer.cost.ms = Math.round(performance.now() - startedAt)
      if (answer.cost.truncated || answer.cost.rows >= limit) break
    }
    return answer ?? plain(connection, request, [table])
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
      const { steps } = await plans.ofOurs(connection, request.text, EVENTS)
      return interruptible(connection, { ...request, signal }, async () => {
        const kept = request.newestRows === null ? await fromPartials(connection, request, request, steps) : null
        return kept ? { ...kept, extent: { next: null, readFromUs: null } } : readNewest(connection, request)
      })
    })
  }

  async function readNewest(connection: DuckDBConnection, request: ReadRequest): Promise<Answer> {
    const source = store.source(request.token)
    const view = viewOf(source, nowMs(), await lookFor(connection, source, request.needles))
    const within = view.within(request)
    const fromUs =
      request.newestRows === null ? within.fromUs : startOfNewest(view.stretches, within, request.newestRows)
    const relation = `${EVENTS} AS NOT MATERIALIZED (${view.relation({ fromUs, toUs: within.toUs })})`
    const answer = await run(connection, { ...request, text: withRelations(request.text, [relation]), bytesScanned: 0 })
    return { ...answer, extent: { next: null, readFromUs: fromUs > within.fromUs ? fromUs : null } }
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

  async function run(
    connection: DuckDBConnection,
    { text, parameters, maxRows, bytesScanned }: Statement,
  ): Promise<Answer> {
    const startedAt = performance.now()
    const { values, types } = bindValues({ text, parameters })
    const result = await connection.stream(text, values, types)
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
