import { toText } from '../dialects/clickhouse/casts.ts'
import { type Emitted, quoteText } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'
import { STRING } from '../value-types.ts'
import { type Rules, special } from './rule.ts'

export const formatFunctions: Rules = {
  format: special([1, 50], { duckdb: printf, postgres: formatPieces, clickhouse: formatPieces }),
}

const VERBS = /%([-+ #0-9.*]*)([a-zA-Z%])/g

function formatOf(call: Call, emitter: Emitter): string {
  const [pattern] = call.args
  if (pattern?.kind !== 'string') throw emitter.fail(call.at, 'FORMAT needs its format as a text literal')
  if (/%[-+ #0-9.*]*[^-+ #0-9.*dioxXeEfFgGstT%]/.test(pattern.value)) {
    throw emitter.fail(call.at, 'FORMAT supports %d %i %o %x %X %e %f %g %s %t and %T')
  }
  return pattern.value
}

function printf(call: Call, emitter: Emitter): Emitted {
  const format = formatOf(call, emitter)
  const verbs = [...format.matchAll(VERBS)].map((verb) => verb[2]!).filter((verb) => verb !== '%')
  const args = call.args.slice(1).map((arg, i) => {
    const { sql } = emitter.value(arg)
    return 'stT'.includes(verbs[i] ?? 's') ? `CAST(${sql} AS VARCHAR)` : sql
  })
  const plain = format.replace(/(%[-+ #0-9.*]*)[tT]/g, '$1s').replace(/(%[-+ #0-9.*]*)F/g, '$1f')
  return { sql: `printf(${[quoteText(plain), ...args].join(', ')})`, type: STRING }
}

/** PostgreSQL's own `format` knows texts and their width alone, ClickHouse's no width at all, so each element is written for itself. */
function formatPieces(call: Call, emitter: Emitter): Emitted {
  const format = formatOf(call, emitter)
  const args = call.args.slice(1)
  const pieces: string[] = []
  let at = 0
  let next = 0
  for (const match of format.matchAll(VERBS)) {
    if (match.index > at) pieces.push(emitter.dialect.text(format.slice(at, match.index)))
    at = match.index + match[0].length
    const [all, flags = '', verb = ''] = match
    if (verb === '%') pieces.push("'%'")
    else {
      const arg = args[next++]
      if (!arg) throw emitter.fail(call.at, `FORMAT has no value for ${all}`)
      const piece = formatPiece(emitter.wide(arg), flags, verb, emitter)
      if (piece === null) throw emitter.lacks(call.at, `${all} of FORMAT`)
      pieces.push(piece)
    }
  }
  if (at < format.length) pieces.push(emitter.dialect.text(format.slice(at)))
  return { sql: pieces.length > 0 ? `(${pieces.join(' || ')})` : "''", type: STRING }
}

function formatPiece(of: Emitted, flags: string, verb: string, { dialect }: Emitter): string | null {
  const [, minus, zero, width, digits] = /^(-?)(0?)(\d*)(?:\.(\d+))?$/.exec(flags) ?? []
  if (minus === undefined) return null
  const isClickhouse = dialect.engine === 'clickhouse'
  const value = isClickhouse ? clickhouseValue(of, verb, digits) : pieceValue(of.sql, verb, digits)
  if (value === null) return null
  if (!width) return value
  // Numbers that are wider than the field are not cut.
  const [left, right, length] = isClickhouse
    ? ['leftPadUTF8', 'rightPadUTF8', 'lengthUTF8']
    : ['lpad', 'rpad', 'length']
  const size = `greatest(${width}, ${length}(${value}))`
  if (minus) return `${right}(${value}, ${size}, ' ')`
  return `${left}(${value}, ${size}, '${zero ? '0' : ' '}')`
}

function clickhouseValue(of: Emitted, verb: string, digits: string | undefined): string | null {
  if ('di'.includes(verb)) return digits === undefined ? `toString(toInt64(${of.sql}))` : null
  if ('fF'.includes(verb)) return `toDecimalString(${of.sql}, ${digits ?? 6})`
  if ('stT'.includes(verb)) return digits === undefined ? toText(of) : `leftUTF8(${toText(of)}, ${digits})`
  if ('xX'.includes(verb) && digits === undefined) {
    const hex = `replaceRegexpOne(hex(toInt64(${of.sql})), '^0+(.)', '\\\\1')`
    return verb === 'x' ? `lower(${hex})` : hex
  }
  return null
}

function pieceValue(sql: string, verb: string, digits: string | undefined): string | null {
  if ('di'.includes(verb)) return digits === undefined ? `CAST(CAST(${sql} AS bigint) AS text)` : null
  if ('fF'.includes(verb)) return `CAST(round(CAST(${sql} AS numeric), ${digits ?? 6}) AS text)`
  if ('stT'.includes(verb))
    return digits === undefined ? `CAST(${sql} AS text)` : `left(CAST(${sql} AS text), ${digits})`
  if ('xX'.includes(verb) && digits === undefined) return verb === 'x' ? `to_hex(${sql})` : `upper(to_hex(${sql}))`
  return null
}
