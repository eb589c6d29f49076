/**
 * A page of events in the order of time and id. Windows are read one after the other until the page is full; rows of
 * a later window come behind all rows of an earlier one, so what was found never has to be sorted again.
 *
 * Whole events are sorted where they are light. Where they are not (very many fields, or a megabyte each) a window is
 * read in two steps: which events belong on the page, by two narrow columns, then all columns of just those. That takes
 * little memory, but up to twice the time.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { duckdb } from '../../lql/sql/duckdb.ts'
import type { Cursor, Extent, QueryCost, SearchRequest } from '../protocol.ts'
import type { View } from './relation.ts'
import { createShaper } from './shape.ts'
import { type Window, windows } from './windows.ts'

/** Rows as finished JSON text, what they cost, and where the next ones are. */
export type Answer = { body: Buffer; cost: QueryCost; extent?: Extent }

type Key = { us: number; id: string }
/** Without text it has yet to be fetched. */
type Found = Key & { json: string | null }
type Row = Key & { json: string }

/** A page that grows longer than this ends early; the next one goes on behind it. */
const PAGE_CHARACTERS = 16_000_000

/** Whole events are fetched so many at a time, as each may have a megabyte. */
const FETCHED_AT_ONCE = 250

const FIRST_WINDOW_ROWS = 1_000
const FIRST_WINDOW_PAGES = 5

export async function readPage(connection: DuckDBConnection, view: View, request: SearchRequest): Promise<Answer> {
  const startedAt = performance.now()
  const { limit, from } = request
  const start = from === 'newest' ? request.before : request.after
  const firstRows = Math.max(FIRST_WINDOW_ROWS, FIRST_WINDOW_PAGES * limit)
  const page: Row[] = []
  let toSkip = start?.seen ?? 0
  let hasMore = false

  for (const window of windows(view.stretches, withinCursors(view, request), from, firstRows)) {
    const room = limit - page.length
    // One event more than the page has room for tells whether there is a next page.
    const found = await firstIn(connection, view, request, window, room + 1 + toSkip)
    const given = start ? found.slice(0, toSkip).filter((key) => isAt(key, start)).length : 0
    const further = found.slice(given)
    toSkip = further.length > 0 ? 0 : toSkip - given
    const isWhole = await addTo(page, connection, view, request, further.slice(0, room))
    hasMore = further.length > room || !isWhole
    if (hasMore) break
  }

  const texts = page.map(({ json }) => json)
  if ((from === 'newest') !== (request.listed === 'newest first')) texts.reverse()
  return {
    body: Buffer.from(`[${texts.join(',')}]`),
    cost: {
      rows: page.length,
      ms: Math.round(performance.now() - startedAt),
      truncated: hasMore,
      bytesScanned: 0,
      columns: [],
    },
    extent: { next: hasMore ? placeBehind(page, start) : null, readFromUs: null },
  }
}

/** Adds what was found to the page, in its order; false when the page grew too long for all of it. */
async function addTo(
  page: Row[],
  connection: DuckDBConnection,
  view: View,
  request: SearchRequest,
  found: Found[],
): Promise<boolean> {
  let characters = page.reduce((sum, { json }) => sum + json.length, 0)
  for (let at = 0; at < found.length; at += FETCHED_AT_ONCE) {
    const some = found.slice(at, at + FETCHED_AT_ONCE)
    for (const row of some.every(isRow) ? some : await fetchRows(connection, view, request, some)) {
      characters += row.json.length
      if (characters > PAGE_CHARACTERS && page.length > 0) return false
      page.push(row)
    }
  }
  return true
}

const isRow = (found: Found): found is Row => found.json !== null

const textOf = ({ us, id }: Key): string => `${us}:${id}`

const isAt = (key: Key, place: Key): boolean => key.us === place.us && key.id === place.id

