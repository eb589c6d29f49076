import { parse } from './parse.ts'
import type { Meaning } from './place.ts'
import { print } from './print.ts'
import { rebuilder } from './rebuild.ts'
import { dotted, type Expr, type Name, type Query, type Relation, type TypeName } from './tree.ts'
import { typeNamed } from './value-types.ts'

/**
 * A checked query as BigQuery itself reads it. Names of sources become its tables, and the few things that warehouse SQL
 * takes beyond GoogleSQL are written out: UNNEST of an object, and names of types from other dialects. `meanings` is what
 * the translation found; a name in FROM that it did not look at is none of ours, and stops the query.
 */
export function inBigquery(
  query: Query,
  {
    meanings,
    table,
    parameters,
  }: {
    meanings: ReadonlyMap<Relation, Meaning>
    /** A source's events, as a query. */
    table(token: string): string
    /** Names, in the order of their numbers: the first is `@p1`. */
    parameters: string[]
  },
): string {
  const aliases = aliasesOf(meanings)
  const numbers = new Map(parameters.map((name, i) => [name, `p${i + 1}`]))

  function inQuery(of: Query): Query {
    const to = rebuilder({ query: inQuery, relation, expr })
    return {
      ...of,
      ctes: of.ctes.map((cte) => ({ ...cte, query: inQuery(cte.query) })),
      body: to.body(of.body),
      orderBy: to.orders(of.orderBy),
      limit: to.maybe(of.limit),
      offset: to.maybe(of.offset),
    }
  }

  function relation(of: Relation, rebuilt: Relation): Relation {
    if (rebuilt.kind === 'derived' || rebuilt.kind === 'join') return rebuilt
    const meaning = meanings.get(of)
    if (!meaning) throw new Error('something in FROM was not looked at')
    if (rebuilt.kind === 'unnest')
      return meaning.kind === 'object' ? { ...rebuilt, of: listOfOne(rebuilt.of) } : rebuilt
    if (meaning.kind === 'cte') return rebuilt
    const name = dotted(rebuilt.parts)
    if (meaning.kind === 'source') {
      const alias = rebuilt.alias ?? aliases.get(name.toLowerCase()) ?? name
      return { kind: 'derived', query: parse(table(meaning.token)), alias, at: rebuilt.at }
    }
    const path: Expr = { kind: 'path', parts: renamed(rebuilt.parts), at: rebuilt.at }
    const list = meaning.kind === 'object' ? listOfOne(path) : path
    return {
      kind: 'unnest',
      of: list,
      alias: rebuilt.alias ?? rebuilt.parts.at(-1)!.text,
      offset: null,
      at: rebuilt.at,
    }
  }

  function expr(of: Expr): Expr {
    if (of.kind === 'parameter') return { ...of, name: numbers.get(of.name) ?? of.name }
    if (of.kind === 'path') return { ...of, parts: renamed(of.parts) }
    if (of.kind === 'cast') return { ...of, to: googleType(of.to) }
    if (of.kind === 'array') return { ...of, of: of.of && googleType(of.of) }
    return of.kind === 'struct' ? { ...of, type: of.type && googleType(of.type) } : of
  }

  /** `a.b.column` of the source `a.b` begins with the alias that this has now. */
  function renamed(parts: Name[]): Name[] {
    for (let count = parts.length; count > 0; count--) {
      const alias = aliases.get(dotted(parts.slice(0, count)).toLowerCase())
      if (alias !== undefined) return [{ text: alias, quoted: false }, ...parts.slice(count)]
    }
    return parts
  }

  return print(inQuery(query))
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Aliases for sources whose names are none: the last part, as warehouse SQL has it, or a number. */
function aliasesOf(meanings: ReadonlyMap<Relation, Meaning>): Map<string, string> {
  const names = new Set<string>()
  for (const [of, { kind }] of meanings)
    if (kind === 'source' && of.kind === 'table' && of.alias === null) names.add(dotted(of.parts).toLowerCase())
  const aliases = new Map<string, string>()
  for (const name of names) {
    if (PLAIN.test(name)) continue
    const last = name.slice(name.lastIndexOf('.') + 1)
    const isFree = PLAIN.test(last) && !names.has(last) && ![...aliases.values()].includes(last)
    aliases.set(name, isFree ? last : `source_${aliases.size + 1}`)
  }
  return aliases
}

/** Of an object a list with it, and of no object an empty one. */
function listOfOne(of: Expr): Expr {
  const query = parse('SELECT object FROM UNNEST([object]) AS object WHERE object IS NOT NULL')
  const { body } = query
  if (body.kind !== 'select' || body.from?.kind !== 'unnest') throw new Error('this query is always the same')
  const from: Relation = { ...body.from, of: { kind: 'array', items: [of], of: null, at: of.at } }
  return { kind: 'arrayQuery', query: { ...query, body: { ...body, from } }, at: of.at }
}

function googleType(type: TypeName): TypeName {
  if (type.kind === 'array') return { ...type, of: googleType(type.of) }
  if (type.kind === 'struct')
    return { ...type, fields: type.fields.map((field) => ({ ...field, type: googleType(field.type) })) }
  const known = typeNamed(type, 'duckdb')
  if (!known || known.type.kind === 'numeric') return type
  return { ...type, name: known.type.kind }
}
