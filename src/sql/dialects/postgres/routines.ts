/**
 * What a query may need and PostgreSQL cannot write in an expression: reading text that may be none of the type, and
 * failing with words. They are routines of the session (`pg_temp`), made by whoever runs a text that calls one; nothing
 * stays behind in the database.
 */
const attempt = (name: string, type: string, made = `CAST(given AS ${type})`, from = 'text'): string =>
  `CREATE OR REPLACE FUNCTION pg_temp.${name}(given ${from}) RETURNS ${type} LANGUAGE plpgsql STABLE AS $$
  BEGIN RETURN ${made}; EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$`

/** The engine would also read `tomorrow` and `infinity` as times. */
const attemptTime = (name: string, type: string): string =>
  attempt(name, type, `CASE WHEN given ~ '^\\s*\\d' THEN CAST(given AS ${type}) END`)

export const ROUTINES: readonly string[] = [
  attempt('bq_json', 'json'),
  attempt('bq_float', 'float8'),
  attempt('bq_numeric', 'numeric'),
  attemptTime('bq_timestamp', 'timestamptz'),
  attemptTime('bq_datetime', 'timestamp'),
  attemptTime('bq_date', 'date'),
  attemptTime('bq_time', 'time'),
  attempt('bq_text', 'text', "convert_from(given, 'UTF8')", 'bytea'),
  `CREATE OR REPLACE FUNCTION pg_temp.bq_parse(given text, template text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
  BEGIN RETURN to_timestamp(given, template); EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$`,
  `CREATE OR REPLACE FUNCTION pg_temp.bq_error(message text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
  BEGIN RAISE EXCEPTION USING MESSAGE = message, ERRCODE = 'data_exception'; END $$`,
]

/** Whether the text calls one of them. */
export const needsRoutines = (text: string): boolean => text.includes('pg_temp.bq_')
