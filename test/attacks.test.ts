/**
 * Ways out of the fence that people try: files, settings, system tables, other accounts, names and values made to be read
 * as SQL. Each is sent to a running service through every door that takes SQL, must be refused with 400 (or answered
 * with nothing of what it was after), and may reveal nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from './support/service.ts'

const SECRETS = ['tangerine-7', 'quince-9', 'pomelo-5', 'root:', '/bin/', 'MILLRACE_', 'catalog.sqlite', 'node_modules']

let service: Service
let other: string
const names = { desk: 'attack_desk', vault: 'attack_vault', foreign: 'attack_foreign', codes: 'attack_codes' }
let sandboxed = ''
let valued = ''

beforeAll(async () => {
  service = await startService()
  other = (await json('/api/accounts', { name: 'stranger' })).management_token
  await fill(names.desk, [{ id: 't1', event_message: 'open', owner: 'mira', note: 'tangerine-7' }])
  await fill(names.vault, [{ id: 'v1', event_message: 'v', code: 'quince-9' }])
  await fill(names.foreign, [{ id: 'f1', event_message: 'f', code: 'pomelo-5' }], other)
  await publish({ name: names.codes, query: `select code from ${names.vault}` })
  sandboxed = await publish({
    name: 'attack_sandbox',
    query: `with tickets as (select id, owner from ${names.desk}), one as (select 1 as n) select id from tickets`,
    sandboxable: true,
  })
  valued = await publish({
    name: 'attack_values',
    query: `select id, owner from ${names.desk} where owner = @owner order by id limit @many`,
  })
}, 60_000)
afterAll(() => service.remove())

async function json(path: string, body: object, token = service.managementToken) {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': token },
    body: JSON.stringify(body),
  })
  expect(answer.status, `${path} ${answer.status}`).toBeLessThan(300)
  return JSON.parse(await answer.text())
}

async function fill(name: string, events: object[], token = service.managementToken): Promise<void> {
  const { token: source } = await json('/api/sources', { name, retention_days: 3650 }, token)
  const dated = events.map((event) => ({ timestamp: '2025-03-02T00:00:00Z', ...event }))
  await json(`/api/logs?source=${source}`, dated, token)
}

const publish = async (fields: object): Promise<string> =>
  (await json('/api/endpoints', { cache_duration_seconds: 0, ...fields })).token

type Sent = { path: string; headers?: Record<string, string>; method?: string; body?: unknown }

async function send({ path, headers = {}, method = 'GET', body }: Sent): Promise<{ status: number; text: string }> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { 'x-api-key': service.managementToken, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** What was sent may come back in the words of a refusal; what it was after may not. */
function expectNothing(text: string, sent: string): void {
  for (const secret of SECRETS) if (!sent.includes(secret)) expect(text).not.toContain(secret)
}

async function expectRefused(sent: Sent, sql: string): Promise<void> {
  const { status, text } = await send(sent)
  expect([400, 422], `${sql}\n${text}`).toContain(status)
  expect(Object.keys(JSON.parse(text))[0]).toMatch(/^errors?$/)
  expectNothing(text, sql)
}

const query = (sql: string): string => encodeURIComponent(sql)
const since = "timestamp > timestamp '2020-01-01'"

