import { Fault } from '../base/faults.ts'
import type { PreparedSource } from '../sql/sql.ts'
import type { AccountNames } from './names.ts'

/** Where all the sources of a query live; refused when that is not one place. */
export function commonHome(sources: PreparedSource[], known: AccountNames): number | null {
  const homes = new Set(sources.map(({ token }) => known.homeId(token)))
  if (homes.size > 1) {
    const places = sources.map(({ token, name }) => {
      const id = known.homeId(token)
      return `${name} (${id === null ? 'embedded warehouse' : `backend ${id}`})`
    })
    throw new Fault(
      'bad_request',
      `These sources live in different places, so one query cannot read them: ${[...new Set(places)].join(', ')}.`,
    )
  }
  return [...homes][0] ?? null
}
