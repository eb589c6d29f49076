import { parsedJson, scalarText } from '../dialects/clickhouse/casts.ts'
import { listOf, literal, jsonText as textOf } from '../dialects/clickhouse/nested.ts'
import { jsonText, toJson } from '../dialects/postgres/json.ts'
import { type Emitted, quoteText } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Expr } from '../tree.ts'
import { arrayOf, BOOL, FLOAT64, INT64, JSON_TYPE, STRING, type ValueType } from '../value-types.ts'
import { type PerEngine, type Rules, scalar, special } from './rule.ts'

/** The embedded engine writes `$."a.b"` where GoogleSQL writes `$['a.b']` or `$."a.b"`. */
function path(expr: Expr | undefined, emitter: Emitter): string {
  if (!expr) return "'$'"
  if (expr.kind !== 'string') return emitter.value(expr, STRING).sql
  return quoteText(expr.value.replace(/\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/g, (_, a, b) => `."${a ?? b}"`))
}

const STEP = /\.([A-Za-z_][\w-]*)|\."([^"]*)"|\[\s*(?:'([^']*)'|"([^"]*)"|(\d+))\s*\]/gy

/** The names and positions of a path; null for one that is more than that. */
function steps(text: string): (string | number)[] | null {
  const names: (string | number)[] = []
  let at = text.startsWith('$') ? 1 : text.length + 1
  for (; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at
    const match = STEP.exec(text)
    if (!match) return null
    names.push(match[5] === undefined ? (match.slice(1).find((each) => each !== undefined) ?? '') : Number(match[5]))
  }
  return at === text.length ? names : null
}

/** `found` asks a function of the engine for what stands at the path. */
type Read = { duckdb: string; postgres(found: string): string; clickhouse(found: (name: string) => string): string }

function literalPath(where: Expr | undefined, at: number, emitter: Emitter): (string | number)[] {
  if (where && where.kind !== 'string') throw emitter.lacks(where.at, 'a JSON path that is no text literal')
  const found = steps(where?.value ?? '$')
  if (found === null) throw emitter.fail(where?.at ?? at, 'the JSON path needs the form $.name[0]')
  return found
}

/** Text that is no JSON gives NULL, as in GoogleSQL, so it is asked first. */
function reader({ duckdb, postgres, clickhouse }: Read, type: ValueType) {
  return special([1, 2], {
    duckdb: (call, emitter) => ({
      sql: `${duckdb}(${emitter.value(call.args[0]!, STRING).sql}, ${path(call.args[1], emitter)})`,
      type,
    }),
    clickhouse: (call, emitter) => {
      const [text, where] = call.args
      const of = emitter.value(text!, STRING).sql
      const names = literalPath(where, call.at, emitter)
      const keys = names.map((name) => (typeof name === 'number' ? String(name + 1) : literal(name)))
      const found = clickhouse((name) => `${name}(${[`assumeNotNull(${of})`, ...keys].join(', ')})`)
      return { sql: `if(isValidJSON(${of}), ${found}, NULL)`, type }
    },
    postgres: (call, emitter) => {
      const [text, where] = call.args
      const of = emitter.value(text!, STRING)
      const names = literalPath(where, call.at, emitter)
      const at = `ARRAY[${names.map((name) => quoteText(String(name))).join(', ')}]::text[]`
      const isText = of.type.kind === 'string' || of.type.kind === 'unknown'
      const json = isText ? `pg_temp.bq_json(${of.sql})` : `CAST(${jsonText(of)} AS json)`
      return { sql: postgres(`(${json} #> ${at})`), type }
    },
  })
}

const isArray = (found: string): string => `json_typeof(${found}) = 'array'`
const items = (found: string, value: string, elements: string): string =>
  `CASE WHEN ${isArray(found)} THEN (SELECT coalesce(jsonb_agg(${value} ORDER BY e.o), '[]') FROM ${elements}(${found}) WITH ORDINALITY AS e(v, o)) END`

const VALUE: Read = {
  duckdb: 'bq_json_value',
  postgres: (found) => `CASE WHEN json_typeof(${found}) NOT IN ('object', 'array') THEN ${found} #>> '{}' END`,
  clickhouse: (found) =>
    `multiIf(${found('JSONType')} IN ('Object', 'Array', 'Null'), NULL, ${found('JSONType')} = 'String', ${found('JSONExtractString')}, ${found('JSONExtractRaw')})`,
}
const QUERY: Read = {
  duckdb: 'bq_json_query',
  postgres: (found) => `CAST(${found} AS text)`,
  clickhouse: (found) => `nullIf(${found('JSONExtractRaw')}, '')`,
}
const ITEMS: Read = {
  duckdb: 'bq_json_array',
  postgres: (found) => items(found, 'CAST(e.v AS text)', 'json_array_elements'),
  clickhouse: (found) => `if(${found('JSONType')} = 'Array', toJSONString(${found('JSONExtractArrayRaw')}), NULL)`,
}
const TEXTS: Read = {
  duckdb: 'bq_json_texts',
  postgres: (found) => items(found, 'e.v', 'json_array_elements_text'),
  clickhouse: (found) => {
    const text = "multiIf(e = 'null', 'null', JSONType(e) = 'String', e, toJSONString(e))"
    return `if(${found('JSONType')} = 'Array', ${listOf(`arrayMap(e -> ${text}, ${found('JSONExtractArrayRaw')})`)}, NULL)`
  },
}

