/**
 * A query for a BigQuery backend, which speaks warehouse SQL itself. The translation for the embedded engine is its guard:
 * it knows the account's sources and their fields, which functions may be called and what parameters are expected. What
 * leaves here is the same tree, printed with BigQuery's own tables for the names of sources.
 */
import { REST } from '../backends/bigquery/columns.ts'
import type { Statement, Store } from '../backends/kind.ts'
import { type Expr, inBigquery, type Meaning, parse, type Query, type Relation, withinStack } from '../sql/sql.ts'
import { instantText } from '../sql/time-units.ts'
import { walk } from '../sql/walk.ts'
import type { AnswerParts } from './answer.ts'
import type { Values } from './bind.ts'
import { textOf } from './bound-text.ts'
import { type Composition, typed } from './compose.ts'
import type { AccountNames } from './names.ts'

/** A reservation may be one that has to start first. */
const RESERVED_TIMEOUT_MS = 60_000

type Asked = {
  sql: string
  /** Instead of `sql` as it stands. */
  query?: Composition
  values: Values
  requireTimestamp: boolean
  timeoutMs: number
  reservation?: string
}

export type PreparedBigquery = Omit<Statement, 'labels' | 'maxRows'> & { sources: string[] }

type Parts = Pick<AnswerParts, 'sql' | 'schemas' | 'clock'> & {
  store: Pick<Store, 'table'>
  keptFromUs(token: string): number
}

export function prepareBigquery(
  { sql, query = typed(sql), values, requireTimestamp, timeoutMs, reservation }: Asked,
  known: AccountNames,
  { sql: language, schemas, clock, store, keptFromUs }: Parts,
): PreparedBigquery {
  return withinStack(() => {
    const composed = query(known)
    const tree = typeof composed === 'string' ? parse(composed) : composed.tree()
    const meanings = new Map<Relation, Meaning>()
    const { parameters, sources } = language.prepare({
      ...{ sql: tree, requireTimestamp, nowUs: clock.nowMs() * 1000 },
      ...(typeof composed === 'string' ? { written: composed } : {}),
      resolve: known.sourceToken,
      fields: (token) => ({ ...schemas.journaled(token), [REST]: 'string' }),
      note: (relation, meaning) => void meanings.set(relation, meaning),
    })
    const lists = listNames(tree)
    return {
      text: inBigquery(tree, {
        meanings,
        table: (token) => store.table(token, keptFromUs(token), false),
        parameters: parameters.map(({ name }) => name),
      }),
      values: parameters.map(({ name, type }) => {
        const value = textOf(Object.hasOwn(values, name) ? values[name] : undefined)
        return type === 'timestamp' ? instant(value) : value
      }),
      types: parameters.map(({ name, type, element }) => {
        if (element !== undefined) return `${element}[]` as const
        return lists.has(name) ? 'array' : type
      }),
      sources: [...new Set(sources.map(({ token }) => token))],
      ...(reservation === undefined
        ? { timeoutMs }
        : { reservation, timeoutMs: Math.max(timeoutMs, RESERVED_TIMEOUT_MS) }),
    }
  })
}

/** Microseconds are how answers tell times, so they are taken for times as well. */
function instant(value: ReturnType<typeof textOf>): ReturnType<typeof textOf> {
  return typeof value === 'string' && /^-?\d{14,18}$/.test(value) ? instantText(Number(value)) : value
}

/** Parameters that stand where a list must be: one value is a list of one there. */
function listNames(tree: Query): Set<string> {
  const names = new Set<string>()
  const note = (of: Expr): void => {
    if (of.kind === 'parameter') names.add(of.name)
  }
  walk(tree, {
    expr: (expr) => expr.kind === 'inArray' && note(expr.array),
    relation: (relation) => relation.kind === 'unnest' && note(relation.of),
  })
  return names
}
