import { quoteText } from '../emitted.ts'
import { wholeNumber } from '../emitter.ts'
import type { Expr } from '../tree.ts'
import { arrayOf, BOOL, BYTES, INT64, STRING } from '../value-types.ts'
import { type Rules, sameAsFirst, scalar, special } from './rule.ts'

const text = (name: string, count: number | [number, number] = 1) =>
  scalar(count, STRING, STRING, (...args) => `${name}(${args.join(', ')})`)

export const textFunctions: Rules = {
  upper: text('upper'),
  lower: text('lower'),
  reverse: scalar(1, STRING, sameAsFirst, (x) => `reverse(${x})`),
  replace: text('replace', 3),
  trim: text('trim', [1, 2]),
  ltrim: text('ltrim', [1, 2]),
  rtrim: text('rtrim', [1, 2]),
  chr: scalar(1, INT64, STRING, (x) => `chr(CAST(${x} AS INTEGER))`),
  ascii: scalar(1, STRING, INT64, (x) => `ascii(${x})`),
  unicode: scalar(1, STRING, INT64, (x) => `unicode(${x})`),
  initcap: text('bq_initcap'),
  normalize: scalar(1, STRING, STRING, (x) => `nfc_normalize(${x})`),
  length: special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, STRING)
    return { sql: of.type.kind === 'bytes' ? `octet_length(${of.sql})` : `length(${of.sql})`, type: INT64 }
  }),
  char_length: scalar(1, STRING, INT64, (x) => `length(${x})`),
  character_length: scalar(1, STRING, INT64, (x) => `length(${x})`),
  byte_length: special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, STRING)
    return { sql: of.type.kind === 'bytes' ? `octet_length(${of.sql})` : `strlen(${of.sql})`, type: INT64 }
  }),
  octet_length: scalar(1, STRING, INT64, (x) => `strlen(${x})`),
  starts_with: scalar(2, STRING, BOOL, (x, y) => `starts_with(${x}, ${y})`),
  ends_with: scalar(2, STRING, BOOL, (x, y) => `suffix(${x}, ${y})`),
  contains_substr: scalar(2, STRING, BOOL, (x, y) => `contains(lower(CAST(${x} AS VARCHAR)), lower(${y}))`),
  strpos: scalar(2, STRING, INT64, (x, y) => `strpos(${x}, ${y})`),
  instr: scalar(2, STRING, INT64, (x, y) => `strpos(${x}, ${y})`),
  left: numbered('left', 2),
  right: numbered('right', 2),
  repeat: numbered('repeat', 2),
  lpad: pad('lpad'),
  rpad: pad('rpad'),
  substr: substr(),
  substring: substr(),
  concat: special([1, 100], (call, emitter) => {
    const args = call.args.map((arg) => {
      const of = emitter.value(arg, STRING)
      return of.type.kind === 'string' || of.type.kind === 'bytes' ? of.sql : `CAST(${of.sql} AS VARCHAR)`
    })
    return { sql: `(${args.join(' || ')})`, type: STRING }
  }),
  split: special([1, 2], (call, emitter) => {
    const separator = call.args[1] ? emitter.value(call.args[1], STRING).sql : "','"
    return { sql: `string_split(${emitter.value(call.args[0]!, STRING).sql}, ${separator})`, type: arrayOf(STRING) }
  }),
  format: special([1, 50], (call, emitter) => {
    const [pattern, ...rest] = call.args
    if (pattern?.kind !== 'string') throw emitter.fail(call.at, 'FORMAT needs its format as a text literal')
    if (/%[-+ #0-9.*]*[^-+ #0-9.*dioxXeEfFgGstT%]/.test(pattern.value)) {
      throw emitter.fail(call.at, 'FORMAT supports %d %i %o %x %X %e %f %g %s %t and %T')
    }
    const verbs = [...pattern.value.matchAll(/%[-+ #0-9.*]*([a-zA-Z%])/g)]
      .map((verb) => verb[1]!)
      .filter((verb) => verb !== '%')
    const args = rest.map((arg, i) => {
      const { sql } = emitter.value(arg)
      return 'stT'.includes(verbs[i] ?? 's') ? `CAST(${sql} AS VARCHAR)` : sql
    })
    const plain = pattern.value.replace(/(%[-+ #0-9.*]*)[tT]/g, '$1s').replace(/(%[-+ #0-9.*]*)F/g, '$1f')
    return { sql: `printf(${[quoteText(plain), ...args].join(', ')})`, type: STRING }
  }),

  regexp_contains: scalar(2, STRING, BOOL, (x, pattern) => `regexp_matches(${x}, ${pattern})`),
  regexp_extract: regexpExtract(),
  regexp_substr: regexpExtract(),
  regexp_extract_all: special(2, (call, emitter) => {
    const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
    const group = groups(call.args[1]!)
    const all = (index: number) => `regexp_extract_all(${x}, ${pattern}, ${index})`
    if (group !== null) return { sql: all(group), type: arrayOf(STRING) }
    return { sql: `CASE WHEN bq_has_group(${pattern}) THEN ${all(1)} ELSE ${all(0)} END`, type: arrayOf(STRING) }
  }),
  regexp_replace: scalar(3, STRING, STRING, (x, pattern, by) => `regexp_replace(${x}, ${pattern}, ${by}, 'g')`),

  md5: scalar(1, STRING, BYTES, (x) => `unhex(md5(${x}))`),
  sha1: scalar(1, STRING, BYTES, (x) => `unhex(sha1(${x}))`),
  sha256: scalar(1, STRING, BYTES, (x) => `unhex(sha256(${x}))`),
  to_hex: scalar(1, BYTES, STRING, (x) => `lower(hex(${x}))`),
  from_hex: scalar(1, STRING, BYTES, (x) => `unhex(${x})`),
  to_base64: scalar(1, BYTES, STRING, (x) => `to_base64(${x})`),
  from_base64: scalar(1, STRING, BYTES, (x) => `from_base64(${x})`),
  safe_convert_bytes_to_string: scalar(1, BYTES, STRING, (x) => `TRY(decode(${x}))`),
  generate_uuid: scalar(0, null, STRING, () => 'CAST(uuid() AS VARCHAR)'),
  'net.host': scalar(1, STRING, STRING, (x) => `bq_host(${x})`),
}

function numbered(name: string, count: number) {
  return special(count, (call, emitter) => {
    const [x, n] = call.args
    return { sql: `${name}(${emitter.value(x!, STRING).sql}, ${emitter.value(n!, INT64).sql})`, type: STRING }
  })
}

function pad(name: string) {
  return special([2, 3], (call, emitter) => {
    const [x, n, by] = call.args
    const filler = by ? emitter.value(by, STRING).sql : "' '"
    return {
      sql: `${name}(${emitter.value(x!, STRING).sql}, CAST(${emitter.value(n!, INT64).sql} AS INTEGER), ${filler})`,
      type: STRING,
    }
  })
}

/** GoogleSQL counts from 1 and reads a start of 0 as 1. */
function substr() {
  return special([2, 3], (call, emitter) => {
    const [x, from, length] = call.args
    const literal = wholeNumber(from!)
    const start = emitter.value(from!, INT64).sql
    const begin =
      literal === null ? `CASE WHEN ${start} = 0 THEN 1 ELSE ${start} END` : String(literal === 0 ? 1 : literal)
    const args = [emitter.value(x!, STRING).sql, begin, ...(length ? [emitter.value(length, INT64).sql] : [])]
    return { sql: `substring(${args.join(', ')})`, type: STRING }
  })
}

/** The capturing group GoogleSQL returns: the first if the pattern has one, else the whole match; null when not known. */
function groups(pattern: Expr): 0 | 1 | null {
  if (pattern.kind !== 'string') return null
  const bare = pattern.value.replace(/\\./gs, '').replace(/\[\^?\]?[^\]]*\]/g, '')
  return /\((?!\?)|\(\?P?</.test(bare) ? 1 : 0
}

/** No match is NULL in GoogleSQL; the engine would give an empty text. */
function regexpExtract() {
  return special(2, (call, emitter) => {
    const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
    const group = groups(call.args[1]!)
    const matched = `regexp_matches(${x}, ${pattern})`
    const extract = (index: number) => `regexp_extract(${x}, ${pattern}, ${index})`
    if (group !== null) return { sql: `CASE WHEN ${matched} THEN ${extract(group)} END`, type: STRING }
    const found = `CASE WHEN bq_has_group(${pattern}) THEN ${extract(1)} ELSE ${extract(0)} END`
    return { sql: `CASE WHEN ${matched} THEN ${found} END`, type: STRING }
  })
}
