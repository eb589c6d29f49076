import type { When } from '../time/interval.ts'
import type { Dialect } from './dialect.ts'

/** A bound value. Integers and times travel as digits and are cast where they stand, so that every value survives JSON. */
export type SqlParam = string | number

/** Turns values into SQL: bound ones into a place in the list, inlined ones into a literal of the dialect. */
export type SqlWriter = {
  readonly dialect: Dialect
  readonly when: When
  text(value: string): string
  integer(value: bigint): string
  float(value: number): string
  time(us: number): string
}

export function createWriter(dialect: Dialect, when: When, params: SqlParam[] | null): SqlWriter {
  const place = (value: SqlParam, type: 'text' | 'integer' | 'float'): string => {
    if (params === null) return dialect.literal(String(value))
    return dialect.placeholder(params.push(value), type)
  }
  return {
    dialect,
    when,
    text: (value) => place(value, 'text'),
    integer: (value) => dialect.integer(place(String(value), 'integer')),
    float: (value) => dialect.float(place(params === null ? String(value) : value, 'float')),
    time: (us) => dialect.time(place(String(us), 'integer')),
  }
}
