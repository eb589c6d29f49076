import type { From } from '../query.ts'
import type { Reader } from '../reader.ts'

const MAX_NAME = 255

/** `f:orders`: the table that a query over several reads. The reader stands behind the colon. */
export function readFrom(reader: Reader, start: number): From {
  const nameAt = reader.at
  const name = reader.take(/[A-Za-z_][A-Za-z0-9_]*/y)
  if (!name) reader.refuse('the name of a table')
  if (name[0].length > MAX_NAME) reader.refuse(`a name of at most ${MAX_NAME} characters`, nameAt)
  reader.endClause()
  return { table: name[0], at: reader.spanFrom(start) }
}

export const printFrom = ({ table }: From): string => `f:${table}`
