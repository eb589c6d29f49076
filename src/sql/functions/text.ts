import { toText } from '../dialects/clickhouse/casts.ts'
import { ifThere, literal } from '../dialects/clickhouse/nested.ts'
import { arePattern } from '../dialects/postgres/pattern.ts'
import { type Emitted, quoteText } from '../emitted.ts'
import { type Emitter, wholeNumber } from '../emitter.ts'
import type { Call, Expr } from '../tree.ts'
import { arrayOf, BOOL, BYTES, INT64, STRING } from '../value-types.ts'
import { ofEngine, type Rules, sameAsFirst, scalar, special } from './rule.ts'

const text = (name: string, count: number | [number, number] = 1) =>
  scalar(count, STRING, STRING, (...args) => `${name}(${args.join(', ')})`)

/** With the collation "C" PostgreSQL knows upper and lower case of ASCII alone. */
const cased = (name: string, clickhouse: string, duckdb = name) =>
  scalar(1, STRING, STRING, {
    duckdb: (x) => `${duckdb}(${x})`,
    postgres: (x) => `(${name}(${x} COLLATE "und-x-icu") COLLATE "C")`,
    clickhouse: (x) => `${clickhouse}(${x})`,
  })

const trimmed = (duckdb: string, postgres: string, clickhouse: string) =>
  scalar([1, 2], STRING, STRING, {
    duckdb: (...args) => `${duckdb}(${args.join(', ')})`,
    postgres: (...args) => `${postgres}(${args.join(', ')})`,
    clickhouse: (...args) => `${clickhouse}(${args.join(', ')})`,
  })

const named = (shared: string, clickhouse: string) => ({
  duckdb: (...args: string[]) => `${shared}(${args.join(', ')})`,
  postgres: (...args: string[]) => `${shared}(${args.join(', ')})`,
  clickhouse: (...args: string[]) => `${clickhouse}(${args.join(', ')})`,
})

