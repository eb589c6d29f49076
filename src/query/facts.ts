/**
 * Looks at a query before it is published: it must be one SELECT over what the account has, must not lead back to
 * itself, and may use only what the language knows. Fields are not checked: events that bring them may come later.
 */
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/faults.ts'
import type { QueryFacts } from '../model/endpoint.ts'
import type { FlatFields } from '../model/fields.ts'
import { isUnknownField, parameterNames, parse, type Sql, tableNames } from '../sql/sql.ts'
import { prepare } from './answer.ts'
import { expanded } from './compose.ts'
import type { AccountNames, Published } from './names.ts'

export type FactParts = { sql: Sql; schemas: { journaled(token: string): FlatFields }; clock: Clock }

type Draft = {
  query: string
  /** The name under which others will find it as a table; null when they will not. */
  self: string | null
  /** As it is published now. */
  before: Pick<Published, 'token' | 'query' | 'source_mapping'> | null
}

export function factsOf({ query, self, before }: Draft, known: AccountNames, parts: FactParts): QueryFacts {
  const mapping = mappingOf({ query, self, before }, known)
  const definition = { query, source_mapping: mapping }
  const tree = expanded(known.tree(definition), withDraft({ ...definition, self, before }, known), self)
  try {
    prepare(
      () => ({ key: `check ${known.mark} ${JSON.stringify([self, query, mapping])}`, tree: () => tree }),
      known,
      { values: {}, requireTimestamp: false },
      parts,
    )
  } catch (error) {
    // Without a source there is nothing that could still bring the field.
    if (!isUnknownField(error) || tableNames(tree).length === 0) throw error
  }
  return { source_mapping: mapping, parameters: parameterNames(tree) }
}

/** Others already see this definition, so that a way back to it is found under its new name. */
function withDraft(draft: Draft & Pick<Published, 'source_mapping'>, known: AccountNames): AccountNames {
  const { query, source_mapping, self, before } = draft
  if (self === null) return known
  const published = { name: self, token: before?.token ?? '', query, source_mapping }
  return { ...known, published: (name) => (name === self ? published : known.published(name)) }
}

/** A name means what it meant when the query was written; a new query's names mean what they mean now. */
function mappingOf({ query, self, before }: Draft, known: AccountNames): Record<string, string> {
  const earlier = (table: string): string | undefined => {
    const token = before && Object.hasOwn(before.source_mapping, table) ? before.source_mapping[table] : undefined
    return token !== undefined && known.hasSource(token) ? token : undefined
  }
  const isSame = before?.query === query
  const mapping = new Map<string, string>()
  for (const table of tableNames(parse(query))) {
    const token = isSame ? (earlier(table) ?? known.sourceToken(table)) : (known.sourceToken(table) ?? earlier(table))
    if (token !== undefined) mapping.set(table, token)
    else if (!known.published(table) && table !== self) throw new Fault('bad_request', `can't find source ${table}`)
  }
  return Object.fromEntries(mapping)
}
