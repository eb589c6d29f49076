/**
 * Functions that a statement may call. Only what is listed: whatever an engine or its extensions add later, and whatever
 * reaches files, the network, settings, other tables or the server itself, is not.
 */
import { type NativeDialect, TABLE_CALLS } from './words.ts'

const POSTGRES: ReadonlySet<string> = new Set(
  `abs cbrt ceil ceiling degrees div erf exp factorial floor gcd lcm ln log log10 mod pi power radians random round scale sign sqrt
  trim_scale trunc width_bucket acos asin atan atan2 cos cot sin tan greatest least
  ascii bit_length btrim char_length character_length chr concat concat_ws decode encode format initcap left length lower lpad
  ltrim md5 normalize octet_length overlay position quote_ident quote_literal quote_nullable regexp_count regexp_instr
  regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr replace
  reverse right rpad rtrim sha224 sha256 sha384 sha512 split_part starts_with string_to_array string_to_table strpos substr
  substring to_ascii to_hex translate trim unistr upper convert_from convert_to get_byte
  age clock_timestamp current_time date_bin date_part date_trunc date_add date_subtract extract isfinite justify_days justify_hours justify_interval
  make_date make_interval make_time make_timestamp make_timestamptz now statement_timestamp timeofday timezone
  transaction_timestamp to_char to_date to_number to_timestamp current_timestamp localtime localtimestamp
  array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
  array_prepend array_remove array_replace array_to_string array_upper cardinality trim_array unnest array_agg
  generate_series generate_subscripts
  to_json to_jsonb array_to_json row_to_json json_build_array jsonb_build_array json_build_object jsonb_build_object
  json_object jsonb_object json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text
  json_array_length jsonb_array_length json_each jsonb_each json_each_text jsonb_each_text json_extract_path
  jsonb_extract_path json_extract_path_text jsonb_extract_path_text json_object_keys jsonb_object_keys jsonb_insert
  jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty jsonb_set
  jsonb_strip_nulls json_strip_nulls jsonb_typeof json_typeof jsonb_to_record jsonb_to_recordset json_value json_query json_exists
  avg bit_and bit_or bit_xor bool_and bool_or count every json_agg jsonb_agg json_object_agg jsonb_object_agg max min
  string_agg sum corr covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope stddev
  stddev_pop stddev_samp variance var_pop var_samp mode percentile_cont percentile_disc any_value grouping
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  coalesce nullif num_nonnulls num_nulls pg_typeof
  host hostmask netmask network masklen family set_masklen inet_same_family abbrev
  numeric decimal varchar char character varying bit time timestamp timestamptz timetz float interval`.split(/\s+/),
)

/** Families: everything that starts so was looked at, and computes from its arguments alone. */
const CLICKHOUSE_FAMILIES =
  /^(?:to|array|map|json|parsedatetime|date|time(?:slot|stamp)|format(?:datetime|readable|$)|position|multi(?:search|match|fuzzy|if)|extract|replace|split|substring|is(?:null|notnull|nan|finite|infinite|ipaddress|ipv|valid|decimal|zero)|count|sum|avg|min(?:$|if|map|array|or)|max(?:$|if|map|array|or)|any|uniq|quantile|median|group(?:array|uniq|bit|concat)|arg(?:min|max)|std|var|corr|covar|topk|simplelinear|skew|kurt|histogram|entropy|bit|add(?:days|hours|minutes|months|quarters|seconds|weeks|years|microseconds|milliseconds|date|interval)|subtract|ipv[46]|reinterpret|tuple|tokens|ngrams|ngram|lower|upper|trim|left|right|hex|unhex|base(?:58|64)|cuturl|decodeurl|encodeurl|domain|cut|sip|city|xx|murmur|farm|md5|sha|crc|half|lead|lag|windowfunnel|sequence|retention|dynamic(?:element|type)|variant(?:element|type)|year|month|quarter|week|day|hour|minute|second|now|today|yesterday|age$|change)/i

const CLICKHOUSE: ReadonlySet<string> = new Set(
  `abs ceil ceiling floor round roundbankers trunc truncate sqrt cbrt exp exp2 exp10 log log2 log10 ln pow power sign sin cos tan asin
  acos atan atan2 pi e plus minus multiply divide intdiv intdivorzero modulo moduloorzero negate gcd lcm greatest least max2
  min2 rand rand32 rand64 randuniform
  if ifnull nullif coalesce assumenotnull ornull ordefault case caseWithExpression cast accuratecast accuratecastornull
  accuratecastordefault materialize identity ignore transform
  and or not xor equals notequals less greater lessorequals greaterorequals
  empty notempty length lengthutf8 char_length character_length leftpad rightpad lpad rpad repeat space reverse reverseutf8
  concat concat_ws concatwithseparator concatassumeinjective startswith endswith startswithutf8 endswithutf8 like notlike ilike notilike
  match locate hastoken hastokenornull hastokencaseinsensitive hassubsequence ascii char initcap soundex translate
  regexp_extract regexpextract regexpquotemeta levenshteindistance
  has hasall hasany hassubstr indexof range element_at
  urlhierarchy urlpathhierarchy path pathfull protocol port querystring querystringandfragment fragment topleveldomain netloc
  row_number rank dense_rank percent_rank cume_dist ntile first_value last_value nth_value laginframe leadinframe
  fromunixtimestamp fromunixtimestamp64milli fromunixtimestamp64micro fromunixtimestamp64nano timezone utctimestamp
  makedate makedatetime makedatetime64 monthname runningdifference neighbor
  getsubcolumn simplejsonextractstring simplejsonhas visitparamextractstring isnullable
  numbers grouping exponentialmovingaverage deltasum deltasumtimestamp boundingratio first last some every nonnegativederivative
  nullable lowcardinality decimal decimal32 decimal64 decimal128 fixedstring enum8 enum16 nested string float32 float64
  int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool uuid generateuuidv4 toyyyymm`
    .toLowerCase()
    .split(/\s+/),
)

export function isAllowed(name: string, dialect: NativeDialect): boolean {
  const plain = name.toLowerCase()
  if (dialect === 'postgres') return POSTGRES.has(plain)
  return CLICKHOUSE.has(plain) || CLICKHOUSE_FAMILIES.test(plain)
}

export const isTableCall = (name: string, dialect: NativeDialect): boolean =>
  TABLE_CALLS[dialect].has(name.toLowerCase())
