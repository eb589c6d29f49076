import { isNull, printLiteral } from '../literals.ts'
import { shortPath } from '../paths.ts'
import type { OneOf } from '../query.ts'
import { equalSql, equalTo, misread } from './equals.ts'
import type { Operator } from './operator.ts'

/** `m.status:(500,502)`: equal to one of the values. */
export function oneOf({ path, values }: OneOf): Operator {
  const acceptsMissing = values.some(isNull)
  const literals = values.filter((value) => !isNull(value))
  return {
    print: () => `${shortPath(path)}:(${values.map(printLiteral).join(',')})`,
    test() {
      const texts = new Set(literals.map(({ text }) => text))
      // Text is only ever equal to itself, so the other values are tried for numbers and booleans alone.
      const tests = literals.map(({ text }) => equalTo(text))
      return (found) => {
        if (typeof found === 'string') return texts.has(found)
        if (found === undefined) return acceptsMissing
        for (const test of tests) if (test(found)) return true
        return false
      }
    },
    sql(column, type, write) {
      const conditions = literals.map(({ text }) => equalSql(text, column, type, write)).filter((sql) => sql !== null)
      if (acceptsMissing) conditions.push(`${column} IS NULL`)
      return conditions.length === 0 ? null : `(${conditions.join(' OR ')})`
    },
    misfit(type) {
      for (const value of literals) {
        const misfit = misread(value, type)
        if (misfit) return misfit
      }
      return null
    },
  }
}
