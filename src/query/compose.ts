/** Queries that name published queries as tables, put together into one. Sources come first: a name that is one means it. */
import { type Composed, expand, parse, type Query, tableNames } from '../sql/sql.ts'
import type { AccountNames } from './names.ts'

/** How to put a query together once it is known what its names mean. */
export type Composition = ((names: AccountNames) => string | Composed) & {
  /** As somebody wrote it, for those who look at what runs. */
  text?: string
}

export const written = (text: string, compose: Composition): Composition => Object.assign(compose, { text })

/** A query as somebody typed it. It stays text, with positions in its errors, when it names no published query. */
export const typed = (text: string): Composition =>
  written(text, (names) => {
    if (!names.hasPublished) return text
    const tree = parse(text)
    const isPlain = tableNames(tree).every((name) => names.sourceToken(name) !== undefined || !names.published(name))
    return isPlain ? text : { key: `${names.mark} ${text}`, tree: () => expanded(tree, names) }
  })

/** `self` is the name under which the query itself is published, so that it cannot lead back to itself. */
export function expanded(tree: Query, names: AccountNames, self: string | null = null): Query {
  const lookup = (name: string): Query | undefined => {
    if (names.sourceToken(name) !== undefined) return undefined
    const found = names.published(name)
    return found ? names.tree(found) : undefined
  }
  return expand(tree, lookup, self === null ? [] : [self])
}
