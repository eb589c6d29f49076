/** The time that a query can reach at all: what lies outside need not be read. Never too narrow, sometimes too wide. */
import type { Filter, Query, Time } from './query.ts'
import { intervalOf, type When } from './time/interval.ts'

/** Microseconds, both included; null is open. */
export type TimeBounds = { fromUs: number | null; toUs: number | null }

const OPEN: TimeBounds = { fromUs: null, toUs: null }

export function timeBounds({ filter }: Query, when: When): TimeBounds {
  return filter ? boundsOf(filter, when) : OPEN
}

function boundsOf(filter: Filter, when: When): TimeBounds {
  switch (filter.op) {
    case 'time':
      return clauseBounds(filter, when)
    case 'all':
      return filter.of.map((part) => boundsOf(part, when)).reduce(intersect)
    case 'any':
      return filter.of.map((part) => boundsOf(part, when)).reduce(unite)
    case 'not':
      return filter.of.op === 'time' ? complement(filter.of, when) : OPEN
    default:
      return OPEN
  }
}

function clauseBounds({ sign, time }: Time, when: When): TimeBounds {
  const { fromUs, toUs } = intervalOf(time, when.nowMs(), when.zone)
  switch (sign) {
    case '=':
      return { fromUs, toUs }
    case '>':
      return { fromUs: toUs + 1, toUs: null }
    case '>=':
      return { fromUs, toUs: null }
    case '<':
      return { fromUs: null, toUs: fromUs - 1 }
    case '<=':
      return { fromUs: null, toUs }
  }
}

const OPPOSITE = { '>': '<=', '>=': '<', '<': '>=', '<=': '>' } as const

/** What is left outside an interval has no one bound; outside a half-line it has. */
function complement(clause: Time, when: When): TimeBounds {
  return clause.sign === '=' ? OPEN : clauseBounds({ ...clause, sign: OPPOSITE[clause.sign] }, when)
}

function intersect(a: TimeBounds, b: TimeBounds): TimeBounds {
  return {
    fromUs: a.fromUs === null ? b.fromUs : b.fromUs === null ? a.fromUs : Math.max(a.fromUs, b.fromUs),
    toUs: a.toUs === null ? b.toUs : b.toUs === null ? a.toUs : Math.min(a.toUs, b.toUs),
  }
}

function unite(a: TimeBounds, b: TimeBounds): TimeBounds {
  return {
    fromUs: a.fromUs === null || b.fromUs === null ? null : Math.min(a.fromUs, b.fromUs),
    toUs: a.toUs === null || b.toUs === null ? null : Math.max(a.toUs, b.toUs),
  }
}
