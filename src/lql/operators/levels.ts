import { shortPath } from '../paths.ts'
import type { Levels, Literal } from '../query.ts'
import { equalSql } from './equals.ts'
import type { Operator } from './operator.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** `m.level:warning..error`: one of the levels between the two, whichever is written first. */
export function levels({ path, low, high, at }: Levels): Operator {
  const [first, last] = [LEVELS.indexOf(low), LEVELS.indexOf(high)].sort((a, b) => a - b)
  const between = LEVELS.slice(first, last! + 1)
  const names = new Set<unknown>(between)
  return {
    print: () => `${shortPath(path)}:${low}..${high}`,
    test: () => (found) => names.has(found),
    sql: (column, type, write) =>
      type === 'string' ? `(${between.map((name) => equalSql(name, column, type, write)).join(' OR ')})` : null,
    misfit: (type) => (type === 'string' ? null : { expected: 'a value that fits the field, which holds no text', at }),
  }
}

export function readLevels(path: string, { text, quoted }: Literal): { low: string; high: string } | null {
  if (quoted || !/(^|\.)level$/.test(path)) return null
  const [low, high, ...more] = text.split('..')
  const areLevels = low !== undefined && high !== undefined && LEVELS.includes(low) && LEVELS.includes(high)
  return areLevels && more.length === 0 ? { low, high } : null
}
