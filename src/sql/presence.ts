import type { Emitter } from './emitter.ts'
import type { Expr } from './tree.ts'

/**
 * CROSS JOIN UNNEST of an object keeps a row only when the object is there. Asking that of the engine makes it read every
 * field of the object (measured: ten times the cost of a filter on one field), so the question is left out wherever
 * another condition already answers it: a deeper object that must be there, or a filter that no NULL passes.
 */
export function neededPresence(objects: string[], where: Expr | null, emitter: Emitter): string[] {
  const implied = where ? nonNull(where).map((expr) => emitter.value(expr).sql) : []
  const deeper = [...objects, ...implied]
  return [...new Set(objects)].filter((object) => !deeper.some((other) => isIn(other, object)))
}

/** ClickHouse has a column for each path. */
const isIn = (path: string, object: string): boolean =>
  path.startsWith(`${object}.`) || (object.endsWith('"') && path.startsWith(`${object.slice(0, -1)}.`))

/** Fields that hold a value in every row the condition lets through. */
function nonNull(condition: Expr): Expr[] {
  switch (condition.kind) {
    case 'binary': {
      if (condition.operator === 'and') return [...nonNull(condition.left), ...nonNull(condition.right)]
      if (condition.operator === 'or') return []
      return fields([condition.left, condition.right])
    }
    case 'like':
    case 'inList':
      return fields([condition.of])
    case 'between':
      return condition.not ? [] : fields([condition.of])
    case 'is':
      return condition.what === 'null' && condition.not ? fields([condition.of]) : []
    case 'call':
      return ['regexp_contains', 'starts_with', 'ends_with'].includes(condition.name) ? fields(condition.args) : []
    default:
      return []
  }
}

const fields = (exprs: Expr[]): Expr[] => exprs.filter((expr) => expr.kind === 'path' && expr.parts.length > 1)
