import { printLiteral } from '../literals.ts'
import { shortPath } from '../paths.ts'
import type { Includes } from '../query.ts'
import { equalSql, equalTo, misread } from './equals.ts'
import type { Operator } from './operator.ts'

/** `m.tags:@>red`: the list has this element. A single value counts as a list of one. */
export function includes({ path, value }: Includes): Operator {
  return {
    print: () => `${shortPath(path)}:@>${printLiteral(value)}`,
    test: () => equalTo(value.text),
    sql: (column, type, write) => equalSql(value.text, column, type, write),
    misfit: (type) => misread(value, type),
  }
}
