import { type Emitted, type Emitter, quoteText } from '../emitter.ts'
import { instantText, instantUs } from '../time-units.ts'
import type { Expr } from '../tree.ts'
import { STRING, type ValueType } from '../value-types.ts'

type TimeKind = 'timestamp' | 'datetime' | 'date' | 'time'

/** A text literal where a time is due becomes a constant, so that the engine can use it to skip what it need not read. */
export function timeLiteral(text: string, kind: TimeKind): string | null {
  const us = instantUs(text)
  if (kind === 'timestamp') return us === null ? null : `TIMESTAMP '${instantText(us)}'`
  if (kind === 'date')
    return /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/.test(text) && us !== null ? `DATE '${instantText(us).slice(0, 10)}'` : null
  if (kind === 'time') return /^\d{1,2}:\d{1,2}(:\d{1,2}(\.\d{1,6})?)?$/.test(text) ? `TIME ${quoteText(text)}` : null
  const clock = text.replace(/\s*(Z|UTC|[+-]\d{1,2}(:?\d{2})?)$/i, (zone) =>
    text.length - zone.length > 10 ? '' : zone,
  )
  const wall = instantUs(clock)
  return wall === null ? null : `TIMESTAMP '${instantText(wall)}'`
}

/** A value that is to be a time of this type, from text or another time. */
export function emitTime(expr: Expr, type: ValueType, emitter: Emitter): Emitted {
  const { kind } = type
  if (expr.kind === 'string' && (kind === 'timestamp' || kind === 'datetime' || kind === 'date' || kind === 'time')) {
    const literal = timeLiteral(expr.value, kind)
    if (literal === null) throw emitter.fail(expr.at, `${JSON.stringify(expr.value)} is no ${kind}`)
    return { sql: literal, type }
  }
  return toTime(emitter.value(expr, expr.kind === 'parameter' ? STRING : type), type)
}

/** Text with an offset must go through the engine's zoned type, which alone heeds the offset. */
export function toTime(of: Emitted, type: ValueType, safe = false): Emitted {
  if (of.type.kind === type.kind) return of
  const cast = safe ? 'TRY_CAST' : 'CAST'
  const isText = of.type.kind === 'string' || of.type.kind === 'json'
  if (type.kind === 'timestamp' && isText) {
    return { sql: `(${cast}(${of.sql} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')`, type }
  }
  const engine = type.kind === 'date' ? 'DATE' : type.kind === 'time' ? 'TIME' : 'TIMESTAMP'
  return { sql: `${cast}(${of.sql} AS ${engine})`, type }
}
