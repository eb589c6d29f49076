import type { When } from '../time/interval.ts'
import type { Dialect } from './dialect.ts'

/** Bound values are texts, cast where they stand: no digit is lost, and they survive JSON and every driver. */
export type SqlParam = string

/** Turns values into SQL: bound ones into a place in the list, inlined ones into a literal of the dialect. */
export type SqlWriter = {
  readonly dialect: Dialect
  readonly when: When
  text(value: string): string
  integer(value: bigint): string
  float(value: number): string
  time(us: number): string
  /** How many values are bound so far, and a way back: a condition that is thrown away leaves no value behind. */
  mark(): number
  forget(mark: number): void
}

export function createWriter(dialect: Dialect, when: When, params: SqlParam[] | null): SqlWriter {
  const place = (value: string): string =>
    params === null ? dialect.literal(value) : dialect.placeholder(params.push(value))
  return {
    dialect,
    when,
    text: (value) => place(value),
    integer: (value) => dialect.integer(place(String(value))),
    float: (value) => dialect.float(place(String(value))),
    time: (us) => dialect.time(place(String(us))),
    mark: () => params?.length ?? 0,
    forget: (mark) => params?.splice(mark),
  }
}
