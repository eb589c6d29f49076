import type { Emitted, Emitter } from './emitter.ts'
import { emitTime, toTime } from './functions/instant.ts'
import type { Expr, TypeName } from './tree.ts'
import { STRING, typeNamed } from './value-types.ts'

const TIMES = new Set(['timestamp', 'datetime', 'date', 'time'])

/** CAST and SAFE_CAST, with the few conversions where GoogleSQL and the engine differ. */
export function emitCast(expr: Expr, to: TypeName, safe: boolean, at: number, emitter: Emitter): Emitted {
  const target = typeNamed(to)
  if (!target) throw emitter.fail(at, `unknown type ${to.kind === 'scalar' ? to.name : to.kind}`)
  const { type, engine } = target
  if (TIMES.has(type.kind)) {
    if (expr.kind === 'string' && !safe) return emitTime(expr, type, emitter)
    return toTime(emitter.value(expr, expr.kind === 'parameter' ? STRING : type), type, safe)
  }
  const of = emitter.wide(expr, expr.kind === 'parameter' ? type : undefined)
  if (of.type.kind === type.kind && type.kind !== 'array' && type.kind !== 'struct' && type.kind !== 'numeric')
    return of
  return { sql: converted(of, type.kind, engine, safe), type }
}

function converted({ sql, type: from }: Emitted, to: string, engine: string, safe: boolean): string {
  const cast = safe ? 'TRY_CAST' : 'CAST'
  if (to === 'string') {
    if (from.kind === 'timestamp') return `(CAST(${sql} AS VARCHAR) || '+00')`
    if (from.kind === 'float64') return `bq_float_text(${sql})`
    if (from.kind === 'bytes') return `decode(${sql})`
  }
  if (to === 'int64') {
    if (from.kind === 'float64' || from.kind === 'numeric') return `${cast}(round(${sql}) AS BIGINT)`
    if (from.kind === 'string') return safe ? `bq_try_int(${sql})` : `bq_int(${sql})`
  }
  if (to === 'bytes' && from.kind === 'string') return `encode(${sql})`
  return `${cast}(${sql} AS ${engine})`
}
