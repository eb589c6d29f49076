/**
 * What the engine has to be told for texts of this dialect: a server takes no SETTINGS clause from a reader, so whoever
 * runs a text sends them beside it. A text is known by the comment at its end.
 */
const MARK = '/* warehouse SQL */'

export const marked = (text: string): string => `${text} ${MARK}`

export const isMarked = (text: string): boolean => text.endsWith(MARK)

export const SETTINGS = {
  /** Rows that an outer join or ROLLUP makes up have NULLs. */
  join_use_nulls: 1,
  group_by_use_nulls: 1,
  /** A branch that is not taken is not worked out. */
  short_circuit_function_evaluation: 'force_enable',
  output_format_json_escape_forward_slashes: 0,
  /** Infinity and NaN come as texts. */
  output_format_json_quote_denormals: 1,
} as const

/** The type under which JSON text leaves, which the reader takes apart. */
export const JSON_COLUMN = 'Tuple(json Nullable(String))'
