/** The most frequent values of some fields among the events that a search finds. */
import { Fault } from '../../base/faults.ts'
import { createKnownFields } from '../../lql/known-fields.ts'
import { check, LqlError, parse, print, shortPath } from '../../lql/lql.ts'
import type { FlatFields } from '../../model/fields.ts'
import { UNFIT, UNLISTED } from '../../model/fields.ts'
import type { Source } from '../../model/source.ts'
import type { Place, Reading } from '../place.ts'
import type { Range } from './answers.ts'
import { selecting } from './breakdown.ts'
import { type Question, type SearchParts, type Understood, understandAt } from './question.ts'
import { reachOf } from './retention.ts'

export const FACET_FIELDS_MAX = 20
export const FACET_VALUES_MAX = 100

/** Without a choice of fields: the first ones of the source. */
const FIELDS_CHOSEN = 10

/** More rows than this are not counted: the newest ones stand for all, and the answer says so. */
const COUNTED_ROWS = 2_000_000
const SUGGESTED_ROWS = 20_000

/** Longer texts with the same beginning count as one value. */
const TEXT_MAX = 500

export type FacetQuestion = Question & { fields: string[]; values: number }

export type Facet = {
  field: string
  values: { value: unknown; count: number }[]
  /** There are further values. */
  more: boolean
}

export type FacetAnswer = {
  facets: Facet[]
  /** Events that were found and counted. */
  total: number
  /** Only the newest part of the range was counted. */
  approximate: boolean
  range: Range
  lql: string
}

type Reach = Pick<Reading, 'fromUs' | 'toUs' | 'needles' | 'newestRows'>
/** A statement, and the values that are bound in it. */
type Statement = Pick<Reading, 'text' | 'params'>

export function createFacets(parts: SearchParts) {
  const { timeoutMs } = parts

  async function read(place: Place, asked: Statement & Reach, maxRows: number, signal: AbortSignal | undefined) {
    const { body, extent } = await place.read({ ...asked, maxRows, timeoutMs }, signal)
    return { rows: JSON.parse(body.toString()), readFromUs: extent.readFromUs }
  }

  async function values(
    { place, understood }: { place: Place; understood: Understood },
    path: string,
    reach: Reach,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Facet> {
    const statement = valuesSql(understood, place, path, limit + 1)
    const { rows } = await read(place, { ...statement, ...reach }, limit + 1, signal)
    const found: Facet['values'] = rows
    return { field: path, values: found.slice(0, limit), more: found.length > limit }
  }

  return {
    async count(question: FacetQuestion): Promise<FacetAnswer> {
      const { source, signal } = question
      const asked = await understandAt(question, parts)
      const { place, understood } = asked
      const { where, params, bounds, needles } = understood.sql()
      const paths = question.fields.length > 0 ? chosen(question.fields, understood.fields) : usual(understood.fields)
      const [fromUs, toUs] = reachOf(source, bounds, understood.nowMs)
      const counted = { fromUs, toUs, needles, newestRows: COUNTED_ROWS }
      const text = (events: string): string => `SELECT count(*) AS total FROM ${events} WHERE (${where})`
      const { rows, readFromUs } = await read(place, { text, params, ...counted }, 1, signal)
      const total: number = rows[0].total
      const reach = { fromUs: readFromUs ?? fromUs, toUs, newestRows: null }
      const facets: Facet[] = []
      // One after the other: each takes all the threads there are.
      for (const path of paths) facets.push(await values(asked, path, reach, question.values, signal))
      return {
        facets: facets.map((facet) => ({ ...facet, field: shortPath(facet.field) })),
        total,
        approximate: readFromUs !== null,
        range: [reach.fromUs, toUs],
        lql: print(understood.query),
      }
    },

    /** The values of one field among the newest events of a source, most frequent first. */
    async oftenSeen(source: Source, path: string, limit: number, signal?: AbortSignal): Promise<unknown[]> {
      const asked = await understandAt({ source, lql: 's:*', timeZone: 'UTC', force: true }, parts)
      const reach = { fromUs: null, toUs: null, newestRows: SUGGESTED_ROWS }
      const facet = await values(asked, path, reach, limit, signal)
      return facet.values.map(({ value }) => value)
    },
  }
}

/** Where a path leads through lists every element counts. */
function valuesSql({ fields, sql }: Understood, { words }: Place, path: string, limit: number): Statement {
  const { where, params, select } = sql(selecting([path]))
  const value = select![0]!.sql
  const lists = path.split('.').filter((_, i, names) => fields[names.slice(0, i + 1).join('.')]?.endsWith('[]')).length
  const { type } = createKnownFields(fields).find(path)!
  const isText = type === 'string'
  const each = lists > 0 && type !== 'object' ? words.eachValue(value, type, lists) : { value, join: '' }
  return {
    params,
    text: (events) =>
      `SELECT ${isText ? words.start('v', TEXT_MAX) : 'v'} AS value, count(*) AS count ` +
      `FROM (SELECT ${each.value} AS v FROM ${events}${each.join} WHERE (${where})) AS found WHERE v IS NOT NULL ` +
      `GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`,
  }
}

function chosen(names: string[], flat: FlatFields): string[] {
  if (names.length > FACET_FIELDS_MAX)
    throw new Fault('bad_request', `At most ${FACET_FIELDS_MAX} fields can be counted at once.`)
  return [...new Set(names.map((name) => pathOf(name, flat)))]
}

/** The path as the source spells it. */
function pathOf(name: string, flat: FlatFields): string {
  const text = `s:${name}`
  try {
    const query = parse(text)
    check(query, text, flat)
    const known = createKnownFields(flat).find(query.selects[0]?.path ?? '')
    if (known && known.type !== 'object') return known.path
  } catch (error) {
    if (!(error instanceof LqlError)) throw error
    throw new Fault('bad_request', `fields: ${error.message}`)
  }
  throw new Fault('bad_request', `fields: ${name} has no values of its own; name one of the fields inside.`)
}

function usual(flat: FlatFields): string[] {
  return Object.entries(flat)
    .filter(([path, type]) => !/^object/.test(type) && ![UNFIT, UNLISTED].includes(path.split('.', 1)[0]!))
    .slice(0, FIELDS_CHOSEN)
    .map(([path]) => path)
}