/** Refused through every door, whoever asks. */
const ANYWHERE: [string, string[]][] = [
  [
    'functions that read files',
    [
      "select * from read_csv('/etc/passwd')",
      "select * from READ_CSV_AUTO('/etc/passwd')",
      "select * from read_text('/proc/self/environ')",
      "select * from read_blob('/etc/hostname')",
      "select * from read_json_auto('/etc/passwd')",
      "select * from read_ndjson_objects('/etc/passwd')",
      "select * from read_parquet(['/a.parquet', '/b.parquet'])",
      "select * from parquet_schema('x.parquet')",
      "select * from parquet_file_metadata('x.parquet')",
      "select * from parquet_kv_metadata('x.parquet')",
      "select * from glob('**')",
      "select * from sniff_csv('/etc/passwd')",
      "select * from `read_csv`('/etc/passwd')",
      "select * from main.read_csv('/etc/passwd')",
      "select * from system.main.read_text('/etc/passwd')",
      "select (select content from read_text('/etc/passwd')) as c",
      "select array(select content from read_text('/etc/passwd')) as c",
      "select 1 as a from unnest([1]) as x join read_text('/etc/passwd') on true",
      "with x as (select * from read_text('/etc/passwd')) select * from x",
      "select 1 as a order by (select content from read_text('/etc/passwd'))",
      "select 1 as a limit (select length(content) from read_text('/etc/passwd'))",
      "select x from unnest((select array_agg(content) from read_text('/etc/passwd'))) as x",
      "select row_number() over (order by (select content from read_text('/etc/passwd'))) as r",
      "select if(true, (select content from read_text('/etc/passwd')), '') as c",
      "select 1 as a union all select length(content) from read_text('/etc/passwd')",
      "select exists(select 1 from read_text('/etc/passwd')) as e",
      "select 1 as a from read_csv /* */ ('/etc/passwd')",
    ],
  ],
  [
    'paths and addresses as tables',
    [
      "select * from '/etc/passwd'",
      'select * from "/etc/passwd"',
      'select * from `/etc/passwd`',
      'select * from `../catalog.sqlite`',
      'select * from `catalog.sqlite`',
      "select * from 'x.parquet'",
      'select * from `*.parquet`',
      'select * from `file:///etc/passwd`',
      'select * from `https://example.test/x.csv`',
      'select * from `s3://b/x.parquet`',
      'select * from `/dev/stdin`',
      'select * from `/proc/self/environ` as t',
      'select t.* from `/etc/passwd` t join `/etc/group` g on true',
      'select * from `x.csv`, `y.json`',
    ],
  ],
  [
    'system tables',
    [
      'select * from information_schema.tables',
      'select * from INFORMATION_SCHEMA.COLUMNS',
      'select * from `information_schema.schemata`',
      'select * from `information_schema`.`tables`',
      'select * from pg_catalog.pg_class',
      'select * from pg_settings',
      'select * from sqlite_master',
      'select * from sqlite_schema',
      'select * from duckdb_tables',
      'select * from duckdb_settings()',
      'select * from duckdb_secrets()',
      'select * from duckdb_extensions()',
      'select * from duckdb_functions()',
      'select * from duckdb_memory()',
      'select * from duckdb_temporary_files()',
      'select * from duckdb_logs()',
      'select * from pragma_version()',
      "select * from pragma_table_info('source_0')",
      'select * from pragma_database_list',
      'select * from main.source_0',
      'select * from source_0',
      'select * from cte_0',
      'select * from temp.information_schema.tables',
      'select * from region-us.INFORMATION_SCHEMA.JOBS',
    ],
  ],
  [
    'settings, sessions and statements',
    [
      "select getenv('HOME') as h",
      "select current_setting('temp_directory') as h",
      'select version() as v',
      'select session_user() as u',
      'select current_user as u',
      'select current_database() as d',
      'select current_schemas(true) as s',
      'select txid_current() as t',
      "select in_search_path('a', 'b') as s",
      "select nextval('s') as n",
      "select * from query('select 1')",
      "select * from query_table('x')",
      "select * from external_query('c', 'select 1')",
      "select json_execute_serialized_sql('{}') as x",
      "select * from json_execute_serialized_sql(json_serialize_sql('select 1'))",
      "select json_serialize_sql('select 1') as s",
      "select getvariable('x') as v",
      'select * from repeat_row(1, num_rows => 3)',
      'select * from test_all_types()',
      "select * from summary('x')",
      "select * from sql_auto_complete('s')",
      "select write_log('x') as l",
      "select add_parquet_key('k', 'v') as k",
      "set memory_limit = '1TB'",
      'reset all',
      'pragma database_list',
      "attach '/tmp/x.db' as x",
      'detach x',
      'install httpfs',
      'load httpfs',
      "copy (select 1) to '/tmp/x.csv'",
      "export database '/tmp/x'",
      "import database '/tmp/x'",
      'create table x as select 1',
      'create macro m() as 1',
      'create temp view v as select 1',
      'drop table source_0',
      'alter table source_0 add column x int',
      'insert into source_0 values (1)',
      'update source_0 set id = 1',
      'delete from source_0',
      'truncate table source_0',
      'merge into source_0 using x on true when matched then delete',
      'call pragma_version()',
      'explain select 1',
      'describe source_0',
      'show tables',
      'show all tables',
      'use main',
      'begin',
      'checkpoint',
      'vacuum',
      'prepare p as select 1',
      'execute p',
      'grant all on x to y',
      'from source_0',
      'from duckdb_settings() select *',
      'values (1)',
      'table source_0',
      'pivot source_0 on id',
      "select 1; select content from read_text('/etc/passwd')",
      ';;select 1 as a; select 2 as b',
      'begin select 1; end',
      'declare x int64 default 1; select x',
      'select * from source_0 tablesample 10 percent',
      'select columns(*) from unnest([1])',
      'select * from unnest([1]) as x at (version => 1)',
    ],
  ],
  [
    'letters that only look alike, comments and quotes',
    [
      "sеlect * from read_csv('/etc/passwd')",
      "select * from ｒead_text('/etc/passwd')",
      'select * from read_text＇/etc/passwd＇',
      "select/**/*/**/from/**/read_text('/etc/passwd')",
      "select * from read_text --\n('/etc/passwd')",
      'select * from `duckdb_settings`()',
      'select * from "duckdb_settings"()',
      "select * from \u0000read_text('/etc/passwd')",
      'select * from `a`.`b`.`/etc/passwd`',
      "select 1 as `a\" from read_text('/etc/passwd') --` from nowhere",
      'select * from `x"; drop table source_0; --`',
      "select '\\'; select * from read_text('/etc/passwd') --' from nowhere",
      "select $$ $$ from read_text('/etc/passwd')",
      "select e'\\x41' from nowhere",
      "select * from U&'read_text'('/etc/passwd')",
      'select * from ﻿source_0',
      'select * from source\u200b_0',
    ],
  ],
]

