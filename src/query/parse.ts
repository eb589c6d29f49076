/** Says what a query asks for, without running it. */
import type { Clock } from '../base/clock.ts'
import type { FlatFields } from '../model/fields.ts'
import { parameterNames, parse, print, type Sql, withinStack } from '../sql/sql.ts'
import { prepare } from './answer.ts'
import { expanded, typed } from './compose.ts'
import type { Names } from './names.ts'

export type ParsedQuery = { parameters: string[]; expanded_query: string; translated: string }

export type ParseQuery = (accountId: number, text: string) => Promise<ParsedQuery>

type Parts = { sql: Sql; names: Names; schemas: { journaled(token: string): FlatFields }; clock: Clock }

export function createParse({ names, ...parts }: Parts): ParseQuery {
  return async (accountId, text) => {
    const known = await names.of(accountId)
    const { text: translated } = prepare(typed(text), known, { values: {}, requireTimestamp: false }, parts)
    const tree = withinStack(() => expanded(parse(text), known))
    return { parameters: parameterNames(tree), expanded_query: print(tree), translated }
  }
}
