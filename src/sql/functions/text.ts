import { wholeNumber } from '../emitter.ts'
import { arrayOf, BOOL, BYTES, INT64, STRING } from '../value-types.ts'
import { ofEngine, type Rules, sameAsFirst, scalar, special } from './rule.ts'

const text = (name: string, count: number | [number, number] = 1) =>
  scalar(count, STRING, STRING, (...args) => `${name}(${args.join(', ')})`)

/** With the collation "C" PostgreSQL knows upper and lower case of ASCII alone. */
const cased = (name: string, duckdb = name) =>
  scalar(1, STRING, STRING, {
    duckdb: (x) => `${duckdb}(${x})`,
    postgres: (x) => `(${name}(${x} COLLATE "und-x-icu") COLLATE "C")`,
  })

const trimmed = (duckdb: string, postgres: string) =>
  scalar([1, 2], STRING, STRING, {
    duckdb: (...args) => `${duckdb}(${args.join(', ')})`,
    postgres: (...args) => `${postgres}(${args.join(', ')})`,
  })

export const textFunctions: Rules = {
  upper: cased('upper'),
  lower: cased('lower'),
  reverse: scalar(1, STRING, sameAsFirst, (x) => `reverse(${x})`),
  replace: text('replace', 3),
  trim: trimmed('trim', 'btrim'),
  ltrim: trimmed('ltrim', 'ltrim'),
  rtrim: trimmed('rtrim', 'rtrim'),
  chr: scalar(1, INT64, STRING, (x) => `chr(CAST(${x} AS INTEGER))`),
  ascii: scalar(1, STRING, INT64, (x) => `ascii(${x})`),
  unicode: scalar(1, STRING, INT64, { duckdb: (x) => `unicode(${x})`, postgres: (x) => `ascii(${x})` }),
  initcap: cased('initcap', 'bq_initcap'),
  normalize: scalar(1, STRING, STRING, {
    duckdb: (x) => `nfc_normalize(${x})`,
    postgres: (x) => `normalize(${x}, NFC)`,
  }),
  length: special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, STRING)
    return { sql: of.type.kind === 'bytes' ? `octet_length(${of.sql})` : `length(${of.sql})`, type: INT64 }
  }),
  char_length: scalar(1, STRING, INT64, (x) => `length(${x})`),
  character_length: scalar(1, STRING, INT64, (x) => `length(${x})`),
  byte_length: special(1, (call, emitter) => {
    const of = emitter.value(call.args[0]!, STRING)
    const write = {
      duckdb: () => (of.type.kind === 'bytes' ? `octet_length(${of.sql})` : `strlen(${of.sql})`),
      postgres: () => `octet_length(${of.sql})`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: INT64 }
  }),
  octet_length: scalar(1, STRING, INT64, { duckdb: (x) => `strlen(${x})`, postgres: (x) => `octet_length(${x})` }),
  starts_with: scalar(2, STRING, BOOL, (x, y) => `starts_with(${x}, ${y})`),
  ends_with: scalar(2, STRING, BOOL, {
    duckdb: (x, y) => `suffix(${x}, ${y})`,
    postgres: (x, y) => `(right(${x}, length(${y})) = ${y})`,
  }),
  contains_substr: scalar(2, STRING, BOOL, {
    duckdb: (x, y) => `contains(lower(CAST(${x} AS VARCHAR)), lower(${y}))`,
    postgres: (x, y) => `(strpos(lower(CAST(${x} AS text) COLLATE "und-x-icu"), lower(${y} COLLATE "und-x-icu")) > 0)`,
  }),
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
    const x = emitter.value(call.args[0]!, STRING).sql
    const write = {
      duckdb: () => `string_split(${x}, ${separator})`,
      // Without a separator the engine takes the text apart, and it makes no list of an empty one.
      postgres: () =>
        `CASE WHEN ${x} = '' THEN jsonb_build_array('') ELSE to_jsonb(string_to_array(${x}, nullif(${separator}, ''))) END`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(STRING) }
  }),
  md5: scalar(1, STRING, BYTES, { duckdb: (x) => `unhex(md5(${x}))`, postgres: (x) => `decode(md5(${x}), 'hex')` }),
  sha1: scalar(1, STRING, BYTES, { duckdb: (x) => `unhex(sha1(${x}))` }),
  sha256: scalar(1, STRING, BYTES, {
    duckdb: (x) => `unhex(sha256(${x}))`,
    postgres: (x) => `sha256(convert_to(${x}, 'UTF8'))`,
  }),
  to_hex: scalar(1, BYTES, STRING, { duckdb: (x) => `lower(hex(${x}))`, postgres: (x) => `encode(${x}, 'hex')` }),
  from_hex: scalar(1, STRING, BYTES, { duckdb: (x) => `unhex(${x})`, postgres: (x) => `decode(${x}, 'hex')` }),
  to_base64: scalar(1, BYTES, STRING, {
    duckdb: (x) => `to_base64(${x})`,
    postgres: (x) => `replace(encode(${x}, 'base64'), chr(10), '')`,
  }),
  from_base64: scalar(1, STRING, BYTES, {
    duckdb: (x) => `from_base64(${x})`,
    postgres: (x) => `decode(${x}, 'base64')`,
  }),
  safe_convert_bytes_to_string: scalar(1, BYTES, STRING, {
    duckdb: (x) => `TRY(decode(${x}))`,
    postgres: (x) => `pg_temp.bq_text(${x})`,
  }),
  generate_uuid: scalar(0, null, STRING, {
    duckdb: () => 'CAST(uuid() AS VARCHAR)',
    postgres: () => 'CAST(gen_random_uuid() AS text)',
  }),
  'net.host': scalar(1, STRING, STRING, {
    duckdb: (x) => `bq_host(${x})`,
    postgres: (x) => `(regexp_match(${x}, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/@?#]*@)?([^/:?#]+)'))[1]`,
  }),
}

function numbered(name: string, count: number) {
  return special(count, (call, emitter) => {
    const [of, n] = call.args
    const [x, number] = [emitter.value(of!, STRING).sql, emitter.value(n!, INT64).sql]
    const write = {
      duckdb: () => `${name}(${x}, ${number})`,
      postgres: () => `${name}(${x}, CAST(${number} AS integer))`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: STRING }
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

/** GoogleSQL counts from 1; a negative start counts from the end. One left of the text, as 0 is, means its beginning. */
function substr() {
  return special([2, 3], {
    duckdb: (call, emitter) => {
      const [x, from, length] = call.args
      const literal = wholeNumber(from!)
      const of = emitter.value(x!, STRING).sql
      const start = emitter.value(from!, INT64).sql
      const isLeft = literal === null ? `${start} = 0 OR ${start} < - length(${of})` : `length(${of}) < ${-literal}`
      const begin =
        literal === null || literal < 0
          ? `CASE WHEN ${isLeft} THEN 1 ELSE ${start} END`
          : String(literal === 0 ? 1 : literal)
      const args = [of, begin, ...(length ? [emitter.value(length, INT64).sql] : [])]
      return { sql: `substring(${args.join(', ')})`, type: STRING }
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
