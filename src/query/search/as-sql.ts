/**
 * A search in warehouse SQL, for whoever wants to go on in SQL, publish it or watch it. Times that move with the clock
 * (`t:last@2h`) stay so where SQL has the words for them, because an endpoint or alert runs again and again.
 */
import { type Filter, type SqlColumn, toSql } from '../../lql/lql.ts'
import { bigquery } from '../../lql/sql/bigquery.ts'
import { type Question, type SearchParts, understand } from './question.ts'

export type SearchSql = {
  /** The events, newest first, without a limit. */
  events: string
  /** One row per period. */
  chart: string
}

const NOWHERE = { start: 0, end: 0 }
const COUNT = { aggregate: 'count', path: '*', period: 'minute', at: NOWHERE, pathAt: NOWHERE } as const

/** What `TIMESTAMP_SUB` can count in. */
const STEADY_UNITS = ['second', 'minute', 'hour', 'day']
const STANDARD = ['id', 'timestamp', 'event_message']

export function createAsSql(parts: Pick<SearchParts, 'schemas' | 'clock'>) {
  return function asSql(question: Question): SearchSql {
    const { query, fields, nowMs } = understand(question, parts)
    const { source, timeZone } = question
    const clauses = query.filter === null ? [] : query.filter.op === 'all' ? query.filter.of : [query.filter]
    const moving = clauses.flatMap((clause) => movingTime(clause) ?? [])
    const fixed = clauses.filter((clause) => movingTime(clause) === null)
    const filter: Filter | null = fixed.length > 1 ? { op: 'all', of: fixed, at: NOWHERE } : (fixed[0] ?? null)
    const { where, select, chart } = toSql(
      { ...query, filter, chart: query.chart ?? COUNT },
      { dialect: 'bigquery', fields, nowMs, timeZone, values: 'inline' },
    )
    // SQL reads no source without a bound on its time; this one changes nothing, nothing older is kept.
    const kept = `timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${source.retention_days} DAY)`
    const conditions = [
      ...moving,
      ...(clauses.some(({ op }) => op === 'time') ? [] : [kept]),
      ...(filter ? [`(${where})`] : []),
    ]
    const from = `FROM ${bigquery.column(source.name)}\nWHERE ${conditions.join('\n  AND ')}`
    return {
      events: `SELECT ${columns(select)}\n${from}\nORDER BY timestamp DESC`,
      chart: `SELECT ${chart!.bucket} AS timestamp, ${chart!.value} AS value\n${from}\nGROUP BY timestamp\nORDER BY timestamp`,
    }
  }
}

/** `t:last@15minute` is the last 15 full minutes and the current one. */
function movingTime(clause: Filter): string | null {
  if (clause.op !== 'time' || clause.sign !== '=' || clause.time.form !== 'last') return null
  const { count, unit } = clause.time
  if (!STEADY_UNITS.includes(unit)) return null
  const name = unit.toUpperCase()
  return `timestamp >= TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${count} ${name}), ${name})`
}

/** As in a page of events: what `s:` asks for comes after the standard fields. */
function columns(select: SqlColumn[] | null): string {
  if (!select) return '*'
  const asked = select.filter(({ name }) => !STANDARD.includes(name))
  return [...STANDARD, ...asked.map(({ sql, name }) => `${sql} AS ${bigquery.column(name)}`)].join(', ')
}
