import { describe, expect, test } from 'vitest'
import { guardNative } from './guard.ts'
import type { NativeDialect } from './words.ts'

const SOURCES: Record<string, string> = {
  web: 'T1',
  'my.app': 'T2',
  'Wéb logs': 'T3',
  array: 'T4',
  range: 'T5',
  Big: 'T6',
}

const guard = (sql: string, dialect: NativeDialect = 'postgres', requireTimestamp = false, known?: Set<string>) =>
  guardNative({
    ...{ sql, dialect, requireTimestamp, ...(known ? { known } : {}) },
    resolve: (name) => SOURCES[name],
    table: (token, isFinal) => `<${token}${isFinal ? ' final' : ''}>`,
    place: (name, type) => `{${name}${type ? `:${type}` : ''}}`,
  })

describe('names of sources become tables', () => {
  test.each<[string, string]>([
    ['select id from web', 'select id from <T1> AS web'],
    ['SELECT w.id FROM web w WHERE w.id = 1', 'SELECT w.id FROM <T1> w WHERE w.id = 1'],
    ['select id from "my.app"', 'select id from <T2> AS "my.app"'],
    ['select my.app.id from my.app', 'select "my.app".id from <T2> AS "my.app"'],
    ['select id from "my"."app" as x', 'select id from <T2> as x'],
    ['select Big.id from Big', 'select Big.id from <T6> AS Big'],
    ['select 1 from web, my.app m, "Wéb logs"', 'select 1 from <T1> AS web, <T2> m, <T3> AS "Wéb logs"'],
    [
      'select 1 from web a join web b on a.id = b.id, web',
      'select 1 from <T1> a join <T1> b on a.id = b.id, <T1> AS web',
    ],
    ['select 1 from (web a join my.app b using (id))', 'select 1 from (<T1> a join <T2> b using (id))'],
    [
      'select (select count(*) from web) from my.app',
      'select (select count(*) from <T1> AS web) from <T2> AS "my.app"',
    ],
    [
      'with web as (select id from web) select * from web',
      'with web as (select id from <T1> AS web) select * from web',
    ],
    [
      'with a(x) as (select 1), b as (select x from a) select * from b',
      'with a(x) as (select 1), b as (select x from a) select * from b',
    ],
    ['select 1 /* from pg_class */ from web -- x', 'select 1 from <T1> AS web'],
    [
      "select extract(day from timestamp), substring('a' from 1) from web",
      "select extract(day from timestamp), substring('a' from 1) from <T1> AS web",
    ],
    ['select a is not distinct from b from web', 'select a is not distinct from b from <T1> AS web'],
    [
      "select body->>'a', body #>> '{a,b}', body @> '{}' from web;",
      "select body->>'a', body #>> '{a,b}', body @> '{}' from <T1> AS web",
    ],
    ['select @a::int + @b from web limit @n', 'select {a}::int + {b} from <T1> AS web limit {n}'],
    [
      "select * from web, jsonb_array_elements(body -> 'x') as t(v)",
      "select * from <T1> AS web, jsonb_array_elements(body -> 'x') as t(v)",
    ],
    ['select id from range', 'select id from <T5> AS range'],
  ])('%s', (sql, text) => expect(guard(sql).text).toBe(text))

  test.each<[string, string]>([
    ['select metadata.a.b from web final where 1', 'select metadata.a.b from <T1 final> AS web where 1'],
    ['select x from web array join tags as x', 'select x from <T1> AS web array join tags as x'],
    ['select * from array join web using (id)', 'select * from <T4> AS array join <T1> AS web using (id)'],
    ['select {a:Array(String)}, @b from `my.app`', 'select {a:Array(String)}, {b} from <T2> AS `my.app`'],
    [
      'select quantile(0.5)(x), countIf(x in (1, 2)) from web where id in (select id from web)',
      'select quantile(0.5)(x), countIf(x in (1, 2)) from <T1> AS web where id in (select id from <T1> AS web)',
    ],
    [
      'with 5 as n, t as (select 1) select n from t union all select 2',
      'with 5 as n, t as (select 1) select n from t union all select 2',
    ],
    ['select * from web prewhere a limit 1 by b', 'select * from <T1> AS web prewhere a limit 1 by b'],
  ])('ClickHouse: %s', (sql, text) => expect(guard(sql, 'clickhouse').text).toBe(text))

  test('tells what was read and asked for', () =>
    expect(guard('select @b, @a, @b from web, my.app')).toMatchObject({
      sources: ['T1', 'T2'],
      parameters: ['b', 'a'],
    }))
})