export const textFunctions: Rules = {
  upper: cased('upper', 'upperUTF8'),
  lower: cased('lower', 'lowerUTF8'),
  reverse: scalar(1, STRING, sameAsFirst, named('reverse', 'reverseUTF8')),
  replace: text('replace', 3),
  trim: trimmed('trim', 'btrim', 'trimBoth'),
  ltrim: trimmed('ltrim', 'ltrim', 'trimLeft'),
  rtrim: trimmed('rtrim', 'rtrim', 'trimRight'),
  chr: scalar(1, INT64, STRING, {
    duckdb: (x) => `chr(CAST(${x} AS INTEGER))`,
    postgres: (x) => `chr(CAST(${x} AS INTEGER))`,
    clickhouse: (x) => `JSONExtractString(concat('"\\\\u', leftPad(lower(hex(toUInt16(${x}))), 4, '0'), '"'))`,
  }),
  ascii: scalar(1, STRING, INT64, (x) => `ascii(${x})`),
  unicode: scalar(1, STRING, INT64, {
    duckdb: (x) => `unicode(${x})`,
    postgres: (x) => `ascii(${x})`,
    clickhouse: codePoint,
  }),
  initcap: cased('initcap', 'initcapUTF8', 'bq_initcap'),
  normalize: scalar(1, STRING, STRING, {
    duckdb: (x) => `nfc_normalize(${x})`,
    clickhouse: (x) => `normalizeUTF8NFC(${x})`,
    postgres: (x) => `normalize(${x}, NFC)`,
  }),
  length: special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, STRING)
    const own = emitter.dialect.engine === 'clickhouse' ? 'lengthUTF8' : 'length'
    return { sql: `${of.type.kind === 'bytes' ? 'octet_length' : own}(${of.sql})`, type: INT64 }
  }),
  char_length: scalar(1, STRING, INT64, named('length', 'lengthUTF8')),
  character_length: scalar(1, STRING, INT64, named('length', 'lengthUTF8')),
  byte_length: special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, STRING)
    const name = of.type.kind === 'bytes' || emitter.dialect.engine !== 'duckdb' ? 'octet_length' : 'strlen'
    return { sql: `${name}(${of.sql})`, type: INT64 }
  }),
  octet_length: scalar(1, STRING, INT64, {
    duckdb: (x) => `strlen(${x})`,
    postgres: (x) => `octet_length(${x})`,
    clickhouse: (x) => `octet_length(${x})`,
  }),
  starts_with: scalar(2, STRING, BOOL, named('starts_with', 'startsWith')),
  ends_with: scalar(2, STRING, BOOL, {
    duckdb: (x, y) => `suffix(${x}, ${y})`,
    clickhouse: (x, y) => `endsWith(${x}, ${y})`,
    postgres: (x, y) => `(right(${x}, length(${y})) = ${y})`,
  }),
  contains_substr: scalar(2, STRING, BOOL, {
    duckdb: (x, y) => `contains(lower(CAST(${x} AS VARCHAR)), lower(${y}))`,
    clickhouse: (x, y) => `(positionCaseInsensitiveUTF8(toString(${x}), ${y}) > 0)`,
    postgres: (x, y) => `(strpos(lower(CAST(${x} AS text) COLLATE "und-x-icu"), lower(${y} COLLATE "und-x-icu")) > 0)`,
  }),
  strpos: scalar(2, STRING, INT64, named('strpos', 'positionUTF8')),
  instr: scalar(2, STRING, INT64, named('strpos', 'positionUTF8')),
  left: numbered('left', 'leftUTF8', 2),
  right: numbered('right', 'rightUTF8', 2),
  repeat: numbered('repeat', 'repeat', 2),
  lpad: pad('lpad', 'leftPadUTF8'),
  rpad: pad('rpad', 'rightPadUTF8'),
  substr: substr(),
  substring: substr(),
  concat: special([1, 100], (call, emitter) => {
    const args = call.args.map((arg) => {
      const of = emitter.value(arg, STRING)
      if (emitter.dialect.engine === 'clickhouse') return toText(of)
      return of.type.kind === 'string' || of.type.kind === 'bytes' ? of.sql : `CAST(${of.sql} AS VARCHAR)`
    })
    return { sql: `(${args.join(' || ')})`, type: STRING }
  }),
  split: special([1, 2], (call, emitter) => {
    const separator = call.args[1] ? emitter.value(call.args[1], STRING).sql : "','"
    const x = emitter.value(call.args[0]!, STRING).sql
    const write = {
      duckdb: () => `string_split(${x}, ${separator})`,
      clickhouse: () => ifThere(x, `toJSONString(splitByString(${separator}, assumeNotNull(${x})))`),
      // Without a separator the engine takes the text apart, and it makes no list of an empty one.
      postgres: () =>
        `CASE WHEN ${x} = '' THEN jsonb_build_array('') ELSE to_jsonb(string_to_array(${x}, nullif(${separator}, ''))) END`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(STRING) }
  }),
  format: special([1, 50], { duckdb: printf, postgres: formatPieces, clickhouse: formatPieces }),

  regexp_contains: special(2, {
    duckdb: (call, emitter) => {
      const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      return { sql: `regexp_matches(${x}, ${pattern})`, type: BOOL }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: `match(${x}, ${pattern})`, type: BOOL }
    },
    postgres: (call, emitter) => ({
      sql: `(${emitter.value(call.args[0]!, STRING).sql} ~ ${patternOf(call, emitter, 'any')})`,
      type: BOOL,
    }),
  }),
  regexp_extract: regexpExtract(),
  regexp_substr: regexpExtract(),
  regexp_extract_all: special(2, {
    duckdb: (call, emitter) => {
      const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      const group = groups(call.args[1]!)
      const all = (index: number) => `regexp_extract_all(${x}, ${pattern}, ${index})`
      if (group !== null) return { sql: all(group), type: arrayOf(STRING) }
      return { sql: `CASE WHEN bq_has_group(${pattern}) THEN ${all(1)} ELSE ${all(0)} END`, type: arrayOf(STRING) }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: ifThere(x!, `toJSONString(extractAll(assumeNotNull(${x}), ${pattern}))`), type: arrayOf(STRING) }
    },
    postgres: (call, emitter) => {
      const x = emitter.value(call.args[0]!, STRING).sql
      const matches = `regexp_matches(${x}, ${patternOf(call, emitter, 'exact')}, 'g') WITH ORDINALITY AS r(m, o)`
      const all = `SELECT coalesce(jsonb_agg(r.m[1] ORDER BY r.o), '[]') FROM ${matches}`
      return { sql: `CASE WHEN ${x} IS NOT NULL THEN (${all}) END`, type: arrayOf(STRING) }
    },
  }),
  regexp_replace: special(3, {
    duckdb: (call, emitter) => {
      const [x, pattern, by] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      return { sql: `regexp_replace(${x}, ${pattern}, ${by}, 'g')`, type: STRING }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: `replaceRegexpAll(${x}, ${pattern}, ${emitter.value(call.args[2]!, STRING).sql})`, type: STRING }
    },
    postgres: (call, emitter) => {
      const [of, , by] = call.args
      const x = emitter.value(of!, STRING).sql
      // The whole match is `\0` in GoogleSQL and `\&` here.
      const written = by!.kind === 'string' ? { ...by!, value: by!.value.replaceAll('\\0', '\\&') } : by!
      const text = emitter.value(written, STRING).sql
      return { sql: `regexp_replace(${x}, ${patternOf(call, emitter, 'exact')}, ${text}, 'g')`, type: STRING }
    },
  }),

  md5: scalar(1, STRING, BYTES, {
    duckdb: (x) => `unhex(md5(${x}))`,
    postgres: (x) => `decode(md5(${x}), 'hex')`,
    clickhouse: (x) => `MD5(${x})`,
  }),
  sha1: scalar(1, STRING, BYTES, { duckdb: (x) => `unhex(sha1(${x}))`, clickhouse: (x) => `SHA1(${x})` }),
  sha256: scalar(1, STRING, BYTES, {
    duckdb: (x) => `unhex(sha256(${x}))`,
    clickhouse: (x) => `SHA256(${x})`,
    postgres: (x) => `sha256(convert_to(${x}, 'UTF8'))`,
  }),
  to_hex: scalar(1, BYTES, STRING, {
    duckdb: (x) => `lower(hex(${x}))`,
    postgres: (x) => `encode(${x}, 'hex')`,
    clickhouse: (x) => `lower(hex(${x}))`,
  }),
  from_hex: scalar(1, STRING, BYTES, {
    duckdb: (x) => `unhex(${x})`,
    postgres: (x) => `decode(${x}, 'hex')`,
    clickhouse: (x) => `unhex(${x})`,
  }),
  to_base64: scalar(1, BYTES, STRING, {
    duckdb: (x) => `to_base64(${x})`,
    clickhouse: (x) => `base64Encode(${x})`,
    postgres: (x) => `replace(encode(${x}, 'base64'), chr(10), '')`,
  }),
  from_base64: scalar(1, STRING, BYTES, {
    duckdb: (x) => `from_base64(${x})`,
    clickhouse: (x) => `base64Decode(${x})`,
    postgres: (x) => `decode(${x}, 'base64')`,
  }),
  safe_convert_bytes_to_string: scalar(1, BYTES, STRING, {
    duckdb: (x) => `TRY(decode(${x}))`,
    postgres: (x) => `pg_temp.bq_text(${x})`,
    clickhouse: (x) => `if(isValidUTF8(${x}), ${x}, NULL)`,
  }),
  generate_uuid: scalar(0, null, STRING, {
    duckdb: () => 'CAST(uuid() AS VARCHAR)',
    clickhouse: () => 'toString(generateUUIDv4())',
    postgres: () => 'CAST(gen_random_uuid() AS text)',
  }),
  'net.host': scalar(1, STRING, STRING, {
    duckdb: (x) => `bq_host(${x})`,
    clickhouse: (x) => `nullIf(extract(${x}, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/@?#]*@)?([^/:?#]+)'), '')`,
    postgres: (x) => `(regexp_match(${x}, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/@?#]*@)?([^/:?#]+)'))[1]`,
  }),
}

