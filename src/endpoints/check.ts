/**
 * Looks at an endpoint before it is saved: its query must be one SELECT over what the account has, must not lead back to
 * itself, and may use only what the language knows. Fields are not checked: events that bring them may come later.
 */
import type { Clock } from '../base/clock.ts'
import { Fault, InvalidRecord } from '../base/faults.ts'
import type { CheckQuery } from '../catalog/endpoints.ts'
import type { Endpoint, EndpointSettings, QueryFacts } from '../model/endpoint.ts'
import type { FlatFields } from '../model/fields.ts'
import { prepare } from '../query/answer.ts'
import { expanded } from '../query/compose.ts'
import type { AccountNames, Names } from '../query/names.ts'
import { isUnknownField, parameterNames, parse, type Sql, tableNames, withinStack } from '../sql/sql.ts'

type Parts = { names: Names; sql: Sql; schemas: { journaled(token: string): FlatFields }; clock: Clock }

export function createCheck({ names, ...parts }: Parts): (accountId: number) => CheckQuery {
  return (accountId) => async (settings, before) => {
    checkPlace(settings)
    const known = await names.of(accountId)
    try {
      return withinStack(() => factsOf(settings, before, known, parts))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      throw new InvalidRecord({ query: [error.message] })
    }
  }
}

/** Only the warehouse answers endpoints so far. */
function checkPlace({ language, backend_id }: EndpointSettings): void {
  if (backend_id !== null) throw new InvalidRecord({ backend_id: ['names no backend that can be queried'] })
  if (language === 'lql') throw new InvalidRecord({ language: ['of an endpoint must be SQL; callers may send lql'] })
  if (language !== 'bq_sql') throw new InvalidRecord({ language: ['needs a backend that speaks it'] })
}

function factsOf(
  settings: EndpointSettings,
  before: Endpoint | null,
  known: AccountNames,
  parts: Omit<Parts, 'names'>,
): QueryFacts {
  const mapping = mappingOf(settings, before, known)
  const definition = { query: settings.query, source_mapping: mapping }
  const published = { ...definition, name: settings.name, token: before?.token ?? '' }
  // Others already see this definition, so that a way back to it is found under its new name.
  const names: AccountNames = {
    ...known,
    published: (name) => (name === settings.name ? published : known.published(name)),
  }
  const tree = expanded(known.tree(definition), names, settings.name)
  try {
    prepare(
      () => ({ key: `check ${known.mark} ${settings.name} ${settings.query}`, tree: () => tree }),
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

/** A name means what it meant when the query was written; a new query's names mean what they mean now. */
function mappingOf(
  { query, name }: EndpointSettings,
  before: Endpoint | null,
  known: AccountNames,
): Record<string, string> {
  const earlier = (table: string): string | undefined => {
    const token = before && Object.hasOwn(before.source_mapping, table) ? before.source_mapping[table] : undefined
    return token !== undefined && known.hasSource(token) ? token : undefined
  }
  const isSame = before?.query === query
  const mapping = new Map<string, string>()
  for (const table of tableNames(parse(query))) {
    const token = isSame ? (earlier(table) ?? known.sourceToken(table)) : (known.sourceToken(table) ?? earlier(table))
    if (token !== undefined) mapping.set(table, token)
    else if (!known.published(table) && table !== name) throw new Fault('bad_request', `can't find source ${table}`)
  }
  return Object.fromEntries(mapping)
}
