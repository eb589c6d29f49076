/** What makes an editor one for warehouse SQL: the words of GoogleSQL, what can be completed, and the place of a mistake. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete'
import { SQLDialect, sql } from '@codemirror/lang-sql'
import { linter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

const KEYWORDS =
  'select from where group by having order limit offset with as on using join inner left right full outer cross ' +
  'union all distinct except intersect and or not in is null true false between like case when then else end asc desc ' +
  'nulls first last over partition window rows range unbounded preceding following current row unnest struct array ' +
  'interval qualify exists any some cast recursive replace tablesample'
const TYPES = 'int64 float64 numeric bignumeric bool string bytes date datetime time timestamp json'
const FUNCTIONS =
  'count countif sum avg min max any_value approx_count_distinct approx_quantiles array_agg string_agg array_length ' +
  'coalesce if ifnull nullif concat length lower upper substr replace trim split starts_with ends_with contains_substr ' +
  'regexp_contains regexp_extract regexp_replace safe_cast safe_divide round floor ceil abs mod greatest least ' +
  'current_timestamp current_date timestamp_trunc timestamp_add timestamp_sub timestamp_diff timestamp_seconds ' +
  'timestamp_millis timestamp_micros unix_seconds unix_millis unix_micros date_trunc extract format_timestamp ' +
  'parse_timestamp json_value json_query json_extract_scalar to_json_string generate_array generate_timestamp_array ' +
  'row_number rank dense_rank lag lead first_value last_value percentile_cont'

const dialect = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES,
  builtin: FUNCTIONS,
  backslashEscapes: true,
  hashComments: true,
  doubleQuotedStrings: true,
  identifierQuotes: '`',
})

/** What the account has, as it is when the completion is asked for. */
export type Known = {
  /** Sources and published queries, by the name a query has for them. */
  tables(): { name: string; detail: string }[]
  /** Path → type of the fields of the sources that the text mentions. */
  fieldsIn(text: string): Promise<Record<string, string>>
}

export function warehouseSql(known: Known): Extension {
  return [
    sql({ dialect, upperCaseKeywords: false }),
    autocompletion({ override: [(context) => complete(context, known)], icons: false, defaultKeymap: false }),
  ]
}

const words = (text: string, type: string, boost: number): Completion[] =>
  text.split(' ').map((label) => ({ label, type, boost }))

const FIXED: Completion[] = [
  ...FUNCTIONS.split(' ').map((name) =>
    snippetCompletion(`${name}($\{})`, { label: name, type: 'function', detail: 'function', boost: -1 }),
  ),
  ...words(KEYWORDS, 'keyword', -2),
  ...words(TYPES, 'type', -3),
]

async function complete(context: CompletionContext, known: Known): Promise<CompletionResult | null> {
  const quoted = context.matchBefore(/`[^`\n]*/)
  if (quoted) return { from: quoted.from, options: tableOptions(known), validFor: /^`[^`\n]*$/ }
  const word = context.matchBefore(/[\w.]+/)
  if (!word && !context.explicit) return null
  const fields = await known.fieldsIn(context.state.doc.toString())
  const options: Completion[] = Object.entries(fields).map(([label, detail]) => ({
    label,
    detail,
    type: 'property',
    boost: 1,
  }))
  const text = word?.text ?? ''
  const from = word?.from ?? context.pos
  const dot = text.indexOf('.')
  if (dot >= 0 && !options.some(({ label }) => label.startsWith(text.slice(0, dot + 1))))
    // What stands before the dot is the name a query gave to a table.
    return { from: from + dot + 1, options, validFor: /^[\w.]*$/ }
  return { from, options: [...options, ...tableOptions(known), ...FIXED], validFor: /^[\w.]*$/ }
}

function tableOptions(known: Known): Completion[] {
  return known.tables().map(({ name, detail }) => ({
    label: /^[A-Za-z_][\w.]*$/.test(name) ? name : `\`${name}\``,
    detail,
    type: 'class',
    apply: applyTable,
  }))
}

/** The editor closes a quote as soon as it is opened; the name brings its own. */
function applyTable(view: EditorView, { label }: Completion, from: number, to: number): void {
  const isQuoted = view.state.sliceDoc(from, from + 1) === '`'
  const name = isQuoted && !label.startsWith('`') ? `\`${label}\`` : label
  const end = isQuoted && view.state.sliceDoc(to, to + 1) === '`' ? to + 1 : to
  view.dispatch({ changes: { from, to: end, insert: name }, selection: { anchor: from + name.length } })
}

export type Mark = { position: number; message: string }

/** Underlines what stands at the position: the word there, or one character. */
export function marked({ position, message }: Mark): Extension {
  return linter(
    ({ state }) => {
      const length = state.doc.length
      const from = Math.min(position, Math.max(length - 1, 0))
      const word = /^[\w.]+/.exec(state.sliceDoc(from, Math.min(from + 200, length)))?.[0].length ?? 1
      return [{ from, to: Math.min(from + word, length), severity: 'error', message }]
    },
    { delay: 0 },
  )
}
