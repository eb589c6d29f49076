/**
 * The query of an endpoint, ready to be translated: the queries it names are put in their place, and a caller's own
 * query stands where the endpoint's final select stood. A caller's query sees the endpoint's WITH queries and nothing
 * else, at any depth. Everything here works on trees.
 */
import type { Clock } from '../base/clock.ts'
import type { FlatFields } from '../model/fields.ts'
import { prepare } from '../query/answer.ts'
import { type Composition, expanded, written } from '../query/compose.ts'
import type { AccountNames } from '../query/names.ts'
import { type Composed, parse, type Query, type Sql, sandbox } from '../sql/sql.ts'
import { lqlAsSql, lqlOver, quoteName } from './lql.ts'
import type { Override } from './override.ts'
import type { Numbered } from './versions.ts'

export type Compose = (endpointId: number, definition: Numbered, override: Override | null) => Composition

type Parts = { sql: Sql; schemas: { journaled(token: string): FlatFields }; clock: Clock }

export function createCompose(parts: Parts): Compose {
  return (endpointId, definition, override) =>
    written(override?.text ?? definition.query, (names) => {
      const own = composedEndpoint(endpointId, inSql(definition, names), names)
      if (!override) return own
      const text = override.language === 'sql' ? override.text : lqlText(override.text, own, names)
      const caller = parse(text)
      return { key: `${own.key}\n${text}`, tree: () => sandbox(own.tree(), caller) }
    })

  function inSql(definition: Numbered, names: AccountNames): Numbered {
    if (definition.language !== 'lql') return definition
    const columnsOf = (query: string) =>
      prepare(() => composedText(query, definition, names), names, { values: {}, requireTimestamp: false }, parts)
        .columns
    return { ...definition, query: lqlAsSql(definition.query, { columnsOf, nowMs: parts.clock.nowMs() }) }
  }

  /** The LQL as SQL over one of the WITH queries. Which columns that has, only its translation knows. */
  function lqlText(lql: string, own: Composed, names: AccountNames): string {
    const endpoint = own.tree()
    const columnsOf = (cte: string) => {
      const everything = `select * from ${quoteName(cte)}`
      const composed = { key: `${own.key}\n${everything}`, tree: () => sandbox(endpoint, parse(everything)) }
      return prepare(() => composed, names, { values: {}, requireTimestamp: false }, parts).columns
    }
    const ctes = endpoint.ctes.map(({ name }) => name)
    return lqlOver(lql, { ctes, columnsOf, nowMs: parts.clock.nowMs() })
  }
}

/** `endpointId` and version name a text that never changes, unless it was LQL; `names.mark` covers what its names mean. */
function composedEndpoint(endpointId: number, definition: Numbered, names: AccountNames): Composed {
  if (definition.language === 'lql') return composedText(definition.query, definition, names)
  return composed(`${names.mark} endpoint ${endpointId} ${definition.version}`, definition, names)
}

const composedText = (query: string, definition: Numbered, names: AccountNames): Composed =>
  composed(`${names.mark} ${JSON.stringify([query, definition.source_mapping])}`, { ...definition, query }, names)

function composed(key: string, definition: Numbered, names: AccountNames): Composed {
  let made: Query | null = null
  return {
    key,
    tree() {
      made ??= expanded(names.tree(definition), names, definition.name)
      return made
    },
  }
}
