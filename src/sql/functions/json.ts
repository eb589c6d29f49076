import { quoteText } from '../emitted.ts'
import type { Emitter } from '../emitter.ts'
import type { Expr } from '../tree.ts'
import { arrayOf, BOOL, FLOAT64, INT64, JSON_TYPE, STRING, type ValueType } from '../value-types.ts'
import { type Rules, scalar, special } from './rule.ts'

/** The engine writes `$."a.b"` where GoogleSQL writes `$['a.b']` or `$."a.b"`. */
function path(expr: Expr | undefined, emitter: Emitter): string {
  if (!expr) return "'$'"
  if (expr.kind !== 'string') return emitter.value(expr, STRING).sql
  return quoteText(expr.value.replace(/\[\s*(?:'([^']*)'|"([^"]*)")\s*\]/g, (_, a, b) => `."${a ?? b}"`))
}

/** Text that is no JSON gives NULL, as in GoogleSQL, so every function goes through a macro that asks first. */
function reader(macro: string, type: ValueType) {
  return special([1, 2], (call, emitter) => ({
    sql: `${macro}(${emitter.value(call.args[0]!, STRING).sql}, ${path(call.args[1], emitter)})`,
    type,
  }))
}

export const jsonFunctions: Rules = {
  json_value: reader('bq_json_value', STRING),
  json_extract_scalar: reader('bq_json_value', STRING),
  json_query: reader('bq_json_query', STRING),
  json_extract: reader('bq_json_query', STRING),
  json_extract_array: reader('bq_json_array', arrayOf(STRING)),
  json_query_array: reader('bq_json_array', arrayOf(STRING)),
  json_value_array: reader('bq_json_texts', arrayOf(STRING)),
  json_extract_string_array: reader('bq_json_texts', arrayOf(STRING)),
  json_type: scalar(1, null, STRING, (x) => `lower(json_type(${x}))`),
  parse_json: scalar(1, STRING, JSON_TYPE, (x) => `CAST(${x} AS JSON)`),
  to_json: scalar(1, null, JSON_TYPE, (x) => `to_json(${x})`),
  to_json_string: scalar([1, 2], null, STRING, (x) => `CAST(to_json(${x}) AS VARCHAR)`),
  bool: scalar(1, JSON_TYPE, BOOL, (x) => `CAST(${x} AS BOOLEAN)`),
  int64: scalar(1, JSON_TYPE, INT64, (x) => `CAST(${x} AS BIGINT)`),
  float64: scalar(1, JSON_TYPE, FLOAT64, (x) => `CAST(${x} AS DOUBLE)`),
  lax_string: scalar(1, JSON_TYPE, STRING, (x) => `json_extract_string(${x}, '$')`),
  lax_int64: scalar(1, JSON_TYPE, INT64, (x) => `TRY_CAST(json_extract_string(${x}, '$') AS BIGINT)`),
  lax_float64: scalar(1, JSON_TYPE, FLOAT64, (x) => `TRY_CAST(json_extract_string(${x}, '$') AS DOUBLE)`),
  lax_bool: scalar(1, JSON_TYPE, BOOL, (x) => `TRY_CAST(json_extract_string(${x}, '$') AS BOOLEAN)`),
}
