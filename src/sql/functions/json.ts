import { jsonText, toJson } from '../dialects/postgres/json.ts'
import { quoteText } from '../emitted.ts'
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

/** PostgreSQL takes a list of names and positions; null for a path that is more than that. */
function steps(text: string): string | null {
  const names: string[] = []
  let at = text.startsWith('$') ? 1 : text.length + 1
  for (; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at
    const match = STEP.exec(text)
    if (!match) return null
    names.push(match.slice(1).find((each) => each !== undefined) ?? '')
  }
  return at === text.length ? `ARRAY[${names.map(quoteText).join(', ')}]::text[]` : null
}

type Read = { duckdb: string; postgres(found: string): string }

/** Text that is no JSON gives NULL, as in GoogleSQL, so it is asked first. */
function reader({ duckdb, postgres }: Read, type: ValueType) {
  return special([1, 2], {
    duckdb: (call, emitter) => ({
      sql: `${duckdb}(${emitter.value(call.args[0]!, STRING).sql}, ${path(call.args[1], emitter)})`,
      type,
    }),
    postgres: (call, emitter) => {
      const [text, where] = call.args
      const of = emitter.value(text!, STRING)
      if (where && where.kind !== 'string') throw emitter.lacks(where.at, 'a JSON path that is no text literal')
      const at = steps(where?.value ?? '$')
      if (at === null) throw emitter.fail(where?.at ?? call.at, 'the JSON path needs the form $.name[0]')
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
}
const QUERY: Read = { duckdb: 'bq_json_query', postgres: (found) => `CAST(${found} AS text)` }
const ITEMS: Read = {
  duckdb: 'bq_json_array',
  postgres: (found) => items(found, 'CAST(e.v AS text)', 'json_array_elements'),
}
const TEXTS: Read = { duckdb: 'bq_json_texts', postgres: (found) => items(found, 'e.v', 'json_array_elements_text') }

/** What a JSON value says as a plain one; `lax` gives NULL where it says nothing of the kind. */
const said = (type: ValueType, engine: PerEngine<(...args: string[]) => string>) => scalar(1, JSON_TYPE, type, engine)

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
    postgres: (x) => `jsonb_typeof(${x})`,
  }),
  parse_json: scalar(1, STRING, JSON_TYPE, {
    duckdb: (x) => `CAST(${x} AS JSON)`,
    postgres: (x) => `CAST(${x} AS jsonb)`,
  }),
  to_json: special(1, {
    duckdb: (call, emitter) => ({ sql: `to_json(${emitter.value(call.args[0]!).sql})`, type: JSON_TYPE }),
    postgres: (call, emitter) => ({ sql: toJson(emitter.value(call.args[0]!)), type: JSON_TYPE }),
  }),
  to_json_string: special([1, 2], {
    duckdb: (call, emitter) => ({
      sql: `CAST(to_json(${emitter.value(call.args[0]!).sql}) AS VARCHAR)`,
      type: STRING,
    }),
    postgres: (call, emitter) => ({ sql: jsonText(emitter.value(call.args[0]!)), type: STRING }),
  }),
  bool: said(BOOL, { duckdb: (x) => `CAST(${x} AS BOOLEAN)`, postgres: (x) => `CAST(${x} AS boolean)` }),
  int64: said(INT64, { duckdb: (x) => `CAST(${x} AS BIGINT)`, postgres: (x) => `CAST(${x} AS bigint)` }),
  float64: said(FLOAT64, { duckdb: (x) => `CAST(${x} AS DOUBLE)`, postgres: (x) => `CAST(${x} AS float8)` }),
  lax_string: said(STRING, {
    duckdb: (x) => `json_extract_string(${x}, '$')`,
    postgres: (x) => `(${x} #>> '{}')`,
  }),
  lax_int64: said(INT64, {
    duckdb: (x) => `TRY_CAST(json_extract_string(${x}, '$') AS BIGINT)`,
    postgres: (x) => `CAST(round(pg_temp.bq_numeric(${x} #>> '{}')) AS bigint)`,
  }),
  lax_float64: said(FLOAT64, {
    duckdb: (x) => `TRY_CAST(json_extract_string(${x}, '$') AS DOUBLE)`,
    postgres: (x) => `pg_temp.bq_float(${x} #>> '{}')`,
  }),
  lax_bool: said(BOOL, {
    duckdb: (x) => `TRY_CAST(json_extract_string(${x}, '$') AS BOOLEAN)`,
    postgres: (x) => `CASE lower(${x} #>> '{}') WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`,
  }),
}
