/** The search itself: a page of events, newest first. */

import type { SqlColumn } from '../../lql/lql.ts'
import { LqlError, print, type Select, shortPath } from '../../lql/lql.ts'
import { STANDARD } from '../warehouse-place.ts'
import type { FinishedPage } from './answers.ts'
import { printCursor, readCursor } from './cursor.ts'
import { type Question, type SearchParts, type Understood, understandAt } from './question.ts'
import { reachOf, tooOld } from './retention.ts'

export type PageQuestion = Question & {
  limit: number
  /** Cursors: only events older than the one, newer than the other. */
  before: string | undefined
  after: string | undefined
}

export function createPage(parts: SearchParts) {
  return async function page(question: PageQuestion): Promise<FinishedPage> {
    const { source, limit, signal } = question
    const { place, understood } = await understandAt(question, parts)
    const { where, params, bounds, needles } = understood.sql()
    const before = question.before === undefined ? null : readCursor(question.before)
    const after = question.after === undefined ? null : readCursor(question.after)
    const { body, extent } = await place.search(
      {
        where,
        params,
        select: selected(understood),
        ...bounds,
        needles,
        before,
        after,
        // Only newer events are wanted: those next to the cursor, not the newest of all.
        from: after && !before ? 'oldest' : 'newest',
        listed: 'newest first',
        limit,
        timeoutMs: parts.timeoutMs,
      },
      signal,
    )
    return {
      events: body,
      next: extent.next && printCursor(extent.next),
      lql: print(understood.query),
      range: reachOf(source, bounds, understood.nowMs),
      warnings: tooOld(source, bounds, understood.nowMs),
    }
  }
}

/** What `s:` asks for beside the standard fields, which are always there. */
function selected({ query, sql }: Understood): SqlColumn[] | null {
  const columns = sql().select
  if (!columns) return null
  for (const select of query.selects) assertFree(select)
  return columns.filter(({ name }) => !STANDARD.includes(name))
}

function assertFree({ path, alias, at }: Select): void {
  if (alias === null || alias === path || !STANDARD.includes(alias)) return
  throw new LqlError(`The name ${alias} belongs to a standard field; give ${shortPath(path)} another one.`, {
    position: at.start,
    found: alias,
    expected: 'a name that no standard field has',
  })
}
