import { Fault } from '../base/faults.ts'
import { macroNames } from './macros.ts'

/**
 * The second fence: looks at the engine's own parse tree (`json_serialize_sql`) of a finished text, knows nothing of how
 * that text was made, and refuses whatever is not on its lists: tables, table functions, functions, node types. It walks
 * the whole document, so a construct it has never heard of is refused rather than skipped. No engine is imported here:
 * both the process that prepares and the one that runs can ask.
 */
export function checkFinal(tree: unknown, tables: Iterable<string>): void {
  const document = asObject(tree)
  if (document?.error !== false) throw refused('the query could not be read back')
  const { statements } = document
  if (!Array.isArray(statements) || statements.length !== 1) throw refused('only one statement is allowed')
  const statement = asObject(statements[0])
  if (!statement?.node) throw refused('only SELECT is allowed')
  check(statement.node, new Set([...tables]), 0)
}

const QUERY_NODES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'])
const RELATIONS = new Set(['BASE_TABLE', 'SUBQUERY', 'JOIN', 'TABLE_FUNCTION', 'EMPTY', 'EMPTY_FROM'])
const CLASSES = new Set(
  'COLUMN_REF CONSTANT FUNCTION OPERATOR COMPARISON CONJUNCTION CASE CAST SUBQUERY WINDOW BETWEEN PARAMETER STAR LAMBDA LAMBDA_REF POSITIONAL_REFERENCE'.split(
    ' ',
  ),
)
const TABLE_FUNCTIONS = new Set(['unnest', 'generate_series', 'range'])

/** Functions over all rows of a group, macros over them included. */
export const AGGREGATES: ReadonlySet<string> = new Set(
  `count count_star sum avg min max any_value arg_max arg_min bool_or bool_and bit_and bit_or bit_xor stddev_samp stddev_pop
  var_samp var_pop corr covar_pop covar_samp approx_count_distinct approx_quantile quantile_cont quantile_disc list
  string_agg grouping array_agg bq_top_count`.split(/\s+/),
)

/** Functions that give another value, or another number of rows, each time they are asked. */
export const UNSTEADY: ReadonlySet<string> = new Set(['now', 'random', 'uuid', 'unnest'])

/** Functions of the engine that the translation writes, operators included. */
const FUNCTIONS = new Set(
  `+ - * / // % & | ^ << >> || ~ ! ~~ !~~ ~~~ like_escape not_like_escape
  upper lower reverse replace trim ltrim rtrim chr ascii unicode nfc_normalize length strlen octet_length starts_with suffix
  contains strpos left right repeat lpad rpad substring string_split printf regexp_matches regexp_extract
  regexp_extract_all regexp_replace md5 sha1 sha256 hex unhex to_base64 from_base64 encode decode uuid
  abs sign ceil floor round trunc pow sqrt cbrt exp ln log10 log2 sin cos tan asin acos atan atan2 random isnan isinf
  greatest least bit_count xor error typeof coalesce nullif
  len list_reverse list_transform list_filter list_extract list_slice list_contains list_unique list_value list_sort list_reverse_sort
  array_to_string generate_series generate_subscripts unnest flatten array_extract struct_pack struct_extract row
  json_type json_extract json_extract_string json_valid to_json
  make_timestamp make_date make_time epoch_us now timezone date_trunc date_diff strftime strptime last_day
  to_microseconds to_milliseconds to_seconds to_minutes to_hours to_days to_weeks to_months to_quarters to_years
  year quarter month day hour minute second millisecond microsecond dayofweek dayofyear week isoyear
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value`
    .split(/\s+/)
    .concat(macroNames(), ...AGGREGATES),
)

/** Deeper than any query that passed the first fence. */
const MOST_DEPTH = 2000

type Node = Record<string, unknown>

const asObject = (value: unknown): Node | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null

const refused = (reason: string): Fault => new Fault('bad_request', reason)

function check(value: unknown, tables: ReadonlySet<string>, depth: number): void {
  if (depth > MOST_DEPTH) throw refused('the query is nested too deeply')
  if (Array.isArray(value)) {
    for (const each of value) check(each, tables, depth + 1)
    return
  }
  const node = asObject(value)
  if (!node) return
  const known = withCtes(node, tables)
  checkNode(node, known)
  for (const [key, child] of Object.entries(node)) {
    // The value of a constant is data: an object in it is no part of the query.
    if (key === 'value' && node.class === 'CONSTANT') continue
    check(child, known, depth + 1)
  }
}

/** WITH queries are tables to the node that defines them and everything inside it. */
function withCtes(node: Node, tables: ReadonlySet<string>): ReadonlySet<string> {
  const map = asObject(node.cte_map)?.map
  const names = Array.isArray(map) ? map.flatMap((entry) => asObject(entry)?.key ?? []) : []
  if (typeof node.cte_name === 'string') names.push(node.cte_name)
  return names.length === 0 ? tables : new Set([...tables, ...names.map(String)])
}

function checkNode(node: Node, tables: ReadonlySet<string>): void {
  if ('class' in node) checkExpression(node)
  else if ('cte_map' in node && !QUERY_NODES.has(String(node.type))) throw refused(`${node.type} is not allowed`)
  else if ('sample' in node && 'alias' in node) checkRelation(node, tables)
  if ('sample' in node && node.sample !== null) throw refused('sampling is not allowed')
}

function checkExpression(node: Node): void {
  if (!CLASSES.has(String(node.class))) throw refused(`${node.class} is not allowed`)
  if ('function_name' in node) {
    const name = String(node.function_name)
    if (!FUNCTIONS.has(name.toLowerCase())) throw refused(`the function ${name} is not allowed`)
    const schema = String(node.schema ?? '')
    if ((schema !== '' && schema !== 'main') || String(node.catalog ?? '') !== '')
      throw refused(`the function ${schema}.${name} is not allowed`)
  }
}

function checkRelation(node: Node, tables: ReadonlySet<string>): void {
  const type = String(node.type)
  if (!RELATIONS.has(type)) throw refused(`${type} is not allowed in FROM`)
  if (type === 'BASE_TABLE') {
    const name = String(node.table_name)
    const qualified = String(node.schema_name ?? '') !== '' || String(node.catalog_name ?? '') !== ''
    if (qualified || !tables.has(name) || node.at_clause !== null) throw refused(`the table ${name} is not allowed`)
  }
  if (type === 'TABLE_FUNCTION') {
    const name = String(asObject(node.function)?.function_name)
    if (!TABLE_FUNCTIONS.has(name.toLowerCase())) throw refused(`the table function ${name} is not allowed`)
  }
}
