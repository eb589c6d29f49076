import type { ColumnType } from '../column-type.ts'
import { MAX_MATCH_STEPS } from '../limits.ts'
import { printLiteral } from '../literals.ts'
import { shortPath } from '../paths.ts'
import { type Literal, MESSAGE, type Regex } from '../query.ts'
import { compilePattern } from '../regex.ts'
import type { SqlWriter } from '../sql/writer.ts'
import type { Misfit, Operator, Test } from './operator.ts'

/** `~^GET`, `m.path:~"^/v1"`: some part of the text matches; numbers and booleans are no text. */
export function regex({ path, value }: Regex): Operator {
  return {
    print: () => (path === MESSAGE ? `~${printLiteral(value)}` : `${shortPath(path)}:~${printLiteral(value)}`),
    test: () => matching(value.text),
    sql: (column, type, write) => matchSql(value.text, column, type, write),
    misfit: (type) => textless(value, type),
  }
}

export function matching(text: string): Test {
  const pattern = compilePattern(text)
  if (typeof pattern === 'string')
    throw new Error(`a query holds a pattern that was never checked: expected ${pattern}`)
  const longest = Math.floor(MAX_MATCH_STEPS / pattern.programSize())
  return (found) => typeof found === 'string' && pattern.test(found.length > longest ? found.slice(0, longest) : found)
}

export function matchSql(text: string, column: string, type: ColumnType, write: SqlWriter): string | null {
  return type === 'string' ? write.dialect.matches(column, write.text(write.dialect.pattern(text))) : null
}

export function textless(value: Literal, type: ColumnType): Misfit | null {
  if (type === 'string') return null
  return {
    expected: `a comparison or a range such as 500..599, as a regular expression needs text and this field is ${type}`,
    at: value.at,
  }
}
