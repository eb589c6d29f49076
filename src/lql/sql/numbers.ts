import { MAX_INTEGER, MIN_INTEGER, type NumberLiteral } from '../numbers.ts'
import type { Sign } from '../query.ts'
import type { SqlWriter } from './writer.ts'

export function numberSql(
  column: string,
  type: 'integer' | 'float',
  sign: Sign | '=',
  number: NumberLiteral | null,
  write: SqlWriter,
): string | null {
  if (!number) return null
  if (type === 'integer') return integerCondition(column, sign, number.exact, write)
  return `${column} ${sign} ${write.float(number.double)}`
}

/**
 * An integer column is only ever compared with an integer inside its own range: engines compare a 64-bit integer with
 * anything else as doubles, which makes neighbours equal.
 */
function integerCondition(column: string, sign: Sign | '=', number: number | bigint, write: SqlWriter): string | null {
  const isWhole = typeof number === 'bigint' || Number.isInteger(number)
  if (!isWhole && sign === '=') return null
  const roundsDown = sign === '>' || sign === '<='
  const bound = BigInt(isWhole ? number : roundsDown ? Math.floor(Number(number)) : Math.ceil(Number(number)))
  if (bound > MAX_INTEGER) return sign === '<' || sign === '<=' ? `${column} IS NOT NULL` : null
  if (bound < MIN_INTEGER) return sign === '>' || sign === '>=' ? `${column} IS NOT NULL` : null
  return `${column} ${sign} ${write.integer(bound)}`
}
