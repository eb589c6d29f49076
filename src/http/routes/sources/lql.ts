import { InvalidRecord } from '../../../base/faults.ts'
import type { TextUse } from '../../../lql/lql.ts'
import type { SourceChanges } from '../../../model/source.ts'

export type LqlParts = {
  /** What is wrong with an LQL text; null when nothing is. */
  lql: { problem(text: string, use: TextUse): string | null }
}

/** Throws unless the LQL texts among the settings can be read. */
export function checkLql(changes: SourceChanges, { lql }: LqlParts): void {
  const errors: Record<string, string[]> = {}
  for (const [field, use] of [
    ['drop_lql_string', 'filter'],
    ['default_search_lql', 'search'],
  ] as const) {
    const text = changes[field]
    const problem = text ? lql.problem(text, use) : null
    if (problem !== null) errors[field] = [problem]
  }
  if (Object.keys(errors).length > 0) throw new InvalidRecord(errors)
}