function placeBehind(page: Row[], start: Cursor | null): Cursor {
  const last = page.at(-1)!
  const before = start && isAt(last, start) ? start.seen : 0
  return { us: last.us, id: last.id, seen: before + page.filter((row) => isAt(row, last)).length }
}

function withinCursors(view: View, { fromUs, toUs, before, after }: SearchRequest): Window {
  const within = view.within({ fromUs, toUs })
  return {
    fromUs: Math.max(within.fromUs, after?.us ?? within.fromUs),
    toUs: Math.min(within.toUs, before?.us ?? within.toUs),
  }
}

/** What comes first in the window, in the order of the page. */
async function firstIn(
  connection: DuckDBConnection,
  view: View,
  request: SearchRequest,
  window: Window,
  limit: number,
): Promise<Found[]> {
  const conditions = [
    between(window),
    ...(request.before ? [beyond(request.before, '<', request.from === 'newest')] : []),
    ...(request.after ? [beyond(request.after, '>', request.from === 'oldest')] : []),
    `(${request.where})`,
  ]
  const isLight = view.isLight(limit)
  const direction = request.from === 'newest' ? 'DESC' : 'ASC'
  // Ordered by the columns themselves, whatever names the selected ones take.
  const first =
    `SELECT ${isLight ? '*' : '"timestamp", id'} FROM (${view.relation(window)}) WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY "timestamp" ${direction}, id ${direction} LIMIT ${limit}`
  const columns = isLight ? `${request.select ?? 'e.*'}, ` : ''
  return rowsOf(
    connection,
    `SELECT ${columns}${KEY} FROM (${first}) e ORDER BY e."timestamp" ${direction}, e.id ${direction}`,
    isLight,
  )
}

/** The events with these keys, in their order. */
async function fetchRows(
  connection: DuckDBConnection,
  view: View,
  request: SearchRequest,
  keys: Key[],
): Promise<Row[]> {
  const times = keys.map(({ us }) => us)
  const window = { fromUs: Math.min(...times), toUs: Math.max(...times) }
  const list = [...new Set(times)].map((us) => `make_timestamp(${us})`).join(', ')
  const inner = `SELECT * FROM (${view.relation(window)}) WHERE ${between(window)} AND "timestamp" IN (${list}) AND (${request.where})`
  const rows = await rowsOf(connection, `SELECT ${request.select ?? 'e.*'}, ${KEY} FROM (${inner}) e`, true)
  const byKey = Map.groupBy(rows.filter(isRow), textOf)
  return keys.map((key) => byKey.get(textOf(key))?.shift()).filter((row) => row !== undefined)
}

/** Time and id come last, so that the names of the columns before them stay as they are. */
const KEY = 'epoch_us(e."timestamp"), e.id'

async function rowsOf(connection: DuckDBConnection, text: string, isShaped: boolean): Promise<Found[]> {
  const result = await connection.stream(text)
  const shaper = isShaped ? createShaper(result, 'event', 2) : () => null
  const rows: Found[] = []
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const micros = chunk.getColumnVector(chunk.columnCount - 2)
    const ids = chunk.getColumnVector(chunk.columnCount - 1)
    for (let row = 0; row < chunk.rowCount; row += 1)
      rows.push({ us: Number(micros.getItem(row)), id: String(ids.getItem(row)), json: shaper(chunk, row) })
  }
  return rows
}

const between = ({ fromUs, toUs }: Window): string =>
  `"timestamp" >= make_timestamp(${fromUs}) AND "timestamp" <= make_timestamp(${toUs})`

/** `mayHaveMore`: rows at the place itself are read too, as only some of them were given. */
function beyond({ us, id, seen }: Cursor, sign: '<' | '>', mayHaveMore: boolean): string {
  const time = `make_timestamp(${us})`
  const idSign = mayHaveMore && seen > 0 ? `${sign}=` : sign
  return `("timestamp" ${sign} ${time} OR ("timestamp" = ${time} AND id ${idSign} ${duckdb.literal(id)}))`
}
