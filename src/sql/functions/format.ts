import { type Emitted, quoteText } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Call } from '../tree.ts'
import { STRING } from '../value-types.ts'
import { type Rules, special } from './rule.ts'

export const formatFunctions: Rules = {
  format: special([1, 50], { duckdb: printf, postgres: formatPieces }),
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

/** PostgreSQL's own `format` knows texts and their width alone, so each element is written for itself. */
function formatPieces(call: Call, emitter: Emitter): Emitted {
  const format = formatOf(call, emitter)
  const args = call.args.slice(1)
  const pieces: string[] = []
  let at = 0
  let next = 0
  for (const match of format.matchAll(VERBS)) {
    if (match.index > at) pieces.push(quoteText(format.slice(at, match.index)))
    at = match.index + match[0].length
    const [all, flags = '', verb = ''] = match
    if (verb === '%') pieces.push("'%'")
    else {
      const arg = args[next++]
      if (!arg) throw emitter.fail(call.at, `FORMAT has no value for ${all}`)
      const piece = formatPiece(emitter.wide(arg), flags, verb)
      if (piece === null) throw emitter.lacks(call.at, `${all} of FORMAT`)
      pieces.push(piece)
    }
  }
  if (at < format.length) pieces.push(quoteText(format.slice(at)))
  return { sql: pieces.length > 0 ? `(${pieces.join(' || ')})` : "''", type: STRING }
}

function formatPiece({ sql }: Emitted, flags: string, verb: string): string | null {
  const [, minus, zero, width, digits] = /^(-?)(0?)(\d*)(?:\.(\d+))?$/.exec(flags) ?? []
  if (minus === undefined) return null
  const value = pieceValue(sql, verb, digits)
  if (value === null) return null
  if (!width) return value
  // Numbers that are wider than the field are not cut.
  const size = `greatest(${width}, length(${value}))`
  if (minus) return `rpad(${value}, ${size})`
  return `lpad(${value}, ${size}, '${zero ? '0' : ' '}')`
}

function pieceValue(sql: string, verb: string, digits: string | undefined): string | null {
  if ('di'.includes(verb)) return digits === undefined ? `CAST(CAST(${sql} AS bigint) AS text)` : null
  if ('fF'.includes(verb)) return `CAST(round(CAST(${sql} AS numeric), ${digits ?? 6}) AS text)`
  if ('stT'.includes(verb))
    return digits === undefined ? `CAST(${sql} AS text)` : `left(CAST(${sql} AS text), ${digits})`
  if ('xX'.includes(verb) && digits === undefined) return verb === 'x' ? `to_hex(${sql})` : `upper(to_hex(${sql}))`
  return null
}
