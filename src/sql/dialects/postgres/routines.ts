/**
 * What a query may need and PostgreSQL cannot write in an expression: reading text that may be none of the type, and
 * failing with words. They are routines of the session (`pg_temp`), made by whoever runs a text that calls one; nothing
 * stays behind in the database.
 */
const attempt = (name: string, type: string): string =>
  `CREATE OR REPLACE FUNCTION pg_temp.${name}(given text) RETURNS ${type} LANGUAGE plpgsql STABLE AS $$
  BEGIN RETURN CAST(given AS ${type}); EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$`

export const ROUTINES: readonly string[] = [
  attempt('bq_json', 'json'),
  attempt('bq_float', 'float8'),
  attempt('bq_numeric', 'numeric'),
  attempt('bq_timestamp', 'timestamptz'),
  attempt('bq_datetime', 'timestamp'),
  attempt('bq_date', 'date'),
  attempt('bq_time', 'time'),
  `CREATE OR REPLACE FUNCTION pg_temp.bq_error(message text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  BEGIN RAISE EXCEPTION USING MESSAGE = message, ERRCODE = 'data_exception'; END $$`,
]

/** Whether the text calls one of them. */
export const needsRoutines = (text: string): boolean => text.includes('pg_temp.bq_')
