import { fullPath, shortPath } from '../paths.ts'
import type { Select } from '../query.ts'
import type { Reader } from '../reader.ts'

/** `s:m.user_id@uid`, `s:*`: what a result shows, and under which name. The reader stands behind the colon. */
export function readSelect(reader: Reader, start: number): Select {
  const pathStart = reader.at
  const path = reader.take(/\*|[A-Za-z0-9_.]+/y)
  if (!path) reader.refuse('a field or *')
  const pathAt = reader.spanFrom(pathStart)
  const alias = reader.skip('@') ? reader.take(/[A-Za-z0-9_]+/y) : null
  if (alias === null && reader.text[reader.at - 1] === '@') reader.refuse('a name made of letters, digits and _')
  reader.endClause()
  return { path: fullPath(path[0]), alias: alias?.[0] ?? null, at: reader.spanFrom(start), pathAt }
}

export const printSelect = ({ path, alias }: Select): string =>
  `s:${shortPath(path)}${alias === null ? '' : `@${alias}`}`
