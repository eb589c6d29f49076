/** Alerts in LQL read the one table they name with `f:`: a source, an endpoint or another alert. */
import { Fault } from '../base/faults.ts'
import { lqlOver } from '../endpoints/lql.ts'
import { parse } from '../lql/lql.ts'
import type { ValueType } from '../sql/value-types.ts'

type Column = { name: string; type: ValueType }

/** As warehouse SQL. Times are relative to `nowMs`, values follow the types the columns have now. */
export function lqlAsSql(
  lql: string,
  { columnsOf, nowMs }: { columnsOf(query: string): Column[]; nowMs: number },
): string {
  const columns = columnsOf(everythingOf(lql))
  return lqlOver(lql, { ctes: [tableOf(lql)], columnsOf: () => columns, nowMs })
}

/** The table that the LQL reads, as a query of its own. */
export const everythingOf = (lql: string): string => `select * from \`${tableOf(lql)}\``

/** A word: the parser takes nothing that would have to be quoted. */
function tableOf(lql: string): string {
  const { from } = parse(lql)
  if (from === null) throw new Fault('bad_request', 'say what to read with f:name, the name of a source')
  return from.table
}