describe('what could reach elsewhere is refused', () => {
  test.each([
    ['', 'empty'],
    ['   -- nothing', 'empty'],
    ['select 1; select 2', 'one statement'],
    ['delete from web', 'only one statement that reads'],
    ['with x as (delete from web returning *) select * from x', 'delete is not allowed'],
    ['select * into t from web', 'into is not allowed'],
    ['table pg_class', 'only one statement that reads'],
    ['select * from (table pg_class) x', 'table is not allowed'],
    ['explain select 1', 'only one statement that reads'],
    ['select * from pg_class', "can't find source pg_class (line 1, column 15)"],
    ['select * from pg_catalog.pg_class', "can't find source pg_catalog.pg_class"],
    ['select * from web, pg_class', "can't find source pg_class"],
    ['select * from web join pg_class on true', "can't find source pg_class"],
    ['select * from web a join web b on a.x = b.prewhere, pg_class', "can't find source pg_class"],
    ['select * from web a join web b on a.x = qualify, pg_class', "can't find source pg_class"],
    ['select * from only pg_class', 'only is not allowed'],
    ['select * from lateral pg_class', "can't find source pg_class"],
    ['select * from (pg_class)', "can't find source pg_class"],
    ['select * from ((select 1) union select * from pg_class) x', "can't find source pg_class"],
    ['select 1 where exists (select 1 from pg_class)', "can't find source pg_class"],
    ['select * from (with a as (select 1) select * from a) x, a', "can't find source a"],
    ['with a as (select * from a) select * from a', "can't find source a"],
    ['with pg_class as (select 1) select * from pg_class', 'must not be called'],
    ["select pg_read_file('/etc/passwd')", 'pg_read_file is not allowed'],
    ["select upper(lower(pg_read_file('/etc/passwd')))", 'pg_read_file is not allowed'],
    ["select pg_catalog.pg_read_file('x')", 'pg_catalog.pg_read_file is not allowed'],
    [`select "pg_read_file"('x')`, 'pg_read_file is not allowed'],
    ['select pg_sleep /* x */ (1)', 'pg_sleep is not allowed'],
    ["select * from dblink('x', 'y') as t(a int)", 'table function dblink is not allowed'],
    ['select current_user', 'current_user is not allowed'],
    ["select 'pg_class'::regclass", 'regclass is not allowed'],
    [`select 'pg_class'::"regclass"`, 'regclass is not allowed'],
    ["select 'pg_class'::pg_catalog.regclass", 'regclass is not allowed'],
    ['select * from @t', 'cannot name anything'],
    ["select set_config('a', 'b', false)", 'set_config is not allowed'],
    ['select $$a$$', 'quotes'],
    ['select $1', '@name'],
    ["select U&'x'", 'texts are written'],
    ["select 'open", 'no end'],
    ['select 1 /* open', 'no end'],
    ['select (1', 'bracket is missing'],
    ['select 1)', 'closes nothing'],
    ['select * from nothing', "can't find source nothing"],
  ])('%s', (sql, message) => expect(() => guard(sql)).toThrow(message))

  test.each([
    ['select * from system.users', "can't find source system.users"],
    ["select * from url('http://x')", 'table function url is not allowed'],
    ["select * from remote('h', 'd', 't')", 'table function remote is not allowed'],
    ["select * from merge('x', 'y')", 'merge is not allowed'],
    ['select 1 in users', 'IN takes a list'],
    ['select 1 in (users)', 'IN takes a list'],
    ['select 1 in ((users))', 'IN takes a list'],
    ['select 1 global not in users', 'IN takes a list'],
    ['select in(1, users)', 'IN is not expected'],
    ["select dictGet('d', 'a', 1)", 'dictGet is not allowed'],
    ["select joinGet('t', 'a', 1)", 'joinGet is not allowed'],
    ['select hostName()', 'hostName is not allowed'],
    ['select lower(currentUser())', 'currentUser is not allowed'],
    ['select sleep(3)', 'sleep is not allowed'],
    ['select * apply(hostName) from web', 'apply is not allowed'],
    ['select 1 settings max_threads = 1', 'settings is not allowed'],
    ['select 1 format CSV', 'FORMAT is not allowed'],
    ["select 1 into outfile 'x'", 'into is not allowed'],
    ['show tables', 'only one statement that reads'],
    ['from web select 1', 'only one statement that reads'],
    ['select * from web a join web b on a.x = where, system.users', 'where is not expected here'],
    ['select * from web a join web b on a.x * where, system.users', 'where is not expected here'],
    ['select * from web a join web b on (a.x) as where, system.users', 'where is not expected here'],
    ['select * from web a join web b on a.x = select, system.users', 'select is not expected here'],
    ['select * from web as array join system.users', "can't find source system.users"],
    ['select * from array join system.users', "can't find source system.users"],
    ['select * from web a join web b on a.x = array join system.users', "can't find source system.users"],
    ['select is distinct from system.users', "can't find source system.users"],
    ['select * from (with t as (select 1) select * from t) x, t', "can't find source t"],
    ['with t as (select * from t) select * from t', "can't find source t"],
    ['select * from {t:Identifier}', 'cannot name anything'],
    ['select 1 in {t: Identifier}', 'cannot name anything'],
    ['select {c:Identifier} from web', 'cannot name anything'],
    ["select * from 'file.csv'", 'a source is expected here'],
    ['select exists(users)', 'EXISTS takes a query'],
    ['select * from `file`(1)', 'table function file is not allowed'],
    ['select `hostName`()', 'hostName is not allowed'],
  ])('ClickHouse: %s', (sql, message) => expect(() => guard(sql, 'clickhouse')).toThrow(message))
})

