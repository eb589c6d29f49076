/**
 * Search: what the pages of a log viewer ask for, said in LQL. A page of events, the chart above it, the most frequent
 * values, one event and its neighbours, and what can be typed next.
 *
 * Promises: the same events as a rule or live tail with the same text would give; the cost of a page does not grow with
 * the history behind it; pages neither skip nor repeat events while others arrive. Values reach the engine as
 * literals, never as SQL.
 * Refuses: text that is no LQL, fields and values that the source does not know, both with their place; a search
 * without the keys that its source asks for; charts of more than 1000 values.
 */
import { createAsSql } from './as-sql.ts'
import { createChart } from './chart.ts'
import { createEvents } from './events.ts'
import { createFacets } from './facets.ts'
import { createPage } from './page.ts'
import type { SearchParts } from './question.ts'
import { createSuggest } from './suggest/suggest.ts'

export type Search = ReturnType<typeof createSearch>

export function createSearch(parts: SearchParts) {
  const facets = createFacets(parts)
  return {
    page: createPage(parts),
    chart: createChart(parts),
    asSql: createAsSql(parts),
    facets: facets.count,
    suggest: createSuggest({ ...parts, oftenSeen: facets.oftenSeen }),
    ...createEvents(parts),
  }
}
