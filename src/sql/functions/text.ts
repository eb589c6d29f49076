import { toText } from '../dialects/clickhouse/casts.ts'
import { ifThere } from '../dialects/clickhouse/nested.ts'
import { wholeNumber } from '../emitter.ts'
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
    const write = {
      duckdb: () => (of.type.kind === 'bytes' ? `octet_length(${of.sql})` : `strlen(${of.sql})`),
      postgres: () => `octet_length(${of.sql})`,
      clickhouse: () => `octet_length(${of.sql})`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: INT64 }
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
      clickhouse: () => {
        // By nothing the engine would take characters apart into their bytes.
        const pieces =
          separator === "''"
            ? `extractAll(assumeNotNull(${x}), '(?s).')`
            : `splitByString(${separator}, assumeNotNull(${x}))`
        return ifThere(x, `toJSONString(${pieces})`)
      },
      // Without a separator the engine takes the text apart, and it makes no list of an empty one.
      postgres: () =>
        `CASE WHEN ${x} = '' THEN jsonb_build_array('') ELSE to_jsonb(string_to_array(${x}, nullif(${separator}, ''))) END`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: arrayOf(STRING) }
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

function numbered(name: string, clickhouse: string, count: number) {
  return special(count, (call, emitter) => {
    const [of, n] = call.args
    const [x, number] = [emitter.value(of!, STRING).sql, emitter.value(n!, INT64).sql]
    const write = {
      duckdb: () => `${name}(${x}, ${number})`,
      postgres: () => `${name}(${x}, CAST(${number} AS integer))`,
      clickhouse: () => `${clickhouse}(${x}, ${number})`,
    }
    return { sql: ofEngine(write, call, emitter)(), type: STRING }
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
    clickhouse: (call, emitter) => {
      const [of, from, length] = call.args
      const x = emitter.value(of!, STRING).sql
      const start = emitter.value(from!, INT64).sql
      const begin = `if(${start} = 0 OR ${start} < - toInt64(lengthUTF8(${x})), 1, ${start})`
      const args = [x, begin, ...(length ? [emitter.value(length, INT64).sql] : [])]
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
