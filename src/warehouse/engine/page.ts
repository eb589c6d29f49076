/**
 * A page of events in the order of time and id. Windows are read one after the other until the page is full; rows of
 * a later window come behind all rows of an earlier one, so what was found never has to be sorted again.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { duckdb } from '../../lql/sql/duckdb.ts'
import type { Cursor, Extent, QueryCost, SearchRequest } from '../protocol.ts'
import type { View } from './relation.ts'
import { createShaper } from './shape.ts'
import { type Window, windows } from './windows.ts'

/** Rows as finished JSON text, what they cost, and where the next ones are. */
export type Answer = { body: Buffer; cost: QueryCost; extent?: Extent }

type Row = { us: number; id: string; json: string }

/** A page that grows longer than this ends early; the next one goes on behind it. */
const PAGE_CHARACTERS = 16_000_000

const FIRST_WINDOW_ROWS = 1_000
const FIRST_WINDOW_PAGES = 5

export async function readPage(connection: DuckDBConnection, view: View, request: SearchRequest): Promise<Answer> {
  const startedAt = performance.now()
  const { limit, from } = request
  const start = from === 'newest' ? request.before : request.after
  const found: Row[] = []
  let characters = 0
  let toSkip = start?.seen ?? 0
  const firstRows = Math.max(FIRST_WINDOW_ROWS, FIRST_WINDOW_PAGES * limit)

  for (const window of windows(view.stretches, withinCursors(view, request), from, firstRows)) {
    // One row more than the page holds tells whether there is a next page.
    const wanted = limit + 1 - found.length
    for await (const row of rowsOf(connection, view, request, window, wanted + toSkip)) {
      if (toSkip > 0 && isAt(row, start)) {
        toSkip -= 1
        continue
      }
      toSkip = 0
      found.push(row)
      characters += row.json.length
      if (found.length > limit || isTooLong(characters, found)) break
    }
    if (found.length > limit || isTooLong(characters, found)) break
  }

  const hasMore = found.length > limit || isTooLong(characters, found)
  const page = hasMore ? found.slice(0, -1) : found
  const texts = page.map(({ json }) => json)
  if ((from === 'newest') !== (request.listed === 'newest first')) texts.reverse()
  return {
    body: Buffer.from(`[${texts.join(',')}]`),
    cost: { rows: page.length, ms: Math.round(performance.now() - startedAt), truncated: hasMore },
    extent: { next: hasMore ? placeBehind(page, start) : null, readFromUs: null },
  }
}

const isTooLong = (characters: number, found: Row[]): boolean => characters > PAGE_CHARACTERS && found.length > 1

const isAt = (row: Row, place: { us: number; id: string } | null): boolean =>
  row.us === place?.us && row.id === place.id

function placeBehind(page: Row[], start: Cursor | null): Cursor {
  const last = page.at(-1)!
  const before = isAt(last, start) ? start!.seen : 0
  return { us: last.us, id: last.id, seen: before + page.filter((row) => isAt(row, last)).length }
}

function withinCursors(view: View, { fromUs, toUs, before, after }: SearchRequest): Window {
  const within = view.within({ fromUs, toUs })
  return {
    fromUs: Math.max(within.fromUs, after?.us ?? within.fromUs),
    toUs: Math.min(within.toUs, before?.us ?? within.toUs),
  }
}

async function* rowsOf(
  connection: DuckDBConnection,
  view: View,
  request: SearchRequest,
  window: Window,
  limit: number,
): AsyncGenerator<Row> {
  const result = await connection.stream(statement(view.relation(window), request, window, limit))
  const shaper = createShaper(result, 'event', 2)
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const times = chunk.getColumnVector(chunk.columnCount - 2)
    const ids = chunk.getColumnVector(chunk.columnCount - 1)
    for (let row = 0; row < chunk.rowCount; row += 1)
      yield { us: Number(times.getItem(row)), id: String(ids.getItem(row)), json: shaper(chunk, row) }
  }
}

/** The inner query orders by the columns themselves, whatever names the selected ones take. Time and id come last, as the place of the row. */
function statement(relation: string, request: SearchRequest, window: Window, limit: number): string {
  const conditions = [
    `"timestamp" >= make_timestamp(${window.fromUs})`,
    `"timestamp" <= make_timestamp(${window.toUs})`,
    ...(request.before ? [beyond(request.before, '<', request.from === 'newest')] : []),
    ...(request.after ? [beyond(request.after, '>', request.from === 'oldest')] : []),
    `(${request.where})`,
  ]
  const direction = request.from === 'newest' ? 'DESC' : 'ASC'
  const inner = `SELECT * FROM (${relation}) WHERE ${conditions.join(' AND ')} ORDER BY "timestamp" ${direction}, id ${direction} LIMIT ${limit}`
  return `SELECT ${request.select ?? 'e.*'}, epoch_us(e."timestamp"), e.id FROM (${inner}) e ORDER BY e."timestamp" ${direction}, e.id ${direction}`
}

/** `mayHaveMore`: rows at the place itself are read too, as only some of them were given. */
function beyond({ us, id, seen }: Cursor, sign: '<' | '>', mayHaveMore: boolean): string {
  const time = `make_timestamp(${us})`
  const idSign = mayHaveMore && seen > 0 ? `${sign}=` : sign
  return `("timestamp" ${sign} ${time} OR ("timestamp" = ${time} AND id ${idSign} ${duckdb.literal(id)}))`
}