/** What a sandboxed query must not reach, though the account itself may. */
const SANDBOX: string[] = [
  `select code from ${names.vault}`,
  `select code from \`${names.vault}\``,
  `select code from ${names.vault.toUpperCase()}`,
  `select note from ${names.desk}`,
  'select note from tickets',
  'select tickets.note from tickets',
  'select t.note from tickets as t',
  `select code from ${names.codes}`,
  `select code from attack_values`,
  `select id from attack_sandbox`,
  `select code from tickets, ${names.vault}`,
  `select v.code from tickets join ${names.vault} v on true`,
  `select v.code from tickets right join ${names.vault} v on true`,
  `select code from tickets full join ${names.vault} using (id)`,
  `select (select max(code) from ${names.vault}) as c from tickets`,
  `select id from tickets where exists (select 1 from ${names.vault} where code like 'q%')`,
  `select id from tickets where 'quince' < all_value(select code from ${names.vault})`,
  `select id from tickets where id in (select code from ${names.vault})`,
  `select id from tickets order by (select code from ${names.vault})`,
  `select count(*) as n from tickets group by (select code from ${names.vault})`,
  `select count(*) as n from tickets having (select code from ${names.vault}) is not null`,
  `select id from tickets qualify (select code from ${names.vault}) is not null`,
  `select sum(1) over (partition by (select code from ${names.vault})) as s from tickets`,
  `select array(select code from ${names.vault}) as c`,
  `select struct((select code from ${names.vault}) as x) as c`,
  `select case when true then (select code from ${names.vault}) end as c`,
  `select x from unnest(array(select code from ${names.vault})) as x`,
  `select id from tickets union all select code from ${names.vault}`,
  `(select id from tickets) except distinct (select code from ${names.vault})`,
  `with x as (select code from ${names.vault}) select code from x`,
  `with ${names.vault} as (select * from ${names.vault}) select * from ${names.vault}`,
  `with tickets as (select code from ${names.vault}) select * from tickets`,
  `with tickets as (select note from ${names.desk}) select * from tickets`,
  `with recursive r as (select code from ${names.vault} union all select code from r) select * from r`,
  `with recursive ${names.vault} as (select 1 as code union all select code from ${names.vault} where code < 2), y as (select * from ${names.codes}) select * from y`,
  `select * from (with z as (select code from ${names.vault}) select * from z) q`,
  `select * from (select * from (select * from ${names.vault}))`,
  `select * from tickets t, t.${names.vault}`,
  `select * from attack_desk.note`,
  `select ${names.vault}.code from tickets`,
  `select ${names.vault}.* from tickets`,
  `select * except (id) replace ((select code from ${names.vault}) as owner) from tickets`,
  `select if((select count(*) from ${names.vault}) > 0, 1, 0) as oracle`,
  `select error((select max(code) from ${names.vault})) as e`,
  `select cast((select max(code) from ${names.vault}) as int64) as e`,
  `select id from tickets limit (select count(*) from ${names.vault})`,
  `select id from tickets offset (select count(*) from ${names.vault})`,
  'select * from nowhere',
  '   ',
  '-- nothing',
]

