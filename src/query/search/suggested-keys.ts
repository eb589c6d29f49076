/** The keys that the searches of a source should name, so that they stay quick on large sources. */
import { Fault } from '../../base/faults.ts'
import { clausesOf, fullPath, type Query } from '../../lql/lql.ts'

type Key = { name: string; isRequired: boolean }

class MissingKeys extends Fault {
  readonly #missing: Key[]

  constructor(missing: Key[]) {
    const required = missing.filter(({ isRequired }) => isRequired)
    const names = (keys: Key[]): string => keys.map(({ name }) => name).join(', ')
    super(
      'conflict',
      required.length > 0
        ? `Searches of this source must name ${names(required)}.`
        : `Searches of this source should name ${names(missing)}. Add them, or send force=true to search without.`,
    )
    this.#missing = missing
  }

  override get details(): Record<string, unknown> {
    return {
      missing_keys: this.#missing.map(({ name }) => name),
      required_keys: this.#missing.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    }
  }
}

/** A key counts as named wherever it stands: in a filter, a select or the chart. `key!` cannot be forced. */
export function assertKeys(suggested: string, query: Query, force: boolean): void {
  const keys = readKeys(suggested)
  if (keys.length === 0) return
  const named = new Set(
    [...clausesOf(query.filter), ...query.selects, ...(query.chart ? [query.chart] : [])].map(({ path }) =>
      path.toLowerCase(),
    ),
  )
  const missing = keys.filter(({ name }) => !named.has(fullPath(name).toLowerCase()))
  if (missing.length === 0 || (force && missing.every(({ isRequired }) => !isRequired))) return
  throw new MissingKeys(missing)
}

function readKeys(suggested: string): Key[] {
  return suggested
    .split(',')
    .map((key) => key.trim())
    .map((key) => ({ name: key.replace(/!$/, '').trim(), isRequired: key.endsWith('!') }))
    .filter(({ name }) => name !== '')
}
