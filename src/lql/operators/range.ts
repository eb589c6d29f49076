import { isNumber } from '../literals.ts'
import { shortPath } from '../paths.ts'
import type { Literal, Range } from '../query.ts'
import { comparedTo, compareSql, unordered } from './compare.ts'
import type { Operator } from './operator.ts'

const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?)?$/

/** `m.ms:10..20`: from one to the other, both included. The bounds are two numbers or two dates; other text with dots is text. */
export function range({ path, low, high }: Range): Operator {
  return {
    print: () => `${shortPath(path)}:${low.text}..${high.text}`,
    test() {
      const isFrom = comparedTo(low.text, '>=')
      const isTo = comparedTo(high.text, '<=')
      return (found) => isFrom(found) && isTo(found)
    },
    sql(column, type, write) {
      const from = compareSql(low.text, '>=', column, type, write)
      const to = compareSql(high.text, '<=', column, type, write)
      return from === null || to === null ? null : `(${from} AND ${to})`
    },
    misfit: (type) => unordered(low, type) ?? unordered(high, type),
  }
}

export function readRange({ text, quoted, at }: Literal): { low: Literal; high: Literal } | null {
  const dots = text.indexOf('..')
  if (quoted || dots < 0) return null
  const bounds = [text.slice(0, dots), text.slice(dots + 2)] as const
  if (!bounds.every(isNumber) && !bounds.every((bound) => DATE.test(bound))) return null
  const middle = at.start + dots
  return {
    low: { text: bounds[0], quoted: false, at: { start: at.start, end: middle } },
    high: { text: bounds[1], quoted: false, at: { start: middle + 2, end: at.end } },
  }
}