/** The engine has no such function, but counts in UTF-32. */
function codePoint(x: string | undefined): string {
  return `reinterpretAsInt64(reverse(convertCharset(leftUTF8(${x}, 1), 'UTF-8', 'UTF-32BE')))`
}

/** RE2 patterns as they are; the engine lets a dot match a newline unless told otherwise. */
function ofPattern(call: Call, emitter: Emitter): string[] {
  const [x, pattern] = call.args
  const own =
    pattern!.kind === 'string'
      ? literal(`(?-s)${pattern!.value}`)
      : `concat('(?-s)', ${emitter.value(pattern!, STRING).sql})`
  return [emitter.value(x!, STRING).sql, own]
}

function numbered(name: string, clickhouse: string, count: number) {
  return special(count, (call, emitter) => {
    const [x, n] = call.args
    const number = emitter.value(n!, INT64).sql
    const { engine } = emitter.dialect
    const short = engine === 'postgres' ? `CAST(${number} AS integer)` : number
    return {
      sql: `${engine === 'clickhouse' ? clickhouse : name}(${emitter.value(x!, STRING).sql}, ${short})`,
      type: STRING,
    }
  })
}

function pad(name: string, clickhouse: string) {
  return special([2, 3], (call, emitter) => {
    const [x, n, by] = call.args
    const filler = by ? emitter.value(by, STRING).sql : "' '"
    const [text, size] = [emitter.value(x!, STRING).sql, emitter.value(n!, INT64).sql]
    if (emitter.dialect.engine === 'clickhouse')
      return { sql: `${clickhouse}(${text}, ${size}, ${filler})`, type: STRING }
    return {
      sql: `${name}(${text}, CAST(${size} AS INTEGER), ${filler})`,
      type: STRING,
    }
  })
}