/** What the management query of one account must not reach: another account. */
const OTHER_ACCOUNT: string[] = [
  `select code from ${names.foreign} where ${since}`,
  `select code from \`${names.foreign}\` where ${since}`,
  `select f.code from ${names.desk} d join ${names.foreign} f on true where d.${since} and f.${since}`,
  `with x as (select code from ${names.foreign} where ${since}) select * from x`,
  `select (select max(code) from ${names.foreign} where ${since}) as c`,
  `select code from 2.${names.foreign}`,
  `select code from \`stranger.${names.foreign}\``,
]

for (const [title, attacks] of ANYWHERE) {
  describe(title, () => {
    test.each(attacks)('in a sandbox, in the management query, and saved: %j', async (sql) => {
      await expectRefused({ path: `/api/endpoints/query/${sandboxed}?sql=${query(sql)}` }, sql)
      await expectRefused({ path: `/api/query?sql=${query(sql)}` }, sql)
      await expectRefused({ path: '/api/endpoints', method: 'POST', body: { name: 'attack_saved', query: sql } }, sql)
    })
  })
}

describe('out of the sandbox', () => {
  test.each(SANDBOX)('by POST and by GET: %j', async (sql) => {
    await expectRefused({ path: `/api/endpoints/query/${sandboxed}?sql=${query(sql)}` }, sql)
    await expectRefused({ path: `/api/endpoints/query/${sandboxed}`, method: 'POST', body: { sql } }, sql)
  })

  test.each([
    `f:${names.vault} s:code`,
    `f:${names.desk} s:note`,
    'f:tickets s:note',
    'f:tickets note:~"t.*"',
    'f:tickets s:source_0',
    'f:tickets s:id@x` from attack_vault',
    'f:tickets c:max(note)',
    'f:`attack_vault`',
    "f:tickets' union select code from attack_vault --",
  ])('in LQL: %j', async (lql) => {
    await expectRefused({ path: `/api/endpoints/query/${sandboxed}?lql=${query(lql)}` }, lql)
  })

  test.each([
    `f:tickets owner:"x' or '1'='1"`,
    'f:tickets owner:"x\\\\\' or true --"',
    'f:tickets id:"` union all select code from attack_vault --"',
    'f:tickets id:~"\\\\Q\') union"',
  ])('values in LQL stay values: %j', async (lql) => {
    const { status, text } = await send({ path: `/api/endpoints/query/${sandboxed}?lql=${query(lql)}` })
    expect([200, 400]).toContain(status)
    if (status === 200) expect(JSON.parse(text)).toEqual({ result: [] })
    expectNothing(text, lql)
  })
})

