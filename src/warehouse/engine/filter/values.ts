/** A value sets four marks, taken from the engine's own hash of it: the engine hashes a column faster than we could. */
import type { DuckDBConnection } from '@duckdb/node-api'
import { MARKS } from './trigrams.ts'

const LAST_MARK = MARKS - 1
/** Each mark comes from other bits. With eight marks to a value, four of them mistake one value in forty for another. */
const SHIFTS = [0, 16, 32, 48]

/** A bit string begins with the highest bit of its first byte, marks with the lowest. */
const TURN = 7

/** The marks that the values of a column set, as a bit string; NULL sets none. */
export function marksSql(column: string): string {
  const marks = SHIFTS.map((shift) => {
    const mark = `xor(CAST((hash(${column}) >> ${shift}) & ${LAST_MARK} AS INTEGER), ${TURN})`
    return `bitstring_agg(CASE WHEN ${column} IS NOT NULL THEN ${mark} END, 0, ${LAST_MARK})`
  })
  return `CAST((${marks.join(' | ')}) AS BLOB)`
}

export type Hash = (text: string) => Promise<bigint>

export const createHash =
  (connection: DuckDBConnection): Hash =>
  async (text) => {
    const found = await connection.runAndReadAll('SELECT hash($1::VARCHAR)', [text])
    return BigInt(String(found.getRows()[0]![0]))
  }

export function marksOfHash(hash: bigint): number[] {
  return SHIFTS.map((shift) => Number((hash >> BigInt(shift)) & BigInt(LAST_MARK)))
}

/** Tells whether two filters, or a filter and a query, speak of the same hash. */
export const hashProbe = async (hash: Hash): Promise<string> => String(await hash('millrace'))
