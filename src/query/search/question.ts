/** What was asked, understood: the tree of a text that makes sense for its source, at this moment and in that zone. */
import type { Clock } from '../../base/clock.ts'
import { check, LqlError, type LqlSql, parse, type Query, toSql } from '../../lql/lql.ts'
import type { FlatFields } from '../../model/fields.ts'
import type { SavedSearch } from '../../model/saved-search.ts'
import type { Source } from '../../model/source.ts'
import type { Place, Places } from '../place.ts'
import { assertKeys } from './suggested-keys.ts'

export type SearchParts = {
  schemas: { journaled(token: string): FlatFields }
  places: Places
  savedSearches: { list(sourceId: number): Promise<SavedSearch[]> }
  clock: Clock
  timeoutMs: number
}

export type Question = {
  source: Source
  /** Blank: the source's default search. */
  lql: string
  timeZone: string
  /** Run without the keys that the source suggests. */
  force: boolean
  /** The caller went away. */
  signal?: AbortSignal | undefined
}

export type Understood = {
  query: Query
  fields: FlatFields
  nowMs: number
  /** The query in the words of the engine; other clauses than its own may be put into it. */
  sql(changed?: Partial<Query>): LqlSql
}

/** A question and where it will be answered. */
export async function understandAt(
  question: Question,
  parts: Pick<SearchParts, 'schemas' | 'clock' | 'places'>,
): Promise<{ place: Place; understood: Understood }> {
  const place = await parts.places.of(question.source)
  return { place, understood: understand(question, parts, place) }
}

export function understand(
  { source, lql, timeZone, force }: Question,
  { schemas, clock }: Pick<SearchParts, 'schemas' | 'clock'>,
  { dialect, values }: Pick<Place, 'dialect' | 'values'> = { dialect: 'duckdb', values: 'inline' },
): Understood {
  const fields = schemas.journaled(source.token)
  const query = lql.trim() === '' ? readDefault(source, fields) : readText(lql, source, fields)
  assertKeys(source.suggested_keys, query, force)
  const nowMs = clock.nowMs()
  return {
    query,
    fields,
    nowMs,
    sql: (changed = {}) => toSql({ ...query, ...changed }, { dialect, fields, nowMs, timeZone, values }),
  }
}

function readText(text: string, source: Source, fields: FlatFields): Query {
  const query = parse(text)
  check(query, text, fields)
  const { from } = query
  if (from && from.table !== source.name)
    throw new LqlError(`A search reads its own source, ${source.name}; leave f:${from.table} out.`, {
      position: from.at.start,
      found: `f:${from.table}`,
      expected: 'no other table',
    })
  return query
}

/** The fault lies in a text that the caller did not send, so it must say which one. */
function readDefault(source: Source, fields: FlatFields): Query {
  try {
    return readText(source.default_search_lql ?? '', source, fields)
  } catch (error) {
    if (!(error instanceof LqlError)) throw error
    throw new LqlError(`The default search of this source, ${source.default_search_lql}: ${error.message}`, error)
  }
}