describe('into another account', () => {
  test.each(OTHER_ACCOUNT)('%j', (sql) => expectRefused({ path: `/api/query?sql=${query(sql)}` }, sql))

  test('an endpoint of the other account is no table here', async () => {
    await json('/api/endpoints', { name: 'attack_theirs', query: `select code from ${names.foreign}` }, other)
    const sql = 'select code from attack_theirs'
    await expectRefused({ path: `/api/query?sql=${query(sql)}` }, sql)
  })
})

describe('values', () => {
  test.each([
    "' or 1=1 --",
    "mira' or 'a'='a",
    "mira'; select code from attack_vault; --",
    "\\' or 1=1 --",
    '" or ""="',
    '`',
    '$p0',
    '$1',
    '@owner',
    '?',
    'NULL',
    '%',
    'mira\u0027',
    'mirа',
    '\u0000mira',
    "');attach '/tmp/x' as y;--",
    '{"$ne":null}',
    '/* */',
    '\n--\nmira',
  ])('are compared, not read: %j', async (owner) => {
    const { status, text } = await send({ path: `/api/endpoints/query/${valued}?many=5&owner=${query(owner)}` })
    if (status === 200) expect(JSON.parse(text)).toEqual({ result: [] })
    else expect(status).toBe(400)
    expectNothing(text, owner)
  })

  test.each([
    '1; select 1',
    '-1',
    '1 union select 1',
    '(select 1)',
    '1e999',
    '99999999999999999999',
    'NaN',
    '0x10',
    '[]',
  ])('a limit is a number or refused: %j', async (many) => {
    const { status, text } = await send({ path: `/api/endpoints/query/${valued}?owner=mira&many=${query(many)}` })
    expect([200, 400], text).toContain(status)
    expectNothing(text, many)
  })

  test.each(['owner[]', 'owner[x]', '__proto__', 'constructor', 'p0', 'toString'])(
    'names of parameters mean themselves: %s',
    async (name) => {
      const path = `/api/endpoints/query/${valued}?many=5&${encodeURIComponent(name)}=mira`
      const { status, text } = await send({ path })
      expect([status, JSON.parse(text)]).toEqual([200, { result: [] }])
    },
  )
})

describe('headers and names', () => {
  test.each(['1; drop', '-1', '0', '1.5', '1e1', '٣', '9999999999999', "1' or '1"])(
    'version %j is refused',
    async (version) => {
      const headers = { 'svc-endpoint-version': encodeURIComponent(version) }
      const { status } = await send({ path: `/api/endpoints/query/${valued}`, headers })
      expect([400, 404]).toContain(status)
    },
  )

  test.each([
    "trace='; drop table queries; --",
    'trace=$(cat /etc/passwd)',
    'trace={{7*7}}',
    '__proto__=x,constructor=y',
    'a'.repeat(8_000),
  ])('labels are text: %j', async (labels) => {
    const { status } = await send({
      path: `/api/endpoints/query/${valued}?owner=x&many=1`,
      headers: { 'svc-endpoint-labels': labels },
    })
    expect(status).toBe(200)
  })

  test.each(["' or 1=1 --", '../../etc/passwd', '%00', '..%2f..', '`', '*', 'attack_sandbox%20union'])(
    'a name that names nothing is 404: %j',
    async (name) => {
      const { status, text } = await send({ path: `/api/endpoints/query/${encodeURIComponent(name)}` })
      expect([400, 404]).toContain(status)
      expectNothing(text, name)
    },
  )

  test.each([
    "x'y",
    'x"y',
    'x`y',
    'x;drop',
    'x--y',
    'x/*y*/',
    'source_0',
    'cte_0',
    't0',
    'read_csv',
    'select',
    '../x',
    '日本',
    '__proto__',
  ])('a source called %j is a source like any other', async (name) => {
    await fill(name, [{ event_message: 'plain' }])
    const sql = `select event_message as m from \`${name.replaceAll('`', '\\`')}\` where ${since}`
    const { status, text } = await send({ path: `/api/query?sql=${query(sql)}` })
    expect([status, JSON.parse(text).result]).toEqual([200, [{ m: 'plain' }]])
  })
})
