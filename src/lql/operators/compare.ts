import type { ColumnType } from '../column-type.ts'
import { printLiteral } from '../literals.ts'
import { orderOf, readNumber } from '../numbers.ts'
import { shortPath } from '../paths.ts'
import type { Compare, Literal, Sign } from '../query.ts'
import { numberSql } from '../sql/numbers.ts'
import type { SqlWriter } from '../sql/writer.ts'
import { compareText } from '../texts.ts'
import { misread } from './equals.ts'
import type { Misfit, Operator, Test } from './operator.ts'

/** `m.ms:>100`, also `>=`, `<`, `<=`: numbers by value, text by its bytes; booleans have no order. */
export function compare({ path, sign, value }: Compare): Operator {
  return {
    print: () => `${shortPath(path)}:${sign}${printLiteral(value)}`,
    test: () => comparedTo(value.text, sign),
    sql: (column, type, write) => compareSql(value.text, sign, column, type, write),
    misfit: (type) => unordered(value, type),
  }
}

export function comparedTo(text: string, sign: Sign): Test {
  const number = readNumber(text)
  const holds = HOLDS[sign]
  const other: Test = (found) => {
    if (typeof found === 'string') return holds(compareText(found, text))
    return number !== null && holds(orderOf(found, number))
  }
  return number !== null && number.exact === number.double ? withDoubles(number.double, sign, other) : other
}

/** Numbers that both sides hold exactly are most of all comparisons in rules, and are compared here and now. */
function withDoubles(limit: number, sign: Sign, other: Test): Test {
  switch (sign) {
    case '>':
      return (found) => (typeof found === 'number' ? found > limit : other(found))
    case '>=':
      return (found) => (typeof found === 'number' ? found >= limit : other(found))
    case '<':
      return (found) => (typeof found === 'number' ? found < limit : other(found))
    case '<=':
      return (found) => (typeof found === 'number' ? found <= limit : other(found))
  }
}

/** NaN, the order of what cannot be compared, holds for none of them. */
const HOLDS: Record<Sign, (order: number) => boolean> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
}

export function compareSql(
  text: string,
  sign: Sign,
  column: string,
  type: ColumnType,
  write: SqlWriter,
): string | null {
  if (type === 'string') return `${column} ${sign} ${write.text(text)}`
  if (type === 'boolean' || type === 'timestamp') return null
  return numberSql(column, type, sign, readNumber(text), write)
}

export function unordered(value: Literal, type: ColumnType): Misfit | null {
  if (type === 'boolean')
    return { expected: 'true or false without a comparison, as booleans have no order', at: value.at }
  return misread(value, type)
}
