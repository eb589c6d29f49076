/** Says what a query asks for, without running it. */
import type { Clock } from '../base/clock.ts'
import type { FlatFields } from '../model/fields.ts'
import type { NativeDialect } from '../sql/native/words.ts'
import { parameterNames, parse, print, type Sql, withinStack } from '../sql/sql.ts'
import { prepare } from './answer.ts'
import { expanded, typed } from './compose.ts'
import type { Names } from './names.ts'
import { nativeFacts } from './native.ts'

export type ParsedQuery = { parameters: string[]; expanded_query: string; translated: string }

/** Without a dialect the text is warehouse SQL. That of an outside engine stays as it is. */
export type ParseQuery = (accountId: number, text: string, dialect: NativeDialect | null) => Promise<ParsedQuery>

type Parts = { sql: Sql; names: Names; schemas: { journaled(token: string): FlatFields }; clock: Clock }

export function createParse({ names, ...parts }: Parts): ParseQuery {
  return async (accountId, text, dialect) => {
    const known = await names.of(accountId)
    if (dialect !== null)
      return { parameters: nativeFacts(text, dialect, known).parameters, expanded_query: text, translated: text }
    const { text: translated } = prepare(typed(text), known, { values: {}, requireTimestamp: false }, parts)
    const tree = withinStack(() => expanded(parse(text), known))
    return { parameters: parameterNames(tree), expanded_query: print(tree), translated }
  }
}
