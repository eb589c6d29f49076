/** What one query gave for each of many parts, in a table of the readers' instance. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Part } from '../../manifest.ts'
import type { Bound } from '../bind.ts'

/** The rows that a query gives for some relation. */
export type Step = { text: string } & Bound

export type PartialTable = {
  readonly bytes: number
  has(part: Part): boolean
  /** False when the part gives too many rows. */
  add(connection: DuckDBConnection, part: Part, step: Step | null): Promise<boolean>
  /** Makes the table, with the columns of this step. */
  open(connection: DuckDBConnection, step: Step): Promise<void>
  /** Keeps the rows of these parts only, for the last reader there is. */
  keepOnly(connection: DuckDBConnection, parts: Part[]): Promise<void>
  /** The rows of these parts. */
  select(parts: Part[]): string
  drop(connection: DuckDBConnection): Promise<void>
}

/** Of a part that gives more rows than these nothing is kept. */
const MOST_ROWS = 50_000

/** A source may be deleted and made anew: then the name of a part can come twice. */
const keyOf = ({ file, crc, bytes }: Part): string => `${file} ${crc} ${bytes}`

export function createPartialTable(name: string): PartialTable {
  let parts = new Map<string, { number: number; bytes: number }>()
  let copies = 0
  let table: string | null = null
  let nextNumber = 0

  const numbersOf = (some: Part[]): number[] => some.flatMap((part) => parts.get(keyOf(part))?.number ?? [])
  const chosen = (some: Part[]): string => `part IN (${[-1, ...numbersOf(some)].join(', ')})`

  async function bytesOf(connection: DuckDBConnection, number: number): Promise<number> {
    const found = await connection.runAndReadAll(
      `SELECT sum(strlen(CAST(of AS VARCHAR))) FROM ${table} AS of WHERE part = ${number}`,
    )
    return Number(found.getRows()[0]?.[0] ?? 0)
  }

  return {
    get bytes() {
      return parts.values().reduce((sum, part) => sum + part.bytes, 0)
    },
    has: (part) => parts.has(keyOf(part)),
    async open(connection, { text, values, types }) {
      if (table) return
      await connection.run(`CREATE TABLE ${name} AS SELECT 0 AS part, * FROM (${text}) LIMIT 0`, values, types)
      table = name
    },
    async add(connection, part, step) {
      const number = nextNumber
      nextNumber += 1
      let bytes = 0
      if (step) {
        const insert = `INSERT INTO ${table} SELECT ${number}, * FROM (${step.text}) LIMIT ${MOST_ROWS + 1}`
        const { rowsChanged } = await connection.run(insert, step.values, step.types)
        if (rowsChanged > MOST_ROWS) return false
        bytes = await bytesOf(connection, number)
      }
      parts.set(keyOf(part), { number, bytes })
      return true
    },
    async keepOnly(connection, some) {
      const kept = new Map(some.map(keyOf).flatMap((key) => (parts.has(key) ? [[key, parts.get(key)!]] : [])))
      if (!table || kept.size === parts.size) return
      // Written anew: the memory of deleted rows would stay taken.
      copies += 1
      const next = `${name}_${copies}`
      await connection.run(`CREATE TABLE ${next} AS SELECT * FROM ${table} WHERE ${chosen(some)}`)
      const before = table
      parts = kept
      table = next
      await connection.run(`DROP TABLE ${before}`)
    },
    // By number always: a query that was stopped may have left rows that nobody named.
    select: (some) => `SELECT * EXCLUDE (part) FROM ${table} WHERE ${chosen(some)}`,
    async drop(connection) {
      if (table) await connection.run(`DROP TABLE IF EXISTS ${table}`)
      table = null
    },
  }
}
