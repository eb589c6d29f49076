import { fullPath, shortPath } from '../paths.ts'
import { type Aggregate, type Chart, type Period, TIMESTAMP } from '../query.ts'
import type { Reader } from '../reader.ts'

const AGGREGATES: readonly Aggregate[] = ['count', 'countd', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99']
const PERIODS: Record<string, Period> = {
  ...{ s: 'second', second: 'second', m: 'minute', minute: 'minute', h: 'hour', hour: 'hour' },
  ...{ d: 'day', day: 'day', w: 'week', week: 'week', mm: 'month', month: 'month' },
}

const DEFAULTS = { aggregate: 'count', path: '*', period: 'minute' } as const

/**
 * `c:avg(m.ms)`, `c:group_by(t::hour)`: a value per period. The clauses of a query make one chart, later ones
 * override. The reader stands behind the colon.
 */
export function readChart(reader: Reader, start: number, before: Chart | null): Chart {
  const chart = before ?? { ...DEFAULTS, pathAt: { start, end: start } }
  const wordAt = reader.at
  const word = reader.take(/[a-z0-9_]+/y)?.[0] ?? ''
  const aggregate = AGGREGATES.find((name) => name === word)
  if (aggregate === undefined && word !== 'group_by') reader.refuse(`${AGGREGATES.join(', ')} or group_by`, wordAt)
  if (!reader.skip('(')) reader.refuse('an opening parenthesis')
  const change = aggregate ? { aggregate, ...readArgument(reader) } : { period: readPeriod(reader) }
  if (!reader.skip(')')) reader.refuse('a closing parenthesis')
  reader.endClause()
  return { ...chart, ...change, at: { start: before?.at.start ?? start, end: reader.at } }
}

function readArgument(reader: Reader): Pick<Chart, 'path' | 'pathAt'> {
  const start = reader.at
  const path = reader.take(/\*|[A-Za-z0-9_.]+/y)
  if (!path) return reader.refuse('a field or *')
  const full = fullPath(path[0])
  return { path: full === TIMESTAMP || full === 't' ? '*' : full, pathAt: reader.spanFrom(start) }
}

function readPeriod(reader: Reader): Period {
  if (!reader.take(/(?:timestamp|t)::/y)) reader.refuse('t:: and a period')
  const nameAt = reader.at
  const name = reader.take(/[a-z]+/y)?.[0] ?? ''
  const period = Object.hasOwn(PERIODS, name) ? PERIODS[name] : undefined
  return period ?? reader.refuse('second, minute, hour, day, week or month', nameAt)
}

export const printChart = ({ aggregate, path, period }: Chart): string =>
  `c:${aggregate}(${shortPath(path)}) c:group_by(t::${period})`
