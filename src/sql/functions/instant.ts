import type { Dialect, TimeKind } from '../dialects/dialect.ts'
import type { Emitted } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import { instantText, instantUs } from '../time-units.ts'
import type { Expr } from '../tree.ts'
import { STRING, type ValueType } from '../value-types.ts'

const TIME_KINDS = ['timestamp', 'datetime', 'date', 'time'] as const

export const isTimeKind = (kind: string): kind is TimeKind => TIME_KINDS.some((each) => each === kind)

/** A text literal where a time is due becomes a constant, so that the engine can use it to skip what it need not read. */
export function timeLiteral(text: string, kind: TimeKind, dialect: Dialect): string | null {
  const us = instantUs(text)
  if (kind === 'timestamp') return us === null ? null : dialect.timeLiteral(kind, instantText(us))
  if (kind === 'date')
    return /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/.test(text) && us !== null
      ? dialect.timeLiteral(kind, instantText(us).slice(0, 10))
      : null
  if (kind === 'time')
    return /^\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,6})?)?$/.test(text) ? dialect.timeLiteral(kind, text) : null
  const clock = text.replace(/\s*(Z|UTC|[+-]\d{1,2}(:?\d{2})?)$/i, (zone) =>
    text.length - zone.length > 10 ? '' : zone,
  )
  const wall = instantUs(clock)
  return wall === null ? null : dialect.timeLiteral(kind, instantText(wall))
}

/** A value that is to be a time of this type, from text or another time. */
export function emitTime(expr: Expr, type: ValueType, emitter: Emitter): Emitted {
  const { kind } = type
  if (expr.kind === 'string' && isTimeKind(kind)) {
    const literal = timeLiteral(expr.value, kind, emitter.dialect)
    if (literal === null) throw emitter.fail(expr.at, `${JSON.stringify(expr.value)} is no ${kind}`)
    return { sql: literal, type }
  }
  return toTime(emitter.value(expr, expr.kind === 'parameter' ? STRING : type), type, emitter)
}

export function toTime(of: Emitted, type: ValueType, { dialect }: Pick<Emitter, 'dialect'>, safe = false): Emitted {
  if (of.type.kind === type.kind || !isTimeKind(type.kind)) return of
  return { sql: dialect.toTime(of, type.kind, safe), type }
}
