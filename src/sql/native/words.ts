/** What the two dialects have words for: what is refused, what may be called, and what ends a clause. */
export type NativeDialect = 'postgres' | 'clickhouse'

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Refused wherever they stand, unless quoted: none of them is needed to read. */
const NEVER = `insert update delete merge into copy create alter drop truncate grant revoke call execute prepare deallocate
  set reset vacuum analyze explain lock listen notify unlisten begin commit rollback savepoint discard reindex
  refresh comment security attach detach rename exchange optimize kill system use describe table only outfile infile`

export const REFUSED: Record<NativeDialect, ReadonlySet<string>> = {
  postgres: set(`${NEVER} do show user current_user session_user system_user current_role current_catalog current_schema
    tablesample xmltable`),
  clickhouse: set(`${NEVER} settings show watch sample apply`),
}

/** Words before an opening bracket that call nothing. */
export const NO_CALL: ReadonlySet<string> =
  set(`in and or not on using where prewhere having select from by case when then else as
  values exists any all some over filter within group distinct between like ilike limit offset union except intersect join
  lateral array row partition is sets cube rollup grouping cast interval with recursive order window similar to
  materialized asc desc nulls first last rows range groups qualify end apply columns replace div mod global final`)

/** Words that can follow a table and are no alias of it. */
export const AFTER_TABLE: ReadonlySet<string> =
  set(`on using where prewhere left right inner full cross natural join group order
  having limit offset union except intersect window fetch for settings format sample final array global any all asof
  semi anti paste qualify lateral select outer as`)

const CLAUSES = 'group order having limit offset union except intersect window fetch'

/** Words that end a FROM clause; nothing else than that in PostgreSQL, where they are reserved. */
export const ENDS_FROM: Record<NativeDialect, ReadonlySet<string>> = {
  postgres: set(CLAUSES),
  clickhouse: set(`${CLAUSES} qualify`),
}

/** Words behind which a value has ended. */
export const ENDS_VALUE: ReadonlySet<string> = set(
  'end null true false final totals asc desc first last rollup cube ties all distinct',
)

/** In these, FROM is no clause. */
export const FROM_CALLS: ReadonlySet<string> = set('extract substring trim overlay position substr ltrim rtrim')

export const TABLE_CALLS: Record<NativeDialect, ReadonlySet<string>> = {
  postgres: set(`generate_series unnest jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text
    jsonb_object_keys json_array_elements json_array_elements_text json_each json_each_text json_object_keys
    jsonb_to_record jsonb_to_recordset jsonb_path_query regexp_matches regexp_split_to_table string_to_table
    generate_subscripts`),
  clickhouse: set('numbers'),
}
