import { Fault } from '../base/faults.ts'
import { rebuilder } from './rebuild.ts'
import { type Body, type Cte, dotted, type Query, type Relation } from './tree.ts'

/**
 * Queries made of queries. Both work on trees, never on text: a caller's query over an endpoint's WITH queries, and
 * endpoints or alerts named as tables.
 */

/**
 * The caller's query in place of the endpoint's final select. It is sealed: it sees the endpoint's WITH queries and its
 * own, no source and no other endpoint, at any depth.
 */
export function sandbox(endpoint: Query, caller: Query): Query {
  if (endpoint.ctes.length === 0) {
    throw new Fault('bad_request', 'this endpoint has no WITH queries for another query to read')
  }
  const body: Body = { kind: 'nested', query: { ...caller, sealed: true }, at: caller.at }
  return { ...endpoint, body, orderBy: [], limit: null, offset: null }
}

/** The query behind a name, or undefined when the name means no endpoint or alert. */
export type Lookup = (name: string) => Query | undefined

/** How deep named queries may build on each other. */
const MOST_LEVELS = 20
/** How many named queries one query may come to: each level can name the next one twice. */
const MOST_QUERIES = 500

/** Puts named queries in the place of their names, at any depth; a name that leads back to itself is a fault. */
export function expand(query: Query, lookup: Lookup, path: readonly string[] = []): Query {
  let count = 0
  return inside(query, path)

  function inside(of: Query, here: readonly string[]): Query {
    if (here.length > MOST_LEVELS)
      throw new Fault('bad_request', `queries refer to each other too deeply: ${here.join(' → ')}`)
    return replaceTables(of, (table) => {
      if (table.source !== undefined) return table
      const name = dotted(table.parts)
      const found = lookup(name)
      if (!found) return table
      if (here.includes(name))
        throw new Fault('bad_request', `queries refer to each other in a circle: ${[...here, name].join(' → ')}`)
      count += 1
      if (count > MOST_QUERIES) throw new Fault('bad_request', `the query comes to more than ${MOST_QUERIES} queries`)
      const alias = table.alias ?? table.parts.at(-1)!.text
      return { kind: 'derived', query: inside(found, [...here, name]), alias, at: table.at }
    })
  }
}

/** Ties names of sources to the sources they meant when the query was saved, whatever those are called today. */
export function bindSources(query: Query, tokenOf: (name: string) => string | undefined): Query {
  return replaceTables(query, (table) => {
    const source = tokenOf(dotted(table.parts))
    return source === undefined ? table : { ...table, source }
  })
}

/** The names of all tables that are no WITH query, each once. */
export function tableNames(query: Query): string[] {
  const names = new Set<string>()
  replaceTables(query, (table) => {
    names.add(dotted(table.parts))
    return table
  })
  return [...names]
}

type Table = Relation & { kind: 'table' }

/** A copy of the query with every table that is no WITH query replaced. Sealed queries stay as they are. */
function replaceTables(query: Query, replace: (table: Table) => Relation): Query {
  return inQuery(query, new Set())

  function inQuery(of: Query, outer: ReadonlySet<string>): Query {
    if (of.sealed) return of
    const names = new Set(outer)
    const ctes: Cte[] = of.ctes.map((cte) => {
      const own = of.recursive ? new Set([...names, cte.name.toLowerCase()]) : names
      const inner = inQuery(cte.query, own)
      names.add(cte.name.toLowerCase())
      return { ...cte, query: inner }
    })
    const to = rebuilder({
      query: (inner) => inQuery(inner, names),
      relation: (_, rebuilt) =>
        rebuilt.kind !== 'table' || names.has(dotted(rebuilt.parts).toLowerCase()) ? rebuilt : replace(rebuilt),
    })
    return {
      ...of,
      ctes,
      body: to.body(of.body),
      orderBy: to.orders(of.orderBy),
      limit: to.maybe(of.limit),
      offset: to.maybe(of.offset),
    }
  }
}