/** What a JSON value says as a plain one; `lax` gives NULL where it says nothing of the kind. */
const said = (type: ValueType, engine: PerEngine<(...args: string[]) => string>) => scalar(1, JSON_TYPE, type, engine)

/** NULL has no JSON text, and an object has all its fields. */
const clickhouseText = (of: Emitted): string => `if(isNull(${of.sql}), NULL, ${textOf(of)})`

export const jsonFunctions: Rules = {
  json_value: reader(VALUE, STRING),
  json_extract_scalar: reader(VALUE, STRING),
  json_query: reader(QUERY, STRING),
  json_extract: reader(QUERY, STRING),
  json_extract_array: reader(ITEMS, arrayOf(STRING)),
  json_query_array: reader(ITEMS, arrayOf(STRING)),
  json_value_array: reader(TEXTS, arrayOf(STRING)),
  json_extract_string_array: reader(TEXTS, arrayOf(STRING)),
  json_type: scalar(1, null, STRING, {
    duckdb: (x) => `lower(json_type(${x}))`,
    clickhouse: (x) =>
      `transform(toString(JSONType(${x})), ['Int64', 'UInt64', 'Double', 'Bool', 'String', 'Object', 'Array', 'Null'], ['number', 'number', 'number', 'boolean', 'string', 'object', 'array', 'null'], 'null')`,
    postgres: (x) => `jsonb_typeof(${x})`,
  }),
  parse_json: scalar(1, STRING, JSON_TYPE, {
    duckdb: (x) => `CAST(${x} AS JSON)`,
    clickhouse: (x) => parsedJson(x!),
    postgres: (x) => `CAST(${x} AS jsonb)`,
  }),
  to_json: special(1, {
    duckdb: (call, emitter) => ({ sql: `to_json(${emitter.value(call.args[0]!).sql})`, type: JSON_TYPE }),
    clickhouse: (call, emitter) => ({ sql: clickhouseText(emitter.value(call.args[0]!)), type: JSON_TYPE }),
    postgres: (call, emitter) => ({ sql: toJson(emitter.value(call.args[0]!)), type: JSON_TYPE }),
  }),
  to_json_string: special([1, 2], {
    duckdb: (call, emitter) => ({
      sql: `CAST(to_json(${emitter.value(call.args[0]!).sql}) AS VARCHAR)`,
      type: STRING,
    }),
    clickhouse: (call, emitter) => ({ sql: clickhouseText(emitter.value(call.args[0]!)), type: STRING }),
    postgres: (call, emitter) => ({ sql: jsonText(emitter.value(call.args[0]!)), type: STRING }),
  }),
  bool: said(BOOL, {
    duckdb: (x) => `CAST(${x} AS BOOLEAN)`,
    postgres: (x) => `CAST(${x} AS boolean)`,
    clickhouse: (x) => `JSONExtract(${x}, 'Nullable(Bool)')`,
  }),
  int64: said(INT64, {
    duckdb: (x) => `CAST(${x} AS BIGINT)`,
    postgres: (x) => `CAST(${x} AS bigint)`,
    clickhouse: (x) => `JSONExtract(${x}, 'Nullable(Int64)')`,
  }),
  float64: said(FLOAT64, {
    duckdb: (x) => `CAST(${x} AS DOUBLE)`,
    postgres: (x) => `CAST(${x} AS float8)`,
    clickhouse: (x) => `JSONExtract(${x}, 'Nullable(Float64)')`,
  }),
  lax_string: said(STRING, {
    duckdb: (x) => `json_extract_string(${x}, '$')`,
    clickhouse: (x) => scalarText(x!),
    postgres: (x) => `(${x} #>> '{}')`,
  }),
  lax_int64: said(INT64, {
    duckdb: (x) => `TRY_CAST(json_extract_string(${x}, '$') AS BIGINT)`,
    clickhouse: (x) => `accurateCastOrNull(round(toFloat64OrNull(${scalarText(x!)})), 'Int64')`,
    postgres: (x) => `CAST(round(pg_temp.bq_numeric(${x} #>> '{}')) AS bigint)`,
  }),
  lax_float64: said(FLOAT64, {
    duckdb: (x) => `TRY_CAST(json_extract_string(${x}, '$') AS DOUBLE)`,
    clickhouse: (x) => `toFloat64OrNull(${scalarText(x!)})`,
    postgres: (x) => `pg_temp.bq_float(${x} #>> '{}')`,
  }),
  lax_bool: said(BOOL, {
    duckdb: (x) => `TRY_CAST(json_extract_string(${x}, '$') AS BOOLEAN)`,
    clickhouse: (x) =>
      `CASE WHEN lower(${scalarText(x!)}) = 'true' THEN TRUE WHEN lower(${scalarText(x!)}) = 'false' THEN FALSE END`,
    postgres: (x) => `CASE lower(${x} #>> '{}') WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`,
  }),
}