/** GoogleSQL counts from 1 and reads a start of 0 as 1; a negative one counts from the end. */
function substr() {
  return special([2, 3], {
    duckdb: (call, emitter) => {
      const [x, from, length] = call.args
      const literal = wholeNumber(from!)
      const start = emitter.value(from!, INT64).sql
      const begin =
        literal === null ? `CASE WHEN ${start} = 0 THEN 1 ELSE ${start} END` : String(literal === 0 ? 1 : literal)
      const args = [emitter.value(x!, STRING).sql, begin, ...(length ? [emitter.value(length, INT64).sql] : [])]
      return { sql: `substring(${args.join(', ')})`, type: STRING }
    },
    clickhouse: (call, emitter) => {
      const [of, from, length] = call.args
      const literal = wholeNumber(from!)
      const start = emitter.value(from!, INT64).sql
      const begin = literal === null ? `if(${start} = 0, 1, ${start})` : String(literal === 0 ? 1 : literal)
      const args = [emitter.value(of!, STRING).sql, begin, ...(length ? [emitter.value(length, INT64).sql] : [])]
      return { sql: `substringUTF8(${args.join(', ')})`, type: STRING }
    },
    postgres: (call, emitter) => {
      const [of, from, length] = call.args
      const x = emitter.value(of!, STRING).sql
      const start = `CAST(${emitter.value(from!, INT64).sql} AS integer)`
      const rest = `CASE WHEN ${start} < 0 THEN right(${x}, - ${start}) ELSE substr(${x}, greatest(${start}, 1)) END`
      if (!length) return { sql: rest, type: STRING }
      return { sql: `left(${rest}, CAST(${emitter.value(length, INT64).sql} AS integer))`, type: STRING }
    },
  })
}

/** The capturing group GoogleSQL returns: the first if the pattern has one, else the whole match; null when not known. */
function groups(pattern: Expr): 0 | 1 | null {
  if (pattern.kind !== 'string') return null
  const bare = pattern.value.replace(/\\./gs, '').replace(/\[\^?\]?[^\]]*\]/g, '')
  return /\((?!\?)|\(\?P?</.test(bare) ? 1 : 0
}

/** No match is NULL in GoogleSQL; the embedded engine would give an empty text. */
function regexpExtract() {
  return special(2, {
    duckdb: (call, emitter) => {
      const [x, pattern] = call.args.map((arg) => emitter.value(arg, STRING).sql)
      const group = groups(call.args[1]!)
      const matched = `regexp_matches(${x}, ${pattern})`
      const extract = (index: number) => `regexp_extract(${x}, ${pattern}, ${index})`
      if (group !== null) return { sql: `CASE WHEN ${matched} THEN ${extract(group)} END`, type: STRING }
      const found = `CASE WHEN bq_has_group(${pattern}) THEN ${extract(1)} ELSE ${extract(0)} END`
      return { sql: `CASE WHEN ${matched} THEN ${found} END`, type: STRING }
    },
    clickhouse: (call, emitter) => {
      const [x, pattern] = ofPattern(call, emitter)
      return { sql: `if(match(${x}, ${pattern}), extract(${x}, ${pattern}), NULL)`, type: STRING }
    },
    postgres: (call, emitter) => {
      const x = emitter.value(call.args[0]!, STRING).sql
      return { sql: `(regexp_match(${x}, ${patternOf(call, emitter, 'exact')}))[1]`, type: STRING }
    },
  })
}

/**
 * The second argument as PostgreSQL's own expression. Where it matters what is matched (`exact`), a mix of greedy and
 * lazy repeats is refused: the engine makes all of them lazy or none. A pattern that is no literal is taken as it comes.
 */
function patternOf(call: Call, emitter: Emitter, need: 'any' | 'exact'): string {
  const expr = call.args[1]!
  if (expr.kind !== 'string') return emitter.value(expr, STRING).sql
  const pattern = arePattern(expr.value)
  if ('unknown' in pattern) throw emitter.lacks(expr.at, pattern.unknown)
  if (need === 'exact' && pattern.hasLazy && pattern.hasGreedy)
    throw emitter.lacks(expr.at, 'a regular expression with both lazy and greedy repeats')
  return emitter.value({ ...expr, value: pattern.text }, STRING).sql
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
