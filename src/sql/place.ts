import type { Bound } from './bounds.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { Emitted } from './emitted.ts'
import type { Needle } from './needles.ts'
import type { Relation } from './tree.ts'
import type { Column, ValueType } from './value-types.ts'

export type Translated = { sql: string; columns: Column[] }

/** One mention of a source; two mentions of the same source are two, each with its own bounds. */
export type SourceUse = {
  number: number
  token: string
  name: string
  columns: Column[]
  bounds: Bound[]
  needles: Needle[]
}

/** A WITH query as the text calls it. `uses` are the WITH queries and sources its body reads. */
export type CteRange = { alias: string; columns: Column[]; uses: { ctes: CteRange[]; sources: SourceUse[] } }

export type CteScope = { names: Map<string, CteRange>; outer: CteScope | null }

/** Where a query stands: what it sees, and where it notes what it reads. */
export type Place = {
  ctes: CteScope | null
  sealed: boolean
  uses: CteRange['uses']
}

/** What something in FROM turned out to be: a name may mean a source or a WITH query, and a list may be an object. */
export type Meaning = { kind: 'source'; token: string } | { kind: 'cte' | 'list' | 'object' }

/** The parts of a translation that all of its queries share. */
export type Translation = {
  dialect: Dialect
  requireTimestamp: boolean
  /** Rows beyond a source's bounds are left out by whoever runs the text. */
  boundsKept: boolean
  /** By its name, or by the token it is tied to. */
  source(name: string, token?: string): { token: string; columns: Column[] } | undefined
  nextNumber(kind: 'source' | 'cte' | 'range'): number
  parameter(name: string, want: ValueType | undefined): Emitted
  note?(relation: Relation, meaning: Meaning): void
  fail(at: number, message: string): Error
}

/** The WITH queries that are read from here, directly or through others. */
export function readCtes(uses: CteRange['uses'], seen = new Set<CteRange>()): Set<CteRange> {
  for (const cte of uses.ctes) {
    if (seen.has(cte)) continue
    seen.add(cte)
    readCtes(cte.uses, seen)
  }
  return seen
}
