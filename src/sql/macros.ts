/**
 * Functions of GoogleSQL that the engine lacks, as macros over its own. The engine creates them on every instance that
 * runs queries, before configuration is locked. They are pure: arguments in, value out; no table, file or setting.
 */
const MACROS: Record<string, string> = {
  'bq_initcap(x)': `list_aggregate(list_transform(regexp_extract_all(x, '[^\\s\\p{P}]+|[\\s\\p{P}]+'),
    lambda w: upper(w[1]) || lower(w[2:])), 'string_agg', '')`,
  'bq_has_group(pattern)': `regexp_matches(regexp_replace(pattern, '\\\\.', '', 'g'), '\\(([^?]|\\?P?<)')`,
  'bq_trunc(x, digits)': 'trunc(x * pow(10, digits)) / pow(10, digits)',
  'bq_divide(x, y)': `CASE WHEN y = 0 THEN error('division by zero') ELSE x / y END`,
  'bq_div(x, y)': `CASE WHEN y = 0 THEN error('division by zero') ELSE x // y END`,
  'bq_mod(x, y)': `CASE WHEN y = 0 THEN error('division by zero') ELSE x % y END`,
  'bq_floor_div(x, y)': 'CAST(floor(x / y) AS BIGINT)',
  'bq_at(list, i)': `CASE WHEN i < 0 OR i >= len(list) THEN error('array index ' || i || ' is out of bounds')
    ELSE list_extract(list, i + 1) END`,
  'bq_safe_at(list, i)': 'CASE WHEN i < 0 THEN NULL ELSE list_extract(list, i + 1) END',
  'bq_int(x)': `CASE WHEN contains(x, '.') THEN error('bad whole number: ' || x) ELSE CAST(x AS BIGINT) END`,
  'bq_try_int(x)': `CASE WHEN contains(x, '.') THEN NULL ELSE TRY_CAST(x AS BIGINT) END`,
  'bq_float_text(x)': `regexp_replace(CAST(x AS VARCHAR), '\\.0$', '')`,
  'bq_datetime_text(x)': `replace(CAST(x AS VARCHAR), ' ', 'T')`,
  'bq_json_value(x, path)': `CASE WHEN NOT json_valid(x) THEN NULL
    WHEN json_type(x, path) IN ('OBJECT', 'ARRAY') THEN NULL ELSE json_extract_string(x, path) END`,
  'bq_json_query(x, path)': `CASE WHEN json_valid(x) THEN CAST(json_extract(x, path) AS VARCHAR) END`,
  'bq_json_array(x, path)': `CASE WHEN NOT json_valid(x) THEN NULL
    WHEN json_type(x, path) = 'ARRAY' THEN CAST(CAST(json_extract(x, path) AS JSON[]) AS VARCHAR[]) END`,
  'bq_json_texts(x, path)': `CASE WHEN NOT json_valid(x) THEN NULL
    WHEN json_type(x, path) = 'ARRAY' THEN CAST(json_extract(x, path) AS VARCHAR[]) END`,
  'bq_host(url)': `nullif(regexp_extract(url, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/@?#]*@)?([^/:?#]+)', 1), '')`,
  'bq_top_count(x, n)': `list_slice(list_transform(list_reverse_sort(list_transform(map_entries(histogram(x)),
    lambda e: {'count': e.value, 'value': e.key})), lambda e: {'value': e.value, 'count': CAST(e.count AS BIGINT)}), 1, n)`,
}

export const MACRO_STATEMENTS: readonly string[] = Object.entries(MACROS).map(
  ([head, body]) => `CREATE MACRO ${head} AS ${body}`,
)

export const macroNames = (): string[] => Object.keys(MACROS).map((head) => head.slice(0, head.indexOf('(')))
