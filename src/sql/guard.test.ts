import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Fault } from '../base/faults.ts'
import { checkFinal, createSql, MACRO_STATEMENTS } from './sql.ts'

const sql = createSql()
const prepare = (text: string) =>
  sql.prepare({
    sql: text,
    resolve: (name) => (name === 'web' ? 'w' : undefined),
    fields: () => ({ status: 'integer', metadata: 'object', 'metadata.user': 'string' }),
    requireTimestamp: false,
    nowUs: 0,
  })

/** Each as a table, where the engine would read a file, a setting or its own catalogue. */
const TABLES = [
  "read_csv('/etc/passwd')",
  "read_csv_auto('/etc/passwd')",
  "read_text('/etc/hostname')",
  "read_blob('/etc/hostname')",
  "read_json('/proc/self/environ')",
  "read_parquet('/**/*.parquet')",
  "parquet_scan('x.parquet')",
  "parquet_metadata('x.parquet')",
  "sniff_csv('/etc/passwd')",
  "glob('/etc/*')",
  "query('select 1')",
  "query_table('web')",
  'duckdb_settings()',
  'duckdb_secrets()',
  'duckdb_tables()',
  'pragma_database_list()',
  "pragma_table_info('web')",
  "sql_auto_complete('sel')",
  'repeat(1, 2)',
  'test_all_types()',
  "'/etc/passwd'",
  '"/etc/passwd"',
  '`/etc/passwd`',
  '`x.parquet`',
  '`s3://bucket/x.parquet`',
  "'https://example.test/x.csv'",
  'information_schema.tables',
  '`information_schema.tables`',
  'INFORMATION_SCHEMA.COLUMNS',
  'pg_catalog.pg_tables',
  'pg_class',
  'sqlite_master',
  'duckdb_settings',
  'system.information_schema.tables',
  'source_0',
  'cte_0',
  '`web"; select 1 --`',
]

/** Each as a value. */
const VALUES = [
  "getenv('HOME')",
  "current_setting('memory_limit')",
  'session_user()',
  'current_user()',
  'version()',
  'current_database()',
  'current_schemas(true)',
  "getvariable('x')",
  "read_text('/etc/hostname')",
  "external_query('c', 'select 1')",
  'pg_backend_pid()',
  "nextval('s')",
  "write_log('x')",
  "json_serialize_sql('select 1')",
  "json_execute_serialized_sql('x')",
  "safe.getenv('HOME')",
  "main.getenv('HOME')",
  "`getenv`('HOME')",
  "bq_host('x')",
  'constructor()',
  '__proto__()',
]

const PLACES: [string, (value: string) => string][] = [
  ['the select list', (value) => `select ${value} as x`],
  ['a function argument', (value) => `select upper(concat('a', ${value})) as x`],
  ['a WITH query', (value) => `with a as (select ${value} as x) select 1 as one`],
  ['a subquery', (value) => `select (select max(x) from (select ${value} as x)) as y`],
  ['WHERE', (value) => `select id from web where ${value} = 'a'`],
  ['a window', (value) => `select row_number() over (partition by ${value} order by ${value}) as n from web`],
  ['GROUP BY', (value) => `select count(*) as n from web group by ${value}`],
  ['HAVING', (value) => `select count(*) as n from web having max(${value}) = 'a'`],
  ['QUALIFY', (value) => `select id from web qualify row_number() over (order by ${value}) = 1`],
  ['ORDER BY', (value) => `select id from web order by ${value}`],
  ['LIMIT', (value) => `select id from web limit ${value}`],
  ['OFFSET', (value) => `select id from web limit 1 offset ${value}`],
  ['an aggregate order', (value) => `select array_agg(id order by ${value} limit 1) as x from web`],
  ['a join condition', (value) => `select a.id from web a join web b on ${value} = 'x'`],
  ['UNNEST', (value) => `select x from unnest([${value}]) as x`],
  ['IN UNNEST', (value) => `select 'a' in unnest([${value}]) as x`],
  ['CASE', (value) => `select case when true then ${value} end as x`],
  ['an interval', (value) => `select current_timestamp() - interval ${value} day as x`],
  ['an element', (value) => `select [1, 2][offset(${value})] as x`],
  ['a union arm', (value) => `select 'a' as x union all select ${value}`],
  ['REPLACE', (value) => `select * replace (${value} as id) from web`],
]

