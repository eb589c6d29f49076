/**
 * A place where the events of one source can be asked for: the embedded warehouse, or the backend in which the source
 * lives. Search asks either in the same words; `dialect` says in which SQL the conditions must be written.
 *
 * Promises: nothing past its retention is given; rows come as finished JSON. Throws faults with a sentence for the caller.
 */
import type { Dialect, DialectName, SqlColumn, SqlParam } from '../lql/lql.ts'
import type { Needles } from '../model/needles.ts'
import type { Source } from '../model/source.ts'
import type { Cursor, Extent, QueryCost } from '../warehouse/protocol.ts'

export type PlaceAnswer = { body: Buffer; cost: QueryCost; extent: Extent }

/** A condition in the place's dialect, with the values for its places. */
export type Condition = { where: string; params: SqlParam[] }

/** A page of events. */
export type PageRequest = Condition & {
  /** Beside the standard fields; `null`: the whole event. */
  select: SqlColumn[] | null
  fromUs: number | null
  toUs: number | null
  /** Rows without these may be left out. */
  needles?: Needles
  before: Cursor | null
  after: Cursor | null
  /** The end at which the page begins. */
  from: 'newest' | 'oldest'
  listed: 'newest first' | 'oldest first'
  limit: number
  timeoutMs: number
}

/** A statement of our own making. */
export type Reading = {
  /** The text, around what stands in its FROM clause and can be called `events`. */
  text(events: string): string
  params: SqlParam[]
  fromUs: number | null
  toUs: number | null
  needles?: Needles
  /** Read about this many of the newest rows at most; `null`: all. */
  newestRows: number | null
  maxRows: number
  timeoutMs: number
}

export type Place = {
  readonly dialect: DialectName
  /** The words of that dialect. */
  readonly words: Dialect
  /** How values are handed over: as literals of the text, or beside it. */
  readonly values: 'inline' | 'bind'
  search(request: PageRequest, signal?: AbortSignal): Promise<PlaceAnswer>
  read(request: Reading, signal?: AbortSignal): Promise<PlaceAnswer>
}

export type Places = { of(source: Source): Promise<Place> }

/** The value of a text in a condition, and what has to be bound for it. */
export const boundText = ({ words, values }: Place, text: string): { sql: string; params: SqlParam[] } =>
  values === 'inline' ? { sql: words.literal(text), params: [] } : { sql: words.placeholder(1), params: [text] }
