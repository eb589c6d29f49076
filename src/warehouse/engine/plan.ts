/**
 * What is known of a query's text: that it passed the fence, and how it can be answered with less than reading all. The
 * latest texts are remembered; the verdict depends on nothing else.
 */
import type { DuckDBConnection } from '@duckdb/node-api'
import { checkFinal } from '../../sql/fence.ts'
import type { QueryRequest } from '../protocol.ts'
import { createLatest } from './latest.ts'
import { withExactQuantiles } from './partial/quantiles.ts'
import { MERGED, split } from './partial/split.ts'
import { isNode, type Node, sameness } from './partial/tree.ts'
import { type Walk, walkOf } from './partial/walk.ts'

/** The texts of a query's steps; see `partial/split.ts`. */
export type Steps = { table: string; map: string; merge: string; reduce: string }

export type Exact = { text: string; quantiles: number }

export type Plan = {
  /** Made when they are first asked for: most texts are asked only once. */
  steps(connection: DuckDBConnection): Promise<Steps | null>
  walk: Walk | null
  /** The same query with exact quantiles, each of which holds the values of all rows in memory. */
  exact: Exact | null
}

export type Planner = {
  /** Refuses a text that does not pass the fence. */
  of(connection: DuckDBConnection, request: Pick<QueryRequest, 'text' | 'tables'>): Promise<Plan>
  /** For a text of our own making: what the fence does not know has no plan. */
  ofOurs(connection: DuckDBConnection, text: string, table: string): Promise<Plan>
}

/** A plan and its steps are about this many times as long as the text. */
const PLAN_LENGTHS = 4

const KEPT_CHARACTERS = 4_000_000

export function createPlanner(): Planner {
  const known = createLatest<Plan>(KEPT_CHARACTERS)

  async function made(connection: DuckDBConnection, text: string, names: string[]): Promise<Plan> {
    const tree = await parsed(connection, text)
    checkFinal(tree, names)
    const [only, ...more] = names
    return only !== undefined && more.length === 0 ? planOf(connection, text, tree, only) : NO_PLAN
  }

  async function remembered(key: string, make: () => Promise<Plan>): Promise<Plan> {
    const kept = known.get(key)
    if (kept) return kept
    const plan = await make()
    known.set(key, plan, PLAN_LENGTHS * key.length)
    return plan
  }

  return {
    of(connection, { text, tables }) {
      const names = tables.map(({ table }) => table)
      return remembered(`${names.join(' ')}\n${text}`, () => made(connection, text, names))
    },
    ofOurs: (connection, text, table) =>
      remembered(`ours ${table}\n${text}`, () => made(connection, text, [table]).catch(() => NO_PLAN)),
  }
}

const NO_PLAN: Plan = { steps: async () => null, walk: null, exact: null }

/** Whatever cannot be planned is answered all the same, by running the text as it is. */
async function planOf(connection: DuckDBConnection, text: string, tree: unknown, table: string): Promise<Plan> {
  const exact = withExactQuantiles(tree, table)
  const exactText = exact && (await printed(connection, exact.document, table).catch(() => null))
  let steps: Promise<Steps | null> | null = null
  return {
    steps(by) {
      steps ??= stepsOf(by, text, table).catch(() => null)
      return steps
    },
    walk: walkOf(tree, table),
    exact: exact && exactText ? { text: exactText, quantiles: exact.quantiles } : null,
  }
}

async function stepsOf(connection: DuckDBConnection, text: string, table: string): Promise<Steps | null> {
  const found = split(await parsed(connection, text), table)
  if (!found) return null
  const map = await printed(connection, found.map, table)
  const reduce = await printed(connection, found.reduce, MERGED)
  return map && reduce ? { table, map, merge: found.merge, reduce } : null
}

/** A text that the engine reads back as the very same tree; null when it has no such words for it. */
async function printed(connection: DuckDBConnection, document: Node, table: string): Promise<string | null> {
  const found = await connection.runAndReadAll('SELECT json_deserialize_sql($1::VARCHAR)', [JSON.stringify(document)])
  const text = String(found.getRows()[0]?.[0])
  const again = await parsed(connection, text)
  if (statementOf(again) !== statementOf(document)) return null
  checkFinal(again, [table])
  return text
}

/** The numbers of parameters follow their order in the text, so their names alone count. */
const statementOf = (document: unknown): string => {
  const [statement] = isNode(document) && Array.isArray(document.statements) ? document.statements : []
  return isNode(statement) ? sameness(statement.node) : ''
}

async function parsed(connection: DuckDBConnection, text: string): Promise<unknown> {
  const found = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text])
  return JSON.parse(String(found.getRows()[0]?.[0]))
}