describe('the first fence', () => {
  test.each(TABLES)('refuses the table %s wherever a table may stand', (table) => {
    for (const text of [
      `select * from ${table}`,
      `select w.id from web w join ${table} x on true`,
      `select id from web, ${table}`,
      `select id from web where id in (select id from ${table})`,
      `with a as (select * from ${table}) select * from a`,
      `with a as (select * from ${table}) select 1 as unread`,
      `select (select 1 from ${table}) as x`,
      `select 1 as x union all select 1 from ${table}`,
      `select array(select 1 from ${table}) as x`,
      `select exists(select 1 from ${table}) as x`,
      `select * from (select * from (select * from ${table}))`,
      `select * from web cross join (select * from ${table})`,
    ]) {
      expect(() => prepare(text)).toThrow(Fault)
    }
  })

  test.each(PLACES)('refuses forbidden functions in %s', (_, place) => {
    for (const value of VALUES) expect(() => prepare(place(value)), value).toThrow(/unknown or forbidden function/)
  })

  test.each([
    'insert into web (id) values (1)',
    'update web set id = 1 where true',
    'delete from web where true',
    'truncate table web',
    'drop table web',
    'create table x as select 1 as a',
    'create temp function f() as (1)',
    'alter table web add column a int64',
    'merge web using web on true when matched then delete',
    'with d as (delete from web returning id) select id from d',
    "copy (select 1) to '/tmp/x'",
    "attach '/tmp/x.db' as x",
    'detach x',
    'install httpfs',
    'load httpfs',
    "set memory_limit = '1GB'",
    'reset memory_limit',
    'pragma database_list',
    'call pragma_version()',
    'explain select 1',
    'explain analyze select 1',
    'describe web',
    'show tables',
    'summarize web',
    'use memory',
    'begin transaction',
    'commit',
    'checkpoint',
    "export database '/tmp/x'",
    "import database '/tmp/x'",
    'vacuum',
    'prepare a as select 1',
    'execute a',
    'execute immediate "select 1"',
    'declare x int64',
    'values (1)',
    'table web',
    'from web',
    'from web select id',
    'pivot web on id',
    'select 1 as a; drop table web',
    'select 1 as a; select 2 as b',
    '/* select 1 */ drop table web',
    'select 1 as a into x',
    'select id from web tablesample system (1 percent)',
    'select id from web at (version => 1)',
    'select columns(*) from web',
    'select $1 as a',
    'select ? as a',
    'select @@version as a',
    'select #1 from web',
    'select x -> y from web',
    'select lambda x: x from web',
    'select $$a$$ as x',
    "select e'\\x41' as x",
  ])('refuses the text %s', (text) => expect(() => prepare(text)).toThrow(Fault))

  test('quotes and comments in names and texts stay inside them', () => {
    const { text } = prepare(
      "select id as `x\" from read_csv('/etc/passwd') --`, 'a\\'; drop table web; --' as b from web",
    )
    expect(text).toBe(
      `SELECT t0."id" AS "x"" from read_csv('/etc/passwd') --", 'a''; drop table web; --' AS "b" FROM source_0 AS t0`,
    )
  })

  test.each([
    ['nested too deeply', `select ${'('.repeat(5000)}1${')'.repeat(5000)} as x`],
    ['nested too deeply', `select ${'not '.repeat(5000)} true as x`],
    ['nested too deeply', `${'select * from ('.repeat(500)}select 1 as a${')'.repeat(500)}`],
    ['too complex', `select ${'1 + '.repeat(200_000)}1 as x`],
    ['too complex', `select ${'regexp_extract('.repeat(60)}id${", 'a')".repeat(60)} as x from web`],
    ['longer than', `select '${'x'.repeat(1_000_001)}' as x`],
  ])('a query built to exhaust us is refused: %s', (message, text) => expect(() => prepare(text)).toThrow(message))

  test('faults name the thing and its place', () => {
    expect(() => prepare('select id\nfrom granite.ledger-9')).toThrow(
      "can't find source granite.ledger-9 (line 2, column 6)",
    )
    expect(() => prepare('select id, shoe_size from web')).toThrow('unknown field shoe_size (line 1, column 12)')
    expect(() => prepare('select w.metadata.hat from web w')).toThrow('unknown field hat')
    expect(() => prepare('select nope(id) from web')).toThrow('unknown or forbidden function nope')
    expect(() => prepare('selec id from web')).toThrow('only SELECT queries are allowed, found "selec"')
    expect(() => prepare('select (id from web')).toThrow('expected ")", found "from" (line 1, column 12)')
    expect(() => prepare("select 'open")).toThrow('a string is not closed (line 1, column 8)')
    expect(() => prepare(' -- nothing')).toThrow('the query is empty')
    expect(() => prepare("select id from web where timestamp > 'soon'")).toThrow('"soon" is no timestamp')
  })
})