describe('a filter on time', () => {
  test.each([
    ['select 1 from web where timestamp > now()', true],
    ['select 1 from web w where w."timestamp" > now()', true],
    ['with a as (select * from web) select * from a where timestamp > now()', true],
    ['with a as (select * from web where timestamp > now()) select * from a', true],
    ['select 1 from web where (id = 1 and timestamp > now())', true],
    ['select timestamp from web', false],
    ["select 1 from web where id = 'timestamp'", false],
    ['select 1 from web, (select 1 from my.app where timestamp > now()) x', false],
    ['select 1', true],
  ])('%s', (sql, isFine) => {
    const check = () => guard(sql, 'postgres', true)
    if (isFine) expect(check).not.toThrow()
    else expect(check).toThrow('on its timestamp')
  })
})

test('in a sandbox only WITH queries of the endpoint and of the caller can be read', () => {
  const inside = (sql: string) =>
    guardNative({
      ...{ sql, dialect: 'clickhouse', requireTimestamp: false, known: new Set(['recent']), resolve: () => undefined },
      ...{ table: () => '', place: () => '' },
    }).text
  expect(inside('select * from recent r')).toBe('select * from recent r')
  expect(() => inside('select * from recent join web using (id)')).toThrow("can't find source web")
  expect(() => inside('with web as (select * from web) select * from web')).toThrow("can't find source web")
})
