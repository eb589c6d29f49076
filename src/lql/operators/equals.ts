import type { ColumnType } from '../column-type.ts'
import { printLiteral } from '../literals.ts'
import { orderOf, readNumber } from '../numbers.ts'
import { shortPath } from '../paths.ts'
import type { Equals, Literal } from '../query.ts'
import { numberSql } from '../sql/numbers.ts'
import type { SqlWriter } from '../sql/writer.ts'
import type { Misfit, Operator, Test } from './operator.ts'

/** `m.plan:gold`: the whole value, read as the type of the field. */
export function equals({ path, value }: Equals): Operator {
  return {
    print: () => `${shortPath(path)}:${printLiteral(value)}`,
    test: () => equalTo(value.text),
    sql: (column, type, write) => equalSql(value.text, column, type, write),
    misfit: (type) => misread(value, type),
  }
}

export function equalTo(text: string): Test {
  const number = readNumber(text)
  if (number && number.exact === number.double) {
    const { double } = number
    return (found) =>
      typeof found === 'number'
        ? found === double
        : typeof found === 'string'
          ? found === text
          : orderOf(found, number) === 0
  }
  if (number) return (found) => (typeof found === 'string' ? found === text : orderOf(found, number) === 0)
  const boolean = readBoolean(text)
  if (boolean !== null) return (found) => found === text || found === boolean
  return (found) => found === text
}

/** The values that are equal to the text, as keys of a map; null when a map would not find all of them. */
export function keysOf(text: string): readonly unknown[] | null {
  const number = readNumber(text)
  if (number) return number.exact === number.double ? [text, number.double] : null
  const boolean = readBoolean(text)
  return boolean === null ? [text] : [text, boolean]
}

export function equalSql(text: string, column: string, type: ColumnType, write: SqlWriter): string | null {
  switch (type) {
    case 'string':
      return `${column} = ${write.text(text)}`
    case 'boolean':
      return readBoolean(text) === null ? null : `${column} = ${text}`
    case 'timestamp':
      return null
    default:
      return numberSql(column, type, '=', readNumber(text), write)
  }
}

function readBoolean(text: string): boolean | null {
  return text === 'true' ? true : text === 'false' ? false : null
}

const WANTED: Record<ColumnType, string> = {
  string: 'text',
  integer: 'a whole number',
  float: 'a number',
  boolean: 'true or false',
  timestamp: 'a time',
}

/** A value that cannot be read as the type of the field. Decimals are fine for integers: they just lie between them. */
export function misread({ text, at }: Literal, type: ColumnType): Misfit | null {
  if (type === 'string') return null
  const fits = type === 'boolean' ? readBoolean(text) !== null : type !== 'timestamp' && readNumber(text) !== null
  return fits ? null : { expected: WANTED[type], at }
}
