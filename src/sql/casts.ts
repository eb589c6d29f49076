import type { Emitted } from './emitted.ts'
import type { Emitter } from './emitter.ts'
import { emitTime, isTimeKind, toTime } from './functions/instant.ts'
import type { Expr, TypeName } from './tree.ts'
import { STRING, typeNamed } from './value-types.ts'

/** CAST and SAFE_CAST. */
export function emitCast(expr: Expr, to: TypeName, safe: boolean, at: number, emitter: Emitter): Emitted {
  const { dialect } = emitter
  const target = typeNamed(to, dialect.engine)
  if (!target) throw emitter.fail(at, `unknown type ${to.kind === 'scalar' ? to.name : to.kind}`)
  const { type, engine } = target
  if (isTimeKind(type.kind)) {
    if (expr.kind === 'string' && !safe) return emitTime(expr, type, emitter)
    return toTime(emitter.value(expr, expr.kind === 'parameter' ? STRING : type), type, emitter, safe)
  }
  const of = emitter.wide(expr, expr.kind === 'parameter' ? type : undefined)
  if (of.type.kind === type.kind && type.kind !== 'array' && type.kind !== 'struct' && type.kind !== 'numeric')
    return of
  return { sql: dialect.cast(of, type, engine, safe), type }
}