describe('the second fence', () => {
  let instance: DuckDBInstance
  let connection: DuckDBConnection
  beforeAll(async () => {
    instance = await DuckDBInstance.create(':memory:')
    connection = await instance.connect()
    for (const statement of MACRO_STATEMENTS) await connection.run(statement)
  })
  afterAll(() => {
    connection.closeSync()
    instance.closeSync()
  })
  const check = async (text: string) => {
    const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text])
    checkFinal(JSON.parse(String(result.getRowsJson()[0]![0])), ['source_0'])
  }

  test.each([
    'SELECT t0.id FROM source_0 AS t0',
    'WITH cte_0 AS (SELECT id FROM source_0) SELECT * FROM cte_0 ORDER BY 1 LIMIT 10',
    'WITH RECURSIVE cte_0(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM cte_0 WHERE n < 5) SELECT n FROM cte_0',
    'SELECT bq_host(id) FROM source_0',
  ])('lets pass what the translation writes: %s', async (text) => {
    await check(text)
  })

  test.each([
    ...TABLES.filter((table) => !table.startsWith('`') && table !== 'source_0').map(
      (table) => `SELECT * FROM ${table}`,
    ),
    ...VALUES.slice(0, 13).map((value) => `SELECT id FROM source_0 ORDER BY ${value}`),
    "SELECT (SELECT content FROM read_text('/etc/hostname'))",
    'WITH a AS (SELECT 1) SELECT * FROM b',
    'SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a',
    'SELECT * FROM main.source_0',
    'SELECT * FROM memory.main.source_0',
    'SELECT main.getenv(id) FROM source_0',
    'SELECT id FROM source_0 USING SAMPLE 10%',
    'FROM source_0 TABLESAMPLE 10%',
    'PIVOT source_0 ON id USING count(*)',
    'SELECT * FROM (DESCRIBE source_0)',
    'SELECT * FROM (SHOW TABLES)',
    'SELECT * FROM (VALUES (1)) v',
    'SELECT 1; SELECT 2',
    'CREATE TABLE x AS SELECT 1',
    "COPY (SELECT 1) TO '/tmp/x'",
    "ATTACH 'x.db'",
    'SET threads = 1',
    'SELECT DEFAULT',
    "SELECT list_aggregate([1], 'getenv')",
    "SELECT array_agg(getenv('HOME')) OVER () FROM source_0",
    "SELECT count(*) FILTER (WHERE getenv('HOME') = '') FROM source_0",
    "SELECT * FROM unnest([getenv('HOME')])",
    "SELECT [getenv(x) for x in ['HOME']]",
    "SELECT id FROM source_0 LIMIT (SELECT length(getenv('HOME')))",
    'not sql at all',
  ])('refuses %s', async (text) => {
    await expect(check(text)).rejects.toThrow(Fault)
  })

  test('refuses a document it does not understand', () => {
    for (const tree of [
      null,
      1,
      {},
      { error: false },
      { error: false, statements: [] },
      { error: true, statements: [{ node: {} }] },
    ]) {
      expect(() => checkFinal(tree, [])).toThrow(Fault)
    }
  })
})
