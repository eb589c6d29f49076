import { shortPath } from '../paths.ts'
import type { Missing } from '../query.ts'
import type { Operator } from './operator.ts'

/** `m.coupon:NULL`: there is no value. The empty text is one. */
export function missing({ path }: Missing): Operator {
  return {
    print: () => `${shortPath(path)}:NULL`,
    test: () => (found) => found === undefined,
    sql: (column) => `${column} IS NULL`,
    misfit: () => null,
  }
}
