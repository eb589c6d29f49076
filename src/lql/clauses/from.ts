import { quote } from '../literals.ts'
import type { From } from '../query.ts'
import type { Reader } from '../reader.ts'

const MAX_NAME = 255

/** Names of sources have dots and dashes; those with anything else stand in quotes. */
const BARE = /[A-Za-z_][A-Za-z0-9_.-]*/y
const IS_BARE = /^[A-Za-z_][A-Za-z0-9_.-]*$/

/** `f:orders`, `f:"my orders"`: the table that a query over several reads. The reader stands behind the colon. */
export function readFrom(reader: Reader, start: number): From {
  const nameAt = reader.at
  const table = reader.char === '"' ? reader.quoted().text : reader.take(BARE)?.[0]
  if (!table) return reader.refuse('the name of a table', nameAt)
  if (table.length > MAX_NAME) reader.refuse(`a name of at most ${MAX_NAME} characters`, nameAt)
  reader.endClause()
  return { table, at: reader.spanFrom(start) }
}

export const printFrom = ({ table }: From): string => `f:${IS_BARE.test(table) ? table : quote(table)}`
