import { printLiteral } from '../literals.ts'
import { shortPath } from '../paths.ts'
import type { IncludesRegex } from '../query.ts'
import type { Operator } from './operator.ts'
import { matching, matchSql, textless } from './regex.ts'

/** `m.tags:@>~^re`: the list has an element that matches. */
export function includesRegex({ path, value }: IncludesRegex): Operator {
  return {
    print: () => `${shortPath(path)}:@>~${printLiteral(value)}`,
    test: () => matching(value.text),
    sql: (column, type, write) => matchSql(value.text, column, type, write),
    misfit: (type) => textless(value, type),
  }
}
